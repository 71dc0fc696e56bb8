// Arbitrary bytes as a picture: refused in words of ours, or a picture of the promised size that
// can be cut into patches. A PNG is tried once more with its checksums made right, since hardly a
// mutation gets past them otherwise.
#include <cstdint>
#include <span>

#include "base/check.h"
#include "media/decode.h"
#include "media/patches.h"
#include "media/test_pictures.h"

namespace saker {
namespace {

void decode(std::span<const uint8_t> bytes, ThreadPool& pool) {
    DecodeOptions options;
    options.max_pixels = 1'000'000;
    options.alpha =
        bytes.size() % 2 == 0 ? DecodeOptions::Alpha::white : DecodeOptions::Alpha::drop;
    const auto header = read_image_header(bytes);
    const auto image = decode_image(bytes, options);
    if (!image.ok()) {
        CHECK(image.error().message.starts_with("The image "), "a fault is one sentence of ours");
        return;
    }
    CHECK(header.ok(), "what can be decoded has a header");
    CHECK(image->width * image->height == header->width * header->height &&
              (image->width == header->width || image->width == header->height),
          "the picture has the size that its header says");
    CHECK(static_cast<int64_t>(image->rgb.size()) == 3 * image->width * image->height,
          "a picture is dense");
    Preprocessor preprocessor;
    preprocessor.image_min_pixels = 1024;
    preprocessor.image_max_pixels = 16384;
    const auto patches = image_patches(*image, preprocessor, Resample::torch, pool);
    CHECK(!patches.ok() || patches->num_tokens() >= 1, "a picture has a token");
}

}  // namespace
}  // namespace saker

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    static saker::ThreadPool pool(1);
    saker::decode({bytes, size}, pool);
    if (size > 8 && bytes[0] == 0x89) {
        std::vector<uint8_t> mended(bytes, bytes + size);
        saker::fix_png_checksums(mended);
        saker::decode(mended, pool);
    }
    return 0;
}
