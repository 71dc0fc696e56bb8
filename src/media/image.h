// Image: a decoded picture, RGB, one byte a channel.
//
// Made by decode.h and resize.h, consumed by patches.h. Dense, row-major, so that a row is
// 3 * width bytes and `rgb` is 3 * width * height.
#pragma once

#include <cstdint>
#include <vector>

namespace saker {

struct Image {
    int64_t width = 0, height = 0;
    std::vector<uint8_t> rgb;  // [height, width, 3]

    const uint8_t* row(int64_t y) const { return rgb.data() + 3 * width * y; }
    uint8_t* row(int64_t y) { return rgb.data() + 3 * width * y; }
};

}  // namespace saker
