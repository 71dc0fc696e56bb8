// The pictures of the golden cases against the pixel values that transformers computed from them:
// decode, resize and patches in one, and the frame groups of the clips.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "media/decode.h"
#include "media/patches.h"
#include "media/test_pictures.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

// Models as transformers 5 saves them, each with its cases: the repository's tiny ones, and more
// where a folder `shared` stands beside it.
std::vector<fs::path> joint_models() {
    std::vector<fs::path> folders = {"tests/golden/tiny-moe", "tests/golden/tiny-dense"};
    for (const char* more : {"../shared/goldens/moe-a", "../shared/goldens/dense-a"})
        if (fs::exists(more)) folders.push_back(more);
    return folders;
}

struct Golden {
    std::vector<int64_t> shape;
    std::vector<float> values;  // of f32 tensors
    std::vector<int64_t> integers;
};

// One tensor of a safetensors file, nothing where it has none of that name.
std::optional<Golden> read_golden(const std::vector<uint8_t>& file, std::string_view name) {
    uint64_t header_size;
    std::memcpy(&header_size, file.data(), 8);
    const auto text = std::string_view(reinterpret_cast<const char*>(file.data()) + 8, header_size);
    const json::object header = parse_json(text, "golden.safetensors")->as_object();
    const auto* entry = header.if_contains(name);
    if (entry == nullptr) return {};
    const JsonReader reader(entry->as_object(), "golden.safetensors");
    const auto offsets = reader.integers("data_offsets");
    const uint8_t* start = file.data() + 8 + header_size + offsets[0];
    const size_t size = static_cast<size_t>(offsets[1] - offsets[0]);
    Golden golden{reader.integers("shape"), {}, {}};
    if (reader.string("dtype") == "I64") {
        golden.integers.resize(size / 8);
        std::memcpy(golden.integers.data(), start, size);
    } else {
        golden.values.resize(size / 4);
        std::memcpy(golden.values.data(), start, size);
    }
    return golden;
}

std::vector<Image> read_images(const fs::path& folder, const std::string& stem, int digits) {
    std::vector<Image> images;
    for (int i = 0;; ++i) {
        std::string number = std::to_string(i);
        while (static_cast<int>(number.size()) < digits) number.insert(0, "0");
        const fs::path path = folder / (stem + number + ".png");
        if (!fs::exists(path)) return images;
        auto image = decode_image(read_bytes(path));
        if (!image) throw std::runtime_error("cannot decode " + path.string());
        images.push_back(std::move(*image));
    }
}

// Items one after the other must be the golden's rows, level by level.
void expect_pixels(const std::vector<Patches>& items, const Golden& want, const Golden& grid) {
    size_t at = 0, wrong = 0;
    double worst = 0;
    ASSERT_EQ(grid.integers.size(), items.size() * 3);
    for (size_t i = 0; i < items.size(); ++i) {
        EXPECT_EQ(grid.integers[3 * i], items[i].grid_t);
        EXPECT_EQ(grid.integers[3 * i + 1], items[i].grid_h);
        EXPECT_EQ(grid.integers[3 * i + 2], items[i].grid_w);
        for (const uint8_t level : items[i].pixels) {
            ASSERT_LT(at, want.values.size());
            const double off = std::fabs(want.values[at++] * 127.5 + 127.5 - level);
            wrong += off > 0.01;
            worst = std::max(worst, off);
        }
    }
    EXPECT_EQ(at, want.values.size());
    EXPECT_EQ(wrong, 0u) << "of " << at << ", the worst by " << worst << " levels";
}

TEST(GoldenPixels, EveryCase) {
    ThreadPool pool(2);
    int count = 0;
    for (const fs::path& model : joint_models()) {
        const Preprocessor preprocessor = Preprocessor::load(model);
        for (const auto& folder : fs::directory_iterator(model / "cases")) {
            SCOPED_TRACE(folder.path().string());
            const auto file = read_bytes(folder.path() / "golden.safetensors");
            if (const auto want = read_golden(file, "pixel_values")) {
                std::vector<Patches> items;
                for (const Image& image : read_images(folder.path(), "image", 1))
                    items.push_back(*image_patches(image, preprocessor, Resample::torch, pool));
                expect_pixels(items, *want, read_golden(file, "image_grid_thw").value());
                ++count;
            }
            if (const auto want = read_golden(file, "pixel_values_videos")) {
                const auto frames = read_images(folder.path(), "frame", 3);
                const json::object about = read_json_file(folder.path() / "case.json");
                const double fps = JsonReader(about, "case.json").number("fps");
                std::vector<double> times;
                for (size_t i = 0; i < frames.size(); ++i)
                    times.push_back(static_cast<double>(i) / fps);
                const auto patches =
                    video_patches(frames, times, preprocessor, Resample::torch, pool);
                ASSERT_TRUE(patches.ok());
                expect_pixels({*patches}, *want, read_golden(file, "video_grid_thw").value());
                ++count;
            }
        }
    }
    EXPECT_GE(count, 6);
}

TEST(GoldenPixels, BothFormsOfTheFilesSayTheSame) {
    const Preprocessor joint = Preprocessor::load("tests/golden/tiny-moe");
    const Preprocessor released = Preprocessor::load("tests/golden/tiny-moe-release");
    EXPECT_EQ(joint.image_min_pixels, 2048);
    EXPECT_EQ(joint.image_max_pixels, 8192);
    EXPECT_EQ(joint.video_min_pixels, 2048);
    EXPECT_EQ(joint.video_max_pixels, 16384);
    EXPECT_EQ(joint.image_min_pixels, released.image_min_pixels);
    EXPECT_EQ(joint.image_max_pixels, released.image_max_pixels);
    EXPECT_EQ(joint.video_min_pixels, released.video_min_pixels);
    EXPECT_EQ(joint.video_max_pixels, released.video_max_pixels);
    EXPECT_EQ(joint.patch_size, released.patch_size);
    EXPECT_EQ(joint.rescale, released.rescale);
    EXPECT_EQ(joint.mean, released.mean);
    EXPECT_EQ(joint.std, released.std);
}

}  // namespace
}  // namespace saker
