// The two passes of a resize over whole rows, in SIMD. Used by resize.cpp alone.
//
// Sums are exact integers, so every CPU gives the same bytes. Weights come as in ResizePlan::Axis:
// the output is clip((half + sum of weight * byte) >> shift) with half = 2^(shift - 1).
#pragma once

#include <cstdint>

#include "media/resize.h"

namespace saker {

/// Rows of RGB, `width_in` pixels each, to as many rows of as many pixels as `axis` has outputs.
void horizontal_pass(const ResizePlan::Axis& axis, int64_t width_in, int64_t num_rows,
                     const uint8_t* const* in, uint8_t* const* out);

/// One row of `num_bytes` from rows in[0 .. axis.count[y]) of the same length.
void vertical_pass(const ResizePlan::Axis& axis, int64_t y, const uint8_t* const* in,
                   int64_t num_bytes, uint8_t* out);

}  // namespace saker
