// A photo of 12 megapixels on its way to the vision tower, on one core: decode, resize, patches,
// and all of it. Each row says its share of a ceiling measured in the same run: libjpeg alone into
// a warm buffer for what decodes; for what resizes and cuts, a memcpy between warm buffers that
// moves as many bytes as must be read and written.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
#include <jpeglib.h>
}

#include "base/rng.h"
#include "media/decode.h"
#include "media/patches.h"

namespace saker::bench {
namespace {

constexpr int64_t kWidth = 4000, kHeight = 3000;

// Soft shapes, fine texture and sensor noise: at quality 90 about as large as a camera's file.
const Image& photo() {
    static const Image kPhoto = [] {
        Image image{kWidth, kHeight, std::vector<uint8_t>(3 * kWidth * kHeight)};
        const Rng rng("photo");
        std::vector<float> noise(1 << 16);
        for (size_t i = 0; i < noise.size(); ++i) noise[i] = rng.normal(i);
        for (int64_t y = 0; y < kHeight; ++y) {
            uint8_t* out = image.row(y);
            for (int64_t x = 0; x < kWidth; ++x) {
                const float fx = static_cast<float>(x), fy = static_cast<float>(y);
                const float shape = 55 * std::sin(fx * 0.004f + 2 * std::sin(fy * 0.003f));
                const float texture = 14 * std::sin(fx * 0.31f + fy * 0.13f) * std::sin(fy * 0.05f);
                const float grain = 8 * noise[static_cast<size_t>(x * 7 + y * 40009) & 0xFFFF];
                for (int c = 0; c < 3; ++c)
                    *out++ = static_cast<uint8_t>(std::clamp(
                        118 + shape * (1 - 0.3f * static_cast<float>(c)) + texture + grain, 0.0f,
                        255.0f));
            }
        }
        return image;
    }();
    return kPhoto;
}

const std::vector<uint8_t>& photo_file() {
    static const std::vector<uint8_t> kFile = [] {
        jpeg_compress_struct jpeg{};
        jpeg_error_mgr errors{};
        jpeg.err = jpeg_std_error(&errors);
        jpeg_create_compress(&jpeg);
        unsigned char* bytes = nullptr;
        unsigned long size = 0;
        jpeg_mem_dest(&jpeg, &bytes, &size);
        jpeg.image_width = kWidth;
        jpeg.image_height = kHeight;
        jpeg.input_components = 3;
        jpeg.in_color_space = JCS_RGB;
        jpeg_set_defaults(&jpeg);
        jpeg_set_quality(&jpeg, 90, TRUE);
        jpeg_start_compress(&jpeg, TRUE);
        while (jpeg.next_scanline < jpeg.image_height) {
            JSAMPROW row = const_cast<uint8_t*>(photo().row(jpeg.next_scanline));
            jpeg_write_scanlines(&jpeg, &row, 1);
        }
        jpeg_finish_compress(&jpeg);
        std::vector<uint8_t> file(bytes, bytes + size);
        jpeg_destroy_compress(&jpeg);
        std::free(bytes);
        std::fprintf(stderr, "photo: %ld x %ld, JPEG of %.1f MB\n", kWidth, kHeight,
                     static_cast<double>(file.size()) * 1e-6);
        return file;
    }();
    return kFile;
}

void libjpeg_alone(uint8_t* out) {
    jpeg_decompress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, photo_file().data(), photo_file().size());
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_RGB;
    jpeg.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&jpeg);
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = out + 3 * kWidth * jpeg.output_scanline;
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
}

// Time that the calling thread computed, in ms: waiting for a core is not our doing.
double thread_ms() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

template <class Body>
double best_ms(Body body) {
    double best = 1e30;
    for (int i = 0; i < 7; ++i) {
        const double begin = thread_ms();
        body();
        best = std::min(best, thread_ms() - begin);
    }
    return best;
}

double libjpeg_ms() {
    static const double kMs = [] {
        std::vector<uint8_t> out(3 * kWidth * kHeight);
        photo_file();
        return best_ms([&] { libjpeg_alone(out.data()); });
    }();
    return kMs;
}

double memcpy_ms(int64_t num_bytes) {
    std::vector<uint8_t> from(static_cast<size_t>(num_bytes), 1), to(from.size(), 2);
    return best_ms([&] {
        std::memcpy(to.data(), from.data(), from.size());
        benchmark::DoNotOptimize(to.data());
    });
}

// Times `body` and reports the best: on a shared machine the mean is the neighbours' doing.
template <class Body>
void report(benchmark::State& state, const char* ceiling, double ceiling_ms, Body body) {
    double best = 1e30;
    for (auto _ : state) {
        const double begin = thread_ms();
        body();
        best = std::min(best, thread_ms() - begin);
    }
    state.counters["best_ms"] = best;
    state.counters[ceiling] = ceiling_ms / best;
}

void media_decode_12mp_jpeg(benchmark::State& state) {
    report(state, "of_libjpeg", libjpeg_ms(), [] {
        const auto image = decode_image(photo_file());
        benchmark::DoNotOptimize(image->rgb.data());
    });
}
BENCHMARK(media_decode_12mp_jpeg)->Unit(benchmark::kMillisecond);

void media_patches(benchmark::State& state, Size size, int64_t max_pixels, Resample resample) {
    ThreadPool pool(1);
    Preprocessor preprocessor;
    preprocessor.image_max_pixels = max_pixels;
    Image image = photo();
    image.height = size.height;
    image.width = size.width;
    image.rgb.resize(static_cast<size_t>(3 * size.height * size.width));
    const auto out = *smart_resize(size, preprocessor.factor(), preprocessor.image_min_pixels,
                                   preprocessor.image_max_pixels);
    report(state, "of_memcpy",
           memcpy_ms((3 * size.height * size.width + 6 * out.height * out.width) / 2), [&] {
               const auto patches = image_patches(image, preprocessor, resample, pool);
               benchmark::DoNotOptimize(patches->pixels.data());
           });
}
// To 3008 x 4000: the vertical pass alone. To 2 megapixels: both passes, ten times fewer patches.
BENCHMARK_CAPTURE(media_patches, 12mp, Size{kHeight, kWidth}, 16777216, Resample::torch)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(media_patches, 12mp_no_resize, Size{2976, kWidth}, 16777216, Resample::torch)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(media_patches, 12mp_to_2mp, Size{kHeight, kWidth}, 2097152, Resample::torch)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(media_patches, 12mp_to_2mp_pillow, Size{kHeight, kWidth}, 2097152,
                  Resample::pillow)
    ->Unit(benchmark::kMillisecond);

void media_file_to_patches_12mp(benchmark::State& state) {
    ThreadPool pool(1);
    report(state, "of_libjpeg", libjpeg_ms(), [&] {
        const auto image = decode_image(photo_file());
        const auto patches = image_patches(*image, Preprocessor(), Resample::torch, pool);
        benchmark::DoNotOptimize(patches->pixels.data());
    });
}
BENCHMARK(media_file_to_patches_12mp)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace saker::bench
