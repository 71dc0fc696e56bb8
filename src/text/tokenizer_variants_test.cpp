// The ways in which tokenizer files say more than ours do, against Hugging Face's ids and texts:
// steps in sequences, added tokens that strip, files beside. tools/make_tokenizer_variants.py made
// the values.
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <iterator>

#include "base/check.h"
#include "json/json.h"
#include "text/detokenizer.h"
#include "text/prompt_parts.h"
#include "text/test_tokenizer.h"

namespace saker {
namespace {

namespace fs = std::filesystem;

std::string_view view(const json::value& value) {
    return {value.get_string().data(), value.get_string().size()};
}

json::value read_json(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return parse_json(text.empty() ? R"({"variants": []})" : text, path).value();
}

// A JSON merge patch (RFC 7386) that keeps null, and replaces steps whole.
void merge(json::value& value, const json::value& change) {
    if (!change.is_object() || !value.is_object() || change.get_object().contains("type")) {
        value = change;
        return;
    }
    for (const auto& [key, inner] : change.get_object()) merge(value.get_object()[key], inner);
}

class TokenizerVariants : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("saker_variants_" + std::to_string(getpid()));
        fs::create_directory(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    void put(const std::string& name, const json::value& content) const {
        std::ofstream(folder_ / name, std::ios::binary) << dump_json(content);
    }

    Tokenizer load_variant(const json::object& variant) const {
        json::value file = small_;
        merge(file, variant.at("change"));
        for (const json::value& token : variant.at("added").get_array())
            file.at("added_tokens").as_array().push_back(token);
        fs::remove_all(folder_);
        fs::create_directory(folder_);
        put("tokenizer.json", file);
        for (const auto& [name, content] : variant.at("beside").get_object()) put(name, content);
        return Tokenizer::load(folder_ / "tokenizer.json", 600);
    }

    // What loading says of `settings` in the file `name` beside the small tokenizer.
    std::string fault(const std::string& name, const char* settings, int64_t vocab_size = 600) {
        put("tokenizer.json", small_);
        put(name, *parse_json(settings, "settings"));
        try {
            Tokenizer::load(folder_ / "tokenizer.json", vocab_size);
        } catch (const StartupError& e) {
            const std::string begin = (folder_ / name).string() + ": ";
            EXPECT_TRUE(std::string_view(e.what()).starts_with(begin)) << e.what();
            return std::string(e.what()).substr(begin.size());
        }
        return "no fault";
    }

    json::value small_ = read_json(kSmallFile);
    fs::path folder_;
};

const json::value& variants_file() {
    static const json::value file = read_json("tests/text/variants.json");
    return file;
}

std::vector<std::string> variant_names() {
    std::vector<std::string> names;
    for (const json::value& item : variants_file().at("variants").as_array())
        names.emplace_back(view(item.at("name")));
    return names;
}

// One case a variant.
class TokenizerVariant : public TokenizerVariants,
                         public testing::WithParamInterface<std::string> {};

TEST_P(TokenizerVariant, IsReadAsHuggingFaceReadsIt) {
    const json::array& texts = variants_file().at("texts").as_array();
    for (const json::value& item : variants_file().at("variants").as_array()) {
        const json::object& variant = item.get_object();
        if (view(variant.at("name")) != GetParam()) continue;
        const Tokenizer tokenizer = load_variant(variant);
        for (size_t i = 0; i < texts.size(); ++i) {
            const std::string_view text = view(texts[i]);
            std::vector<TokenId> ids;
            for (const json::value& id : variant.at("ids").as_array()[i].as_array())
                ids.emplace_back(static_cast<int32_t>(id.as_int64()));
            EXPECT_EQ(values_of(tokenizer.encode_with_added(text)), values_of(ids)) << text;
            EXPECT_EQ(values_of(encode_parts(tokenizer, split_rendered(tokenizer, text)).ids),
                      values_of(ids))
                << text;
            EXPECT_EQ(tokenizer.decode(ids), view(variant.at("decoded").as_array()[i])) << text;
            EXPECT_EQ(tokenizer.decode(ids, true), view(variant.at("skipped").as_array()[i]))
                << text;
        }
        return;
    }
    FAIL() << "no such variant";
}

INSTANTIATE_TEST_SUITE_P(Each, TokenizerVariant, testing::ValuesIn(variant_names()),
                         [](const auto& tested) {
                             std::string name = tested.param;
                             for (char& c : name)
                                 if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                             return name;
                         });

TEST_F(TokenizerVariants, FaultsBesideTheFileAreNamed) {
    const std::string config = "tokenizer_config.json";
    EXPECT_EQ(fault(config, "{}"), "no fault");
    EXPECT_EQ(
        fault(config, R"({"added_tokens_decoder": {"520": {"content": "<x>"}}})"),
        "added_tokens_decoder.520.content gives \"<x>\" the id 520, but transformers reads it "
        "as 512.");
    EXPECT_EQ(fault(config, R"({"added_tokens_decoder": {"487": {"content": "<think>"}}})"),
              "added_tokens_decoder.487.content gives \"<think>\" the id 487, but transformers "
              "reads it as 510.");
    EXPECT_EQ(fault(config, R"({"added_tokens_decoder": {"512": {"content": "<x>"}}})", 512),
              "added_tokens_decoder.512.content adds \"<x>\", for which the model's vocabulary of "
              "512 has no row.");
    EXPECT_EQ(fault(config, R"({"added_tokens_decoder": {"x": {"content": "<x>"}}})"),
              "added_tokens_decoder.\"x\" is not an id with the token that has it.");
    EXPECT_EQ(fault(config, R"({"added_tokens_decoder": {"512": {"content": ""}}})"),
              "added_tokens_decoder.512.content holds a token that has not 1 to 1024 bytes.");
    EXPECT_EQ(fault(config, R"({"added_tokens_decoder": {"512": {"content": "x", "lstrip": 1}}})"),
              "added_tokens_decoder.512.lstrip is not true or false.");
    EXPECT_EQ(fault(config, R"({"split_special_tokens": true})"),
              "split_special_tokens asks for something that Saker does not do (control tokens read "
              "as text).");
    EXPECT_EQ(fault(config, R"({"add_prefix_space": true})"),
              "add_prefix_space asks for something that Saker does not do (a blank before every "
              "piece).");
    EXPECT_EQ(fault(config, R"({"eos_token": 3})"),
              "eos_token is neither a token's text nor an object with its content.");
    fs::remove(folder_ / config);
    EXPECT_EQ(fault("added_tokens.json", R"({"<x>": 520})"),
              "\"<x>\" gives \"<x>\" the id 520, but transformers reads it as 512.");
    EXPECT_EQ(fault("added_tokens.json", R"({"<x>": 512})"), "no fault");
}

// A special token that is named and has no row is text, as it is for a model that never saw it.
TEST_F(TokenizerVariants, ANamedTokenWithoutARowIsText) {
    put("tokenizer.json", small_);
    put("tokenizer_config.json", *parse_json(R"({"pad_token": "[PAD]"})", "settings"));
    const Tokenizer t = Tokenizer::load(folder_ / "tokenizer.json", 512);
    EXPECT_EQ(t.added_token("[PAD]"), std::nullopt);
    EXPECT_EQ(Tokenizer::load(folder_ / "tokenizer.json", 513).added_token("[PAD]"), TokenId(512));
}

}  // namespace
}  // namespace saker
