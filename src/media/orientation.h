// EXIF orientation: finding it, and turning a picture as it says. Used by the decoders.
#pragma once

#include <cstdint>
#include <span>

#include "media/image.h"

namespace saker {

/// The orientation, 1 to 8, in an EXIF block (a TIFF header and its first directory, with or
/// without "Exif\0\0" before it). 1 where there is none or the block is damaged.
int exif_orientation(std::span<const uint8_t> exif);

/// The picture as it is to be seen: 2 mirrors, 3 turns by half, 4 flips, 5 to 8 also swap the
/// sides.
Image turn_upright(Image image, int orientation);

}  // namespace saker
