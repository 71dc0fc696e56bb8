// natural_order: file names in the order in which a person would put them.
//
// Runs of the digits 0 to 9 compare as numbers of any length, all else byte by byte, so that
// frame_30 stands before frame_120. Whatever orders files of people uses it: the frames of a clip,
// shards, reference cases. tools/natural_order.py is the same order for the Python tools: change
// both together.
#pragma once

#include <string_view>

namespace saker {

/// Negative, 0 or positive as `a` stands before, at or behind `b`. Names that differ in leading
/// zeros alone stand by length, the shorter first, so that only equal names compare as 0.
int compare_naturally(std::string_view a, std::string_view b);

/// The same as a less-than, for std::sort.
inline bool naturally_before(std::string_view a, std::string_view b) {
    return compare_naturally(a, b) < 0;
}

}  // namespace saker
