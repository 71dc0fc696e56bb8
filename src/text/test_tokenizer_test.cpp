// See test_tokenizer.h; compiled into text_test only.
#include <utf8proc.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/rng.h"
#include "base/utf8.h"
#include "json/json.h"
#include "text/test_tokenizer.h"

namespace saker {

namespace {

const std::string kQwenFolder = "../shared/data/qwen3-tokenizer";

std::vector<TokenizerCase> read_cases(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto parsed = parse_json(text, path);
    std::vector<TokenizerCase> read;
    for (const json::value& item : parsed->get_array()) {
        TokenizerCase c;
        c.text = std::string(item.at("text").get_string());
        c.decoded = std::string(item.at("decoded").get_string());
        for (const json::value& id : item.at("ids").get_array())
            c.ids.emplace_back(static_cast<int32_t>(id.get_int64()));
        read.push_back(std::move(c));
    }
    return read;
}

TestTokenizer load_set(const std::string& name, const std::string& folder) {
    const std::string file = folder + "/tokenizer.json";
    Tokenizer tokenizer = Tokenizer::load(file);
    const int32_t first_added = tokenizer.added_token("<|endoftext|>")->value;
    return {name, file, std::move(tokenizer), read_cases(folder + "/cases.json"), first_added};
}

}  // namespace

const TestTokenizer& own_tokenizer() {
    static const TestTokenizer own = load_set("own", "tests/text/bpe");
    return own;
}

std::vector<std::string> qwen_name() {
    if (!std::filesystem::exists(kQwenFolder)) return {};
    return {"qwen"};
}

std::vector<std::string> tokenizer_names() {
    std::vector<std::string> names = qwen_name();
    names.insert(names.begin(), "own");
    return names;
}

const TestTokenizer& WithTokenizer::set() const {
    if (GetParam() == "own") return own_tokenizer();
    static const TestTokenizer qwen = load_set("qwen", kQwenFolder);
    return qwen;
}

std::string random_text(uint64_t index) {
    static constexpr std::string_view kBits[] = {" ",
                                                 "  ",
                                                 "\n",
                                                 "\r\n",
                                                 "\t",
                                                 "\xC2\xA0",
                                                 "\xE3\x80\x80",
                                                 "\v",
                                                 "\xC2\x85",
                                                 "'s",
                                                 "'S",
                                                 "'\xC5\xBF",
                                                 "'re",
                                                 "'vE",
                                                 "'ll",
                                                 "''",
                                                 "'d",
                                                 "'x",
                                                 "hello",
                                                 "World",
                                                 "antidis",
                                                 "import",
                                                 "_",
                                                 "0",
                                                 "2024",
                                                 "\xC2\xB2",
                                                 "...",
                                                 "!?",
                                                 "->",
                                                 "===",
                                                 "e\xCC\x81",
                                                 "\xCC\x81",
                                                 "\xC3\xA9",
                                                 "\xE4\xBD\xA0\xE5\xA5\xBD",
                                                 "\xE7\x9A\x84",
                                                 "\xEF\xBC\x8C",
                                                 "\xED\x95\x9C",
                                                 "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB",
                                                 "\xF0\x9F\x99\x82",
                                                 "\xE2\x80\x8D",
                                                 "\xEF\xB8\x8F",
                                                 "<|im_end|>",
                                                 "<think>",
                                                 "\xD9\x8B",
                                                 "\xD7\xA9\xD7\x81",
                                                 "\xE0\xA4\x95\xE0\xA4\xBC",
                                                 "\xE2\x80\xA8",
                                                 "a",
                                                 "Z"};
    const Rng rng(Rng::hash("random_text"), index);
    std::string text;
    uint64_t draw = 0;
    const uint64_t length = 1 + rng.bits(draw++) % 24;
    for (uint64_t i = 0; i < length; ++i) {
        const uint64_t kind = rng.bits(draw++) % 8;
        if (kind > 0) {
            const std::string_view bit = kBits[rng.bits(draw++) % std::size(kBits)];
            const uint64_t times = kind == 1 ? 1 + rng.bits(draw++) % 9 : 1;
            for (uint64_t k = 0; k < times; ++k) text += bit;
            continue;
        }
        const auto c = static_cast<utf8proc_int32_t>(rng.bits(draw++) % 0x30000);
        if (utf8proc_category(c) != UTF8PROC_CATEGORY_CN &&
            utf8proc_category(c) != UTF8PROC_CATEGORY_CS)
            append_utf8(text, static_cast<char32_t>(c));
    }
    return text;
}

std::vector<TokenId> ids_of(std::initializer_list<int32_t> values) {
    std::vector<TokenId> ids;
    for (const int32_t value : values) ids.emplace_back(value);
    return ids;
}

std::vector<int32_t> values_of(const std::vector<TokenId>& ids) {
    std::vector<int32_t> values;
    for (const TokenId id : ids) values.push_back(id.value);
    return values;
}

}  // namespace saker
