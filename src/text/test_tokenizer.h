// What the tests of this room share: the real tokenizer of the Qwen3 family, loaded once a program,
// Hugging Face's cases for it (both in the shared folder beside the source folder), and random
// text.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "text/tokenizer.h"

namespace saker {

inline constexpr const char* kQwenFolder = "../shared/data/qwen3-tokenizer";

const Tokenizer& qwen_tokenizer();

struct TokenizerCase {
    std::string text, decoded;
    std::vector<TokenId> ids;
};

/// Strings with the ids and the decoded text that Hugging Face gives.
const std::vector<TokenizerCase>& tokenizer_cases();

/// Text number `index` of an endless series: words, blanks of all kinds, contractions, digits,
/// marks, Hangul, emoji, Chinese, and arbitrary assigned characters, joined at random.
std::string random_text(uint64_t index);

std::vector<TokenId> ids_of(std::initializer_list<int32_t> values);
std::vector<int32_t> values_of(const std::vector<TokenId>& ids);

}  // namespace saker
