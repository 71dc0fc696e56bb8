// Three bytes are four letters of six bits.
#include "base/base64.h"

#include <algorithm>
#include <array>

namespace saker {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kBlank = 64, kPad = 65, kWrong = 66;

constexpr std::array<uint8_t, 256> make_values() {
    std::array<uint8_t, 256> values{};
    for (uint8_t& value : values) value = kWrong;
    for (size_t i = 0; i < kLetters.size(); ++i)
        values[static_cast<uint8_t>(kLetters[i])] = static_cast<uint8_t>(i);
    values['-'] = 62;
    values['_'] = 63;
    values['='] = kPad;
    for (char c : {' ', '\t', '\r', '\n'}) values[static_cast<uint8_t>(c)] = kBlank;
    return values;
}
constexpr std::array<uint8_t, 256> kValues = make_values();

}  // namespace

std::string encode_base64(std::span<const uint8_t> bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        const size_t n = std::min<size_t>(3, bytes.size() - i);
        uint32_t group = 0;
        for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? bytes[i + k] : 0u);
        for (size_t k = 0; k < 4; ++k) out += k <= n ? kLetters[group >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

std::optional<std::vector<uint8_t>> decode_base64(std::string_view text) {
    std::vector<uint8_t> out;
    out.reserve(text.size() / 4 * 3 + 2);
    uint32_t group = 0;
    size_t letters = 0, pads = 0;
    for (char c : text) {
        const uint8_t value = kValues[static_cast<uint8_t>(c)];
        if (value == kBlank) continue;
        if (value == kPad) {
            ++pads;
            continue;
        }
        if (value == kWrong || pads > 0) return std::nullopt;
        group = group << 6 | value;
        if (++letters % 4 == 0) {
            for (int shift : {16, 8, 0}) out.push_back(static_cast<uint8_t>(group >> shift));
            group = 0;
        }
    }
    const size_t rest = letters % 4;
    if (rest == 1 || (pads > 0 && (rest == 0 || rest + pads != 4))) return std::nullopt;
    // What is left over of the last letter must be zero, or two texts would be one.
    if (rest == 2) {
        if (group & 15) return std::nullopt;
        out.push_back(static_cast<uint8_t>(group >> 4));
    } else if (rest == 3) {
        if (group & 3) return std::nullopt;
        out.push_back(static_cast<uint8_t>(group >> 10));
        out.push_back(static_cast<uint8_t>(group >> 2));
    }
    return out;
}

}  // namespace saker
