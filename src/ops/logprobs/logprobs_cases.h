// Rows that logprobs is tested and timed on: the models' vocabulary, ties, and odd sizes.
#pragma once

#include <cstdint>

namespace saker {

struct LogprobsCase {
    const char* name;
    int64_t S, V, A;  // A = 0: the chosen one alone
    float scale;      // deviation of the logits
    bool is_tied;     // logits rounded to bf16, as the models' are: many are equal
};

inline constexpr LogprobsCase kLogprobsCases[] = {
    {"one row, top 20", 1, 151936, 20, 3.0f, true},
    {"a batch, top 5", 2, 151936, 5, 3.0f, true},
    {"the chosen one alone", 2, 151936, 0, 3.0f, false},
    {"sharp", 2, 151936, 20, 30.0f, false},
    {"flat and tied", 1, 151936, 20, 1e-6f, true},
    {"tiny vocabulary", 19, 512, 20, 1.0f, true},
    {"odd vocabulary", 5, 203, 7, 2.0f, true},
    {"less than a vector", 4, 3, 2, 1.0f, false},
    {"all of them", 4, 37, 37, 1.0f, false},
    {"one token", 3, 1, 1, 1.0f, false},
    {"no rows", 0, 100, 5, 1.0f, false},
};

}  // namespace saker
