// Arbitrary bytes as base64: refused, or read so that what is written anew reads the same and is as
// long as the standard says; and arbitrary bytes written, which come back.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/base64.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace saker;
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    if (const auto decoded = decode_base64(text)) {
        CHECK(decoded->size() <= size / 4 * 3 + 2, "four letters are three bytes");
        const std::string again = encode_base64(*decoded);
        CHECK(again.size() == (decoded->size() + 2) / 3 * 4, "padding fills the last four");
        CHECK(decode_base64(again) == *decoded, "what is written reads the same");
    }
    const std::vector<uint8_t> plain(bytes, bytes + size);
    CHECK(decode_base64(encode_base64(plain)) == plain, "every byte comes back");
    return 0;
}
