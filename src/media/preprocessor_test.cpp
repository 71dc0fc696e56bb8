// Both forms of the files, the defaults, and every fault with the file and key in its sentence.
#include "media/preprocessor.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/check.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

class PreprocessorFiles : public testing::Test {
  protected:
    void SetUp() override {
        dir_ = fs::temp_directory_path() /
               ("saker-preprocessor-" +
                std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        fs::remove_all(dir_);
        fs::create_directories(dir_);
    }
    void TearDown() override { fs::remove_all(dir_); }

    void write(const std::string& name, const std::string& text) {
        std::ofstream(dir_ / name) << text;
    }
    std::string fault() {
        try {
            Preprocessor::load(dir_);
        } catch (const StartupError& error) {
            return error.what();
        }
        return "";
    }
    std::string fault_of_image(const std::string& text) {
        write("preprocessor_config.json", text);
        return fault();
    }
    std::string fault_of_video(const std::string& text) {
        write("preprocessor_config.json", "{}");
        write("video_preprocessor_config.json", text);
        return fault();
    }

    fs::path dir_;
};

TEST_F(PreprocessorFiles, EmptyFilesGiveTheReleasedValues) {
    write("preprocessor_config.json", "{}");
    const Preprocessor p = Preprocessor::load(dir_);
    EXPECT_EQ(p.patch_size, 16);
    EXPECT_EQ(p.temporal_patch_size, 2);
    EXPECT_EQ(p.merge_size, 2);
    EXPECT_EQ(p.factor(), 32);
    EXPECT_EQ(p.patch_bytes(), 1536);
    EXPECT_EQ(p.image_min_pixels, 65536);
    EXPECT_EQ(p.image_max_pixels, 16777216);
    EXPECT_EQ(p.video_min_pixels, 4096);
    EXPECT_EQ(p.video_max_pixels, 25165824);
    EXPECT_EQ(p.mean, (std::array<double, 3>{0.5, 0.5, 0.5}));
    EXPECT_EQ(p.std, (std::array<double, 3>{0.5, 0.5, 0.5}));
    EXPECT_EQ(p.video_fps, 2);
    EXPECT_EQ(p.video_min_frames, 4);
    EXPECT_EQ(p.video_max_frames, 768);
    EXPECT_EQ(p.video_budget(8), 25165824);
}

TEST_F(PreprocessorFiles, ReleasedForm) {
    write("preprocessor_config.json",
          R"({"size": {"longest_edge": 4096, "shortest_edge": 2048}, "patch_size": 14,
              "image_mean": [0.1, 0.2, 0.3], "image_std": [1, 2, 3], "resample": 3,
              "rescale_factor": 0.5, "image_processor_type": "Qwen2VLImageProcessorFast"})");
    write("video_preprocessor_config.json",
          R"({"size": {"longest_edge": 9999, "shortest_edge": 77}, "patch_size": 14, "fps": 1.5,
              "image_mean": [0.1, 0.2, 0.3], "image_std": [1, 2, 3], "rescale_factor": 0.5,
              "min_frames": 2, "max_frames": 9})");
    const Preprocessor p = Preprocessor::load(dir_);
    EXPECT_EQ(p.patch_size, 14);
    EXPECT_EQ(p.image_min_pixels, 2048);
    EXPECT_EQ(p.image_max_pixels, 4096);
    EXPECT_EQ(p.video_min_pixels, 77);
    EXPECT_EQ(p.video_max_pixels, 9999);
    EXPECT_EQ(p.mean, (std::array<double, 3>{0.1, 0.2, 0.3}));
    EXPECT_EQ(p.std, (std::array<double, 3>{1, 2, 3}));
    EXPECT_EQ(p.rescale, 0.5);
    EXPECT_EQ(p.video_fps, 1.5);
    EXPECT_EQ(p.video_min_frames, 2);
    EXPECT_EQ(p.video_max_frames, 9);
}

TEST_F(PreprocessorFiles, JointForm) {
    write("processor_config.json",
          R"({"processor_class": "Qwen3VLProcessor",
              "image_processor": {"size": {"longest_edge": 262144, "shortest_edge": 4096}},
              "video_processor": {"size": {"longest_edge": 131072, "shortest_edge": 1024}}})");
    const Preprocessor p = Preprocessor::load(dir_);
    EXPECT_EQ(p.image_min_pixels, 4096);
    EXPECT_EQ(p.image_max_pixels, 262144);
    EXPECT_EQ(p.video_min_pixels, 1024);
    EXPECT_EQ(p.video_max_pixels, 131072);
}

TEST_F(PreprocessorFiles, MinAndMaxPixelsOverrideTheSize) {
    write("preprocessor_config.json",
          R"({"size": {"longest_edge": 100, "shortest_edge": 200},
              "min_pixels": 1000, "max_pixels": 2000})");
    const Preprocessor p = Preprocessor::load(dir_);
    EXPECT_EQ(p.image_min_pixels, 1000);
    EXPECT_EQ(p.image_max_pixels, 2000);
}

TEST_F(PreprocessorFiles, FramesCanBeCapped) {
    write("preprocessor_config.json", "{}");
    write("video_preprocessor_config.json",
          R"({"cap_pixels_per_frame": true, "max_video_tokens": 100})");
    const Preprocessor p = Preprocessor::load(dir_);
    EXPECT_EQ(p.video_budget(8), 8 * 100 * 1024);
    EXPECT_EQ(p.video_budget(768), 768 * (25165824 / 768));
    EXPECT_EQ(p.video_budget(100'000), int64_t{100'000} * 4300);  // 4096 * 1.05
}

TEST_F(PreprocessorFiles, FaultsNameFileAndKey) {
    EXPECT_NE(fault().find("has neither preprocessor_config.json"), std::string::npos);
    for (const auto& [text, key] : {
             std::pair{R"({"merge_size": 0})", "merge_size"},
             {R"({"patch_size": -1})", "patch_size"},
             {R"({"patch_size": 1.5})", "patch_size"},
             {R"({"temporal_patch_size": 0})", "temporal_patch_size"},
             {R"({"size": {"shortest_edge": 9, "longest_edge": 8}})", "size"},
             {R"({"min_pixels": 9, "max_pixels": 8})", "size"},
             {R"({"size": {"shortest_edge": 0}})", "size.shortest_edge"},
             {R"({"size": 5})", "size"},
             {R"({"image_std": [0.5, 0, 0.5]})", "image_std"},
             {R"({"image_std": [0.5, -1, 0.5]})", "image_std"},
             {R"({"image_std": [0.5, 0.5]})", "image_std"},
             {R"({"image_mean": "x"})", "image_mean"},
             {R"({"rescale_factor": 0})", "rescale_factor"},
             {R"({"do_resize": false})", "do_resize"},
             {R"({"do_normalize": false})", "do_normalize"},
             {R"({"resample": 2})", "resample"},
         }) {
        SCOPED_TRACE(text);
        const std::string sentence = fault_of_image(text);
        EXPECT_NE(sentence.find("preprocessor_config.json: " + std::string(key) + " "),
                  std::string::npos)
            << sentence;
    }
    for (const auto& [text, key] : {
             std::pair{R"({"merge_size": 3})", "patch_size"},
             {R"({"image_mean": [0, 0, 0]})", "image_mean"},
             {R"({"fps": 0})", "fps"},
             {R"({"min_frames": 0})", "min_frames"},
             {R"({"min_frames": 10, "max_frames": 9})", "min_frames"},
             {R"({"size": {"longest_edge": 100}})", "size"},
         }) {
        SCOPED_TRACE(text);
        const std::string sentence = fault_of_video(text);
        EXPECT_NE(sentence.find("video_preprocessor_config.json: " + std::string(key) + " "),
                  std::string::npos)
            << sentence;
    }
    EXPECT_NE(fault_of_image("{").find("preprocessor_config.json"), std::string::npos);
    EXPECT_NE(fault_of_image("[]").find("preprocessor_config.json"), std::string::npos);
}

}  // namespace
}  // namespace saker
