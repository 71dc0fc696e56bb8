// std::from_chars reads as strictly as is wanted; what it leaves over is a fault.
#include "app/strict_number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/utf8.h"

namespace saker {
namespace {

template <class Number>
bool read_all(std::string_view text, Number& number) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end;
}

}  // namespace

template <class Whole>
Result<Whole> parse_whole(std::string_view text, Whole low, Whole high) {
    Whole number = 0;
    if (!read_all(text, number) || number < low || number > high)
        return Error{ErrorCode::invalid_value,
                     fmt::format("{} is not a whole number from {} to {}.", quote(text), low, high),
                     ""};
    return number;
}

template Result<int> parse_whole(std::string_view, int, int);
template Result<int64_t> parse_whole(std::string_view, int64_t, int64_t);
template Result<uint64_t> parse_whole(std::string_view, uint64_t, uint64_t);

Result<double> parse_real(std::string_view text, const RealRange& range) {
    double number = 0;
    const bool read = read_all(text, number) && std::isfinite(number);
    if (!read || number > range.high || number < range.low ||
        (range.above_low && number == range.low))
        return Error{
            ErrorCode::invalid_value,
            quote(text) +
                (range.above_low
                     ? fmt::format(" is not a number above {}, up to {}.", range.low, range.high)
                     : fmt::format(" is not a number from {} to {}.", range.low, range.high)),
            ""};
    return number;
}

}  // namespace saker
