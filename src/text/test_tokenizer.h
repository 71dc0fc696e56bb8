// What the tests of this room share: tokenizers, each loaded once a program, with Hugging Face's
// cases for them, and random text.
//
// The repository's own tokenizer is always there (tools/make_test_tokenizer.py made it). The real
// one of the Qwen3 family, 11 MB, comes on top where a folder `shared` stands beside the source
// folder.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "text/tokenizer.h"

namespace saker {

struct TokenizerCase {
    std::string text, decoded;
    std::vector<TokenId> ids;
};

/// A tokenizer with strings, the ids and the decoded text that Hugging Face gives for them.
struct TestTokenizer {
    std::string name, file;
    Tokenizer tokenizer;
    std::vector<TokenizerCase> cases;
    int32_t first_added;  // the ids from here on are those of added tokens
};

inline constexpr const char* kOwnFile = "tests/text/bpe/tokenizer.json";
const TestTokenizer& own_tokenizer();
/// One of 512 ids, 26 of them added, for tests that write changed copies of it.
inline constexpr const char* kSmallFile = "examples/synth/tokenizer.json";

/// "own", and "qwen" where the real one is there.
std::vector<std::string> tokenizer_names();
/// "qwen" where it is there, or nothing.
std::vector<std::string> qwen_name();

/// A test that runs once with each tokenizer; derive the suite and give it TOKENIZERS.
class WithTokenizer : public testing::TestWithParam<std::string> {
  protected:
    const TestTokenizer& set() const;
    const Tokenizer& tokenizer() const { return set().tokenizer; }
    const std::vector<TokenizerCase>& cases() const { return set().cases; }
    TokenId id(std::string_view added) const { return *tokenizer().added_token(added); }
};
#define TOKENIZERS(SUITE)                                                       \
    INSTANTIATE_TEST_SUITE_P(Each, SUITE, testing::ValuesIn(tokenizer_names()), \
                             [](const auto& tested) { return tested.param; })
#define QWEN_TOKENIZER(SUITE)                                             \
    GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SUITE);                 \
    INSTANTIATE_TEST_SUITE_P(Each, SUITE, testing::ValuesIn(qwen_name()), \
                             [](const auto& tested) { return tested.param; })

/// Text number `index` of an endless series: words, blanks of all kinds, contractions, digits,
/// marks, Hangul, emoji, Chinese, and arbitrary assigned characters, joined at random.
std::string random_text(uint64_t index);

std::vector<TokenId> ids_of(std::initializer_list<int32_t> values);
std::vector<int32_t> values_of(const std::vector<TokenId>& ids);

}  // namespace saker
