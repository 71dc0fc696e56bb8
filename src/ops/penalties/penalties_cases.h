// Shapes that penalties is tested and timed on: real vocabularies, and odd and empty ones.
#pragma once

#include <cstdint>

namespace saker {

struct PenaltiesCase {
    const char* name;
    int64_t S, V, N;    // N: tokens of all histories
    int64_t different;  // ids are drawn below this
    float repetition, presence, frequency;
};

inline constexpr PenaltiesCase kPenaltiesCases[] = {
    {"recommended for 30B", 3, 151936, 6000, 3000, 1.0f, 1.5f, 0.0f},
    {"all three, long", 2, 151936, 20000, 151936, 1.2f, 0.5f, 0.3f},
    {"repetition alone", 5, 999, 300, 999, 1.1f, 0.0f, 0.0f},
    {"frequency alone, few ids", 7, 37, 500, 3, 1.0f, 0.0f, -0.7f},
    {"ids outside the vocabulary", 3, 11, 60, 40, 1.3f, 0.2f, 0.1f},
    {"all off", 3, 64, 60, 64, 1.0f, 0.0f, 0.0f},
    {"one token in the vocabulary", 2, 1, 9, 1, 1.5f, 1.0f, 1.0f},
    {"no history", 3, 64, 0, 1, 1.5f, 1.0f, 1.0f},
    {"no rows", 0, 64, 0, 1, 1.5f, 1.0f, 1.0f},
};

}  // namespace saker
