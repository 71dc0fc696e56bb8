// Both forms of the files, the defaults, and every fault with the file and key in its sentence.
#include "media/preprocessor.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/check.h"
#include "media/resize.h"

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
    write("video_preprocessor_config.json", "{}");
    testing::internal::CaptureStderr();
    const Preprocessor p = Preprocessor::load(dir_);
    const std::string told = testing::internal::GetCapturedStderr();
    for (const char* file : {"/preprocessor_config.json", "/video_preprocessor_config.json"})
        EXPECT_NE(told.find(file + std::string(": does not have image_mean, image_std, merge_size, "
                                               "patch_size, temporal_patch_size, size")),
                  std::string::npos)
            << told;
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
    write("video_preprocessor_config.json", "{}");
    const Preprocessor p = Preprocessor::load(dir_);
    EXPECT_EQ(p.image_min_pixels, 1000);
    EXPECT_EQ(p.image_max_pixels, 2000);
}

TEST_F(PreprocessorFiles, SizeInPixels) {
    write("preprocessor_config.json", R"({"size": {"min_pixels": 4096, "max_pixels": 16384}})");
    write("video_preprocessor_config.json",
          R"({"size": {"min_pixels": 1024, "max_pixels": 65536}})");
    const Preprocessor p = Preprocessor::load(dir_);
    EXPECT_EQ(p.image_min_pixels, 4096);
    EXPECT_EQ(p.image_max_pixels, 16384);
    EXPECT_EQ(p.video_min_pixels, 1024);
    EXPECT_EQ(p.video_max_pixels, 65536);
}

TEST_F(PreprocessorFiles, GridsAreThoseOfTransformers) {
    const json::object file = read_json_file("tests/media/preprocessor_grids.json");
    const json::array& cases = file.at("cases").get_array();
    ASSERT_GT(cases.size(), 10u);
    const auto number = [](const json::value& value) { return value.get_int64(); };
    for (const json::value& item : cases) {
        const json::object& c = item.get_object();
        SCOPED_TRACE(dump_json(c.at("files")));
        for (const auto& [name, members] : c.at("files").get_object())
            write(std::string(name), dump_json(members));
        const Preprocessor p = Preprocessor::load(dir_);
        for (const auto& [name, members] : c.at("files").get_object())
            fs::remove(dir_ / std::string(name));
        for (const json::value& image : c.at("images").get_array()) {
            const json::array& row = image.get_array();
            const auto size = smart_resize({number(row[0]), number(row[1])}, p.factor(),
                                           p.image_min_pixels, p.image_max_pixels);
            ASSERT_TRUE(size.ok());
            EXPECT_EQ(size->height / p.patch_size, number(row[2].get_array()[1]));
            EXPECT_EQ(size->width / p.patch_size, number(row[2].get_array()[2]));
        }
        for (const json::value& clip : c.at("clips").get_array()) {
            const json::array& row = clip.get_array();
            const int64_t frames = number(row[0]);
            const auto size = smart_resize_video(frames, {number(row[1]), number(row[2])},
                                                 p.factor(), p.temporal_patch_size,
                                                 p.video_min_pixels, p.video_budget(frames));
            ASSERT_TRUE(size.ok());
            EXPECT_EQ(size->height / p.patch_size, number(row[3].get_array()[1]));
            EXPECT_EQ(size->width / p.patch_size, number(row[3].get_array()[2]));
        }
    }
}

TEST_F(PreprocessorFiles, WhatTransformersSavesGivesNoWarning) {
    size_t num_folders = 0;
    for (const auto& folder : fs::directory_iterator("tests/saved")) {
        if (!folder.is_directory()) continue;
        ++num_folders;
        testing::internal::CaptureStderr();
        const Preprocessor p = Preprocessor::load(folder.path());
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << folder.path();
        EXPECT_EQ(p.image_max_pixels, 16777216) << folder.path();
        EXPECT_EQ(p.video_max_pixels, 25165824) << folder.path();
        EXPECT_EQ(p.std, (std::array<double, 3>{0.5, 0.5, 0.5})) << folder.path();
    }
    EXPECT_EQ(num_folders, 4u);
}

TEST_F(PreprocessorFiles, WhatIsLeftAsideIsTold) {
    const auto told = [&] {
        testing::internal::CaptureStderr();
        Preprocessor::load(dir_);
        return testing::internal::GetCapturedStderr();
    };
    const std::string all = R"("image_mean": 0.5, "image_std": 0.5, "merge_size": 2,
        "patch_size": 16, "temporal_patch_size": 2, "size": {"shortest_edge": 9, "longest_edge": 99})";
    write("preprocessor_config.json", "{" + all + "}");
    write("video_preprocessor_config.json", "{" + all + "}");
    EXPECT_EQ(told(), "");
    write("video_preprocessor_config.json", "{" + all + R"(, "max_pixels": 50, "fpss": 2})");
    const std::string passed = told();
    EXPECT_NE(passed.find("max_pixels is passed over, since size.longest_edge is 99"),
              std::string::npos)
        << passed;
    EXPECT_NE(passed.find("\"fpss\" (did you mean fps?)"), std::string::npos) << passed;
    fs::remove(dir_ / "video_preprocessor_config.json");
    EXPECT_NE(told().find("has no video_preprocessor_config.json: clips are sized by"),
              std::string::npos);
    write("processor_config.json", "{\"image_processor\": {" + all + "}}");
    EXPECT_NE(told().find("preprocessor_config.json is left aside: processor_config.json has an "
                          "image_processor"),
              std::string::npos);
}

TEST_F(PreprocessorFiles, ALinkThatLeadsNowhereIsNamed) {
    write("preprocessor_config.json", "{}");
    fs::create_symlink("gone", dir_ / "video_preprocessor_config.json");
    EXPECT_NE(fault().find("video_preprocessor_config.json: cannot be read"), std::string::npos);
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
             {R"({"size": {"shortest_edge": 9, "longest_edge": 8}})",
              "size.shortest_edge is 9, above size.longest_edge, which is 8."},
             {R"({"size": {"min_pixels": 9, "max_pixels": 8}})",
              "size.min_pixels is 9, above size.max_pixels, which is 8."},
             {R"({"min_pixels": 9, "max_pixels": 8})",
              "min_pixels is 9, above max_pixels, which is 8."},
             {R"({"size": {"shortest_edge": 9, "longest_edge": 10}, "max_pixels": 8})",
              "size.shortest_edge is 9, above max_pixels, which is 8."},
             {R"({"min_pixels": 20000000})",
              "min_pixels is 20000000, above the maximum taken where the file names none, which is "
              "16777216."},
             {R"({"max_pixels": 100})",
              "max_pixels is 100, below the minimum taken where the file names none, which is "
              "65536."},
             {R"({"size": {"shortest_edge": 0, "longest_edge": 9}})", "size.shortest_edge"},
             {R"({"size": {"shortest_edge": 4096}})", "size must have both"},
             {R"({"size": {"max_pixels": 4096}})", "size must have both"},
             {R"({"size": {}})", "size must have both"},
             {R"({"size": {"shortest_edge": 1, "longest_edge": 9, "max_pixels": 9}})",
              "size must have either"},
             {R"({"size": {"height": 64, "width": 64}})",
              "size.height asks for something that Saker does not do (pictures are resized to an "
              "area, not to one size)."},
             {R"({"size": {"shortest_edge": 1, "longest_edgee": 9}})",
              "size.\"longest_edgee\" is not a key that Saker knows (did you mean longest_edge?)"},
             {R"({"size": {"shortest_edge": "1", "longest_edge": 9}})",
              "size.shortest_edge is not an integer."},
             {R"({"image_processor_type": "CLIPImageProcessor"})",
              "image_processor_type is \"CLIPImageProcessor\", whose pixels Saker does not make: "
              "Qwen2VLImageProcessor is known."},
             {R"({"do_rescale": 1})", "do_rescale is not true or false."},
             {R"({"size": 5})", "size"},
             {R"({"image_std": [0.5, 0, 0.5]})", "image_std"},
             {R"({"image_std": [0.5, -1, 0.5]})", "image_std"},
             {R"({"image_std": [0.5, 0.5]})", "image_std"},
             {R"({"image_mean": "x"})", "image_mean"},
             {R"({"rescale_factor": 0})", "rescale_factor"},
             {R"({"do_resize": false})", "do_resize"},
             {R"({"do_normalize": false})", "do_normalize"},
             {R"({"resample": 2})", "resample must be 3: pictures are resized bicubically."},
         }) {
        SCOPED_TRACE(text);
        const std::string sentence = fault_of_image(text);
        EXPECT_EQ(sentence.find(".."), std::string::npos) << sentence;
        EXPECT_NE(sentence.find("preprocessor_config.json: " + std::string(key)), std::string::npos)
            << sentence;
    }
    for (const auto& [text, key] : {
             std::pair{R"({"merge_size": 3})", "merge_size must equal that for images."},
             {R"({"rescale_factor": 1})", "rescale_factor must equal that for images."},
             {R"({"video_processor_type": "Qwen2VLVideoProcessor"})", "video_processor_type is"},
             {R"({"size": {"height": 64, "width": 64}})", "size.height asks for something"},
             {R"({"image_mean": [0, 0, 0]})", "image_mean"},
             {R"({"fps": 0})", "fps"},
             {R"({"min_frames": 0})", "min_frames"},
             {R"({"min_frames": 10, "max_frames": 9})",
              "min_frames makes the least number of frames 10, above the largest, which is 9."},
             {R"({"max_frames": 3})",
              "max_frames makes the least number of frames 4, above the largest, which is 3."},
             {R"({"size": {"longest_edge": 100}})", "size must have both"},
         }) {
        SCOPED_TRACE(text);
        const std::string sentence = fault_of_video(text);
        EXPECT_NE(sentence.find("video_preprocessor_config.json: " + std::string(key)),
                  std::string::npos)
            << sentence;
    }
    write("processor_config.json", R"({"chat_template": "x", "image_processor": {}})");
    EXPECT_NE(
        fault().find("processor_config.json: chat_template asks for something that Saker does "
                     "not do (it belongs in chat_template.jinja)."),
        std::string::npos);
    fs::remove(dir_ / "processor_config.json");
    EXPECT_NE(fault_of_image("{").find("preprocessor_config.json"), std::string::npos);
    EXPECT_NE(fault_of_image("[]").find("preprocessor_config.json"), std::string::npos);
}

TEST(Preprocessor, AnImageAreaIsOverriddenWithinItsRange) {
    const Preprocessor model;
    const auto both = model.with_image_area(2048, 9999);
    ASSERT_TRUE(both.ok());
    EXPECT_EQ(both->image_min_pixels, 2048);
    EXPECT_EQ(both->image_max_pixels, 9999);
    EXPECT_EQ(both->video_min_pixels, model.video_min_pixels);
    EXPECT_EQ(both->video_max_pixels, model.video_max_pixels);
    EXPECT_EQ(model.with_image_area({}, {})->image_max_pixels, model.image_max_pixels);
    EXPECT_EQ(model.with_image_area(1, 1024)->image_max_pixels, 1024);
    EXPECT_EQ(model.with_image_area({}, int64_t{1} << 28)->image_min_pixels,
              model.image_min_pixels);

    const auto fault = [&](std::optional<int64_t> low, std::optional<int64_t> high) {
        const auto result = model.with_image_area(low, high);
        return result ? std::string() : result.error().message;
    };
    EXPECT_EQ(fault({}, 1023),
              "--max-pixels must be from 1024, the area of one token, to 268435456.");
    EXPECT_EQ(fault({}, (int64_t{1} << 28) + 1),
              "--max-pixels must be from 1024, the area of one token, to 268435456.");
    EXPECT_EQ(fault({}, -1), fault({}, 0));
    EXPECT_EQ(fault(0, {}), "--min-pixels must be from 1 to 268435456.");
    EXPECT_EQ(fault(5000, 4000), "--min-pixels 5000 is above --max-pixels 4000.");
    EXPECT_EQ(fault(20'000'000, {}),
              "--min-pixels 20000000 is above the model's maximum of 16777216; give --max-pixels "
              "too.");
    EXPECT_EQ(fault({}, 4096),
              "--max-pixels 4096 is below the model's minimum of 65536; give --min-pixels too.");
}

}  // namespace
}  // namespace saker
