// Shapes that logit_bias is tested and timed on: real vocabularies, and odd and empty ones.
#pragma once

#include <cstdint>

namespace saker {

struct LogitBiasCase {
    const char* name;
    int64_t S, V, N;    // N: entries of all rows
    int64_t different;  // ids are drawn below this
    bool bans;          // every third entry is -inf
};

inline constexpr LogitBiasCase kLogitBiasCases[] = {
    {"a few biases", 4, 151936, 30, 151936, false},
    {"half of a vocabulary banned", 2, 151936, 151936, 151936, true},
    {"the same ids again and again", 5, 999, 400, 3, false},
    {"biases and bans on the same ids", 7, 37, 300, 5, true},
    {"ids outside the vocabulary", 3, 11, 60, 40, true},
    {"one token in the vocabulary", 2, 1, 9, 1, false},
    {"no entries", 3, 64, 0, 1, false},
    {"no rows", 0, 64, 0, 1, false},
};

}  // namespace saker
