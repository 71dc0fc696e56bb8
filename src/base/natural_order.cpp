// Digits are compared where they stand: a number may be longer than any integer type.
#include "base/natural_order.h"

#include <cstddef>

namespace saker {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The run of digits at the front, which leaves `rest`; without its leading zeros.
std::string_view take_number(std::string_view& rest) {
    size_t size = 0;
    while (size < rest.size() && is_digit(rest[size])) ++size;
    std::string_view number = rest.substr(0, size);
    rest.remove_prefix(size);
    while (!number.empty() && number.front() == '0') number.remove_prefix(1);
    return number;
}

int compare_sizes(size_t a, size_t b) {
    return a < b ? -1 : a > b ? 1 : 0;
}

}  // namespace

int compare_naturally(std::string_view a, std::string_view b) {
    std::string_view x = a, y = b;
    while (!x.empty() && !y.empty()) {
        if (is_digit(x[0]) && is_digit(y[0])) {
            const std::string_view m = take_number(x), n = take_number(y);
            if (const int sizes = compare_sizes(m.size(), n.size())) return sizes;
            if (const int digits = m.compare(n)) return digits;
            continue;
        }
        if (x[0] != y[0])
            return static_cast<unsigned char>(x[0]) < static_cast<unsigned char>(y[0]) ? -1 : 1;
        x.remove_prefix(1);
        y.remove_prefix(1);
    }
    if (x.empty() != y.empty()) return x.empty() ? -1 : 1;
    if (const int sizes = compare_sizes(a.size(), b.size())) return sizes;
    return a.compare(b);
}

}  // namespace saker
