// The tokenizer against Hugging Face's ids: the case file, the vectors of the specification, and
// what user text may never do.
#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/check.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "text/detokenizer.h"
#include "text/test_tokenizer.h"

namespace saker {

std::vector<TokenizerCase> tokenizer_cases() {
    std::ifstream in(std::string(kQwenFolder) + "/cases.json", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto parsed = parse_json(text, "cases.json");
    std::vector<TokenizerCase> cases;
    for (const json::value& item : parsed->get_array()) {
        TokenizerCase c;
        c.text = std::string(item.at("text").get_string());
        c.decoded = std::string(item.at("decoded").get_string());
        for (const json::value& id : item.at("ids").get_array())
            c.ids.emplace_back(static_cast<int32_t>(id.get_int64()));
        cases.push_back(std::move(c));
    }
    return cases;
}

namespace {

TEST(Tokenizer, AgreesWithHuggingFaceOnEveryCase) {
    const Tokenizer& t = qwen_tokenizer();
    const auto cases = tokenizer_cases();
    ASSERT_EQ(cases.size(), 448u);
    for (const TokenizerCase& c : cases) {
        EXPECT_EQ(values_of(t.encode_with_added(c.text)), values_of(c.ids)) << c.text;
        EXPECT_EQ(t.decode(c.ids), c.decoded) << c.text;
    }
}

}  // namespace
}  // namespace saker
