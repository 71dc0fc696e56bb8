// What the tests of this room and the fuzz test share: pictures drawn by formula, checksums, files
// and the reference.
//
// draw() is the formula of tools/export_media_reference.py: change both together. Tests run in the
// source folder, so paths are relative to it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "json/json.h"
#include "media/image.h"

namespace saker {

/// Ramps, noise and hard black-and-white speckle in tiles.
inline Image draw(int64_t height, int64_t width, uint32_t seed) {
    Image image{width, height, std::vector<uint8_t>(3 * width * height)};
    uint8_t* out = image.rgb.data();
    for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < width; ++x) {
            for (uint32_t c = 0; c < 3; ++c) {
                uint32_t h = x * 0x9E3779B1u ^ y * 0x85EBCA77u ^ c * 0xC2B2AE3Du;
                h ^= seed * 0x27D4EB2Fu;
                h ^= h >> 15;
                h *= 0x2C1B3C6Du;
                h ^= h >> 12;
                const uint32_t saw = (x * (5 + c) + y * (3 + 2 * c)) & 511;
                const uint32_t ramp = saw < 256 ? saw : 511 - saw;
                const uint32_t tile = (x / 7 + y / 5 + seed) & 3;
                *out++ = static_cast<uint8_t>(tile == 0   ? (h & 1) * 255
                                              : tile == 1 ? h & 255
                                                          : ramp);
            }
        }
    }
    return image;
}

/// CRC-32 as zlib and PNG use it.
inline uint32_t crc32(std::span<const uint8_t> bytes) {
    static const std::array<uint32_t, 256> kTable = [] {
        std::array<uint32_t, 256> table;
        for (uint32_t i = 0; i < 256; ++i) {
            uint32_t v = i;
            for (int bit = 0; bit < 8; ++bit) v = v & 1 ? v >> 1 ^ 0xEDB88320u : v >> 1;
            table[i] = v;
        }
        return table;
    }();
    uint32_t crc = 0xFFFFFFFFu;
    for (uint8_t b : bytes) crc = crc >> 8 ^ kTable[(crc ^ b) & 255];
    return ~crc;
}

/// Writes an integer of `size` bytes.
inline void put(std::vector<uint8_t>& b, size_t at, uint64_t value, int size, bool big_endian) {
    for (int i = 0; i < size; ++i)
        b[at + static_cast<size_t>(i)] =
            static_cast<uint8_t>(value >> 8 * (big_endian ? size - 1 - i : i));
}

/// Makes the checksums of a PNG right, as far as its chunks fit, so that a reader gets past them.
inline void fix_png_checksums(std::vector<uint8_t>& b) {
    for (size_t at = 8; at + 12 <= b.size();) {
        const size_t size = size_t{b[at]} << 24 | size_t{b[at + 1]} << 16 | size_t{b[at + 2]} << 8 |
                            size_t{b[at + 3]};
        if (size > b.size() - at - 12) return;
        put(b, at + 8 + size, crc32({b.data() + at + 4, size + 4}), 4, true);
        at += 12 + size;
    }
}

inline std::vector<uint8_t> read_bytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot open " + path.string());
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::vector<uint8_t> read_picture(const std::string& name) {
    return read_bytes("tests/media/" + name);
}

/// One of the two lists in tests/media/reference.json, "resizes" or "pictures"; the latter with the
/// BMP files, which have a reference of their own.
inline json::array read_reference(std::string_view list) {
    const auto read = [&](const char* file) {
        return read_json_file(std::string("tests/media/") + file).at(list).as_array();
    };
    json::array items = read("reference.json");
    if (list == "pictures")
        for (const auto& item : json::array(read("bmp_reference.json"))) items.push_back(item);
    return items;
}

}  // namespace saker
