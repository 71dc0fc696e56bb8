// Both directions of the table; characters from U+0100 on are counted in the order of their bytes.
#include "text/byte_letters.h"

#include "base/utf8.h"

namespace saker {
namespace {

bool is_visible(unsigned byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

}  // namespace

std::array<char32_t, 256> byte_letters() {
    std::array<char32_t, 256> letters{};
    char32_t next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) letters[byte] = is_visible(byte) ? byte : next++;
    return letters;
}

bool read_byte_letters(std::string_view letters, std::string& bytes) {
    static const std::array<int16_t, 0x200> kByteOf = [] {
        std::array<int16_t, 0x200> byte_of{};
        byte_of.fill(-1);
        const auto all = byte_letters();
        for (size_t byte = 0; byte < 256; ++byte) byte_of[all[byte]] = static_cast<int16_t>(byte);
        return byte_of;
    }();
    bytes.clear();
    while (!letters.empty()) {
        const Decoded d = decode_utf8(letters);
        if (!d.valid || d.code_point >= kByteOf.size() || kByteOf[d.code_point] < 0) return false;
        bytes += static_cast<char>(kByteOf[d.code_point]);
        letters.remove_prefix(d.size);
    }
    return true;
}

}  // namespace saker
