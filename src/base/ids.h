// Distinct integer types for ids, so that swapping two of them does not compile.
//
// An Id has the size and layout of its integer: a vector of TokenId can be viewed as a tensor of
// i32.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace saker {

template <class Tag, class Int>
struct Id {
    Int value{};

    constexpr Id() = default;
    constexpr explicit Id(Int v) : value(v) {}
    constexpr auto operator<=>(const Id&) const = default;
};

using TokenId = Id<struct TokenTag, int32_t>;  // a row of the embedding table
using PageId = Id<struct PageTag, int32_t>;    // a page of the KV cache
using SeqId = Id<struct SeqTag, uint64_t>;     // one answer in the making; never reused

}  // namespace saker

template <class Tag, class Int>
struct std::hash<saker::Id<Tag, Int>> {
    size_t operator()(saker::Id<Tag, Int> id) const noexcept { return std::hash<Int>()(id.value); }
};
