// The real tokenizer of the Qwen3 family, loaded once for all tests of a program, and its cases.
//
// Both come from the shared data folder beside the source folder.
#pragma once

#include <string>
#include <vector>

#include "json/json.h"
#include "text/tokenizer.h"

namespace saker {

inline constexpr const char* kQwenFolder = "../shared/data/qwen3-tokenizer";

inline const Tokenizer& qwen_tokenizer() {
    static const Tokenizer tokenizer =
        Tokenizer::load(std::string(kQwenFolder) + "/tokenizer.json");
    return tokenizer;
}

struct TokenizerCase {
    std::string text, decoded;
    std::vector<TokenId> ids;
};

/// Strings with the ids and the decoded text that Hugging Face gives.
std::vector<TokenizerCase> tokenizer_cases();

inline std::vector<TokenId> ids_of(std::initializer_list<int32_t> values) {
    std::vector<TokenId> ids;
    for (const int32_t value : values) ids.emplace_back(value);
    return ids;
}

inline std::vector<int32_t> values_of(const std::vector<TokenId>& ids) {
    std::vector<int32_t> values;
    for (const TokenId id : ids) values.push_back(id.value);
    return values;
}

}  // namespace saker
