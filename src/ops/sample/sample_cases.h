// Rows that sample is tested and timed on: the models' vocabulary under the usual settings, flat
// and tied distributions, and odd sizes.
#pragma once

#include <cstdint>

namespace saker {

struct SampleCase {
    const char* name;
    int64_t S, V;
    float scale;   // deviation of the logits
    bool is_tied;  // logits rounded to bf16, as the models' are: many are equal
    float temperature;
    int64_t top_k;
    float top_p, min_p;
};

inline constexpr SampleCase kSampleCases[] = {
    {"greedy", 2, 151936, 3.0f, true, 0.0f, 0, 1.0f, 0.0f},
    {"Instruct's settings", 2, 151936, 3.0f, true, 0.7f, 20, 0.8f, 0.0f},
    {"Thinking's settings", 2, 151936, 3.0f, false, 1.0f, 20, 0.95f, 0.0f},
    {"OpenAI's settings", 2, 151936, 3.0f, true, 1.0f, 0, 1.0f, 0.0f},
    {"top-p alone", 2, 151936, 3.0f, true, 0.8f, 0, 0.9f, 0.0f},
    {"min-p alone", 2, 151936, 2.0f, false, 1.2f, 0, 1.0f, 0.05f},
    {"flat", 2, 151936, 0.01f, false, 2.0f, 0, 0.999f, 0.0f},
    {"flat and tied", 2, 151936, 1e-6f, true, 1.0f, 50, 1.0f, 0.0f},
    {"top-k of thousands", 2, 151936, 1.0f, true, 1.0f, 5000, 0.99f, 0.001f},
    {"wide top-k", 3, 151936, 1.0f, true, 1.0f, 64, 1.0f, 0.0f},
    {"cold", 8, 9999, 3.0f, true, 0.01f, 0, 1.0f, 0.0f},
    {"tiny vocabulary", 40, 512, 1.0f, true, 1.0f, 20, 0.9f, 0.01f},
    {"odd vocabulary", 40, 67, 1.0f, true, 1.0f, 0, 1.0f, 0.0f},
    {"less than a block", 40, 37, 1.0f, false, 1.0f, 36, 0.9f, 0.0f},
    {"top-k above the vocabulary", 40, 37, 1.0f, false, 1.0f, 1000, 1.0f, 0.0f},
    {"one token", 5, 1, 1.0f, false, 1.0f, 5, 0.5f, 0.5f},
    {"no rows", 0, 100, 1.0f, false, 1.0f, 5, 0.5f, 0.5f},
};

}  // namespace saker
