// Strict numbers: a word of the command line is a number of a range as a whole, or an Error that
// quotes it and names the range. No hexadecimal, no sign or blank in front, nothing behind; a whole
// number has no exponent and no point, and what is too large never wraps.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace saker {

/// `int`, `int64_t` or `uint64_t`, from `low` to `high`.
template <class Whole>
Result<Whole> parse_whole(std::string_view text, Whole low, Whole high);

/// Which numbers a real parameter takes.
struct RealRange {
    double low, high;
    bool above_low = false;  // `low` itself is not in it
};

/// A decimal number of the range; never a NaN, never infinite. An exponent may stand: 1e-3.
Result<double> parse_real(std::string_view text, const RealRange& range);

}  // namespace saker
