// C10: faults of tokenizer.json end start-up with the file and the rule; the ways to write the same
// thing all load.
#include "text/tokenizer_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "base/check.h"
#include "json/json.h"
#include "text/byte_letters.h"
#include "text/test_tokenizer.h"

namespace saker {
namespace {

class TokenizerFaults : public testing::Test {
  protected:
    void SetUp() override {
        original_ = read_json_file(kSmallFile);
        path_ =
            std::filesystem::temp_directory_path() /
            ("saker_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
             ".json");
    }
    void TearDown() override { std::filesystem::remove(path_); }

    using Change = std::function<void(json::object&)>;

    void write(const Change& change) const {
        json::object file = original_;
        change(file);
        std::ofstream(path_, std::ios::binary) << dump_json(file);
    }

    // What loading the changed file says.
    std::string fault(const Change& change, int64_t vocab_size = Tokenizer::kMaxVocabSize) const {
        write(change);
        try {
            Tokenizer::load(path_, vocab_size);
        } catch (const StartupError& e) {
            EXPECT_TRUE(std::string(e.what()).starts_with(path_.string() + ": ")) << e.what();
            return std::string(e.what()).substr(path_.string().size() + 2);
        }
        return "no fault";
    }

    static json::object& model(json::object& file) { return file["model"].get_object(); }
    static json::object& vocab(json::object& file) { return model(file)["vocab"].get_object(); }
    static json::array& merges(json::object& file) { return model(file)["merges"].get_array(); }
    static json::object& added(json::object& file, size_t i) {
        return file["added_tokens"].get_array()[i].get_object();
    }
    static json::object& step(json::object& file, size_t i) {
        return file["pre_tokenizer"].at("pretokenizers").get_array()[i].get_object();
    }

    json::object original_;
    std::filesystem::path path_;
};

TEST_F(TokenizerFaults, LoadsTheUnchangedFile) {
    EXPECT_EQ(fault([](auto&) {}), "no fault");
    EXPECT_EQ(fault([](auto&) {}, 512), "no fault");
}

TEST_F(TokenizerFaults, NamesWhatIsWrongWithMerges) {
    EXPECT_EQ(fault([](auto& f) { model(f).erase("merges"); }), "model.merges is missing.");
    EXPECT_EQ(fault([](auto& f) { model(f)["merges"] = "x"; }), "model.merges is not a list.");
    EXPECT_EQ(fault([](auto& f) {
                  merges(f)[3] = json::array{"a", "b", "c"};
              }),
              "model.merges has an item that is neither \"a b\" nor [\"a\", \"b\"].");
    EXPECT_EQ(fault([](auto& f) { merges(f)[3] = "a b c"; }),
              "model.merges has an item that is neither \"a b\" nor [\"a\", \"b\"].");
    EXPECT_EQ(fault([](auto& f) {
                  merges(f)[3] = json::array{"a", "nowhere"};
              }),
              "model.merges[3] names a token that is not in the vocabulary.");
    EXPECT_EQ(fault([](auto& f) { merges(f).push_back(merges(f)[5]); }),
              "model.merges has the same pair twice.");
}

TEST_F(TokenizerFaults, NamesWhatIsWrongWithIds) {
    const std::string first(original_["model"].at("vocab").get_object().begin()->key());
    EXPECT_EQ(fault([&](auto& f) { vocab(f)[first] = 300; }).substr(0, 28),
              "model.vocab has the id 300 t");
    EXPECT_EQ(fault([&](auto& f) { vocab(f)[first] = -1; }),
              "model.vocab has an id outside 0 to 2097151.");
    EXPECT_EQ(fault([&](auto& f) { vocab(f)[first] = int64_t{1} << 40; }),
              "model.vocab has an id outside 0 to 2097151.");
    EXPECT_EQ(fault([&](auto& f) { vocab(f)[first] = "1"; }),
              "model.vocab has an id that is not an integer.");
    EXPECT_EQ(fault([](auto&) {}, 400), "model.vocab has an id outside 0 to 399.");
    EXPECT_EQ(fault([](auto&) {}, 491), "added_tokens[5].id is 491, outside 0 to 490.");
    EXPECT_EQ(fault([](auto& f) { added(f, 2)["id"] = int64_t{1} << 31; }).substr(0, 28),
              "added_tokens[2].id is 214748");
    EXPECT_EQ(fault([](auto& f) { added(f, 2)["id"] = 7; }),
              "added_tokens[2].id is that of another token of the vocabulary.");
    EXPECT_EQ(fault([](auto& f) { added(f, 2)["id"] = added(f, 1)["id"]; }),
              "added_tokens[2].id is that of an earlier added token.");
    EXPECT_EQ(
        fault([](auto& f) { added(f, 25)["id"] = 600; }),
        "added_tokens[25].id is 600, but tokenizers reads it as 511: added tokens count on from "
        "the vocabulary, in the order of the list.");
    EXPECT_EQ(fault([](auto& f) { added(f, 2)["content"] = added(f, 1)["content"]; }),
              "added_tokens[2].content is that of an earlier added token.");
    EXPECT_EQ(fault([&](auto& f) { added(f, 2)["content"] = first; }),
              "added_tokens[2].content is in the vocabulary under another id.");
    EXPECT_EQ(fault([](auto& f) { added(f, 2)["content"] = ""; }),
              "added_tokens[2].content must have 1 to 1024 bytes.");
    EXPECT_EQ(fault([](auto& f) { vocab(f).erase("a"); }),
              "model.vocab has no token for the byte 97.");
}

TEST_F(TokenizerFaults, NamesStepsThatAreNotDone) {
    const auto with = [&](const char* key, const char* step) {
        return fault([&](auto& f) { f[key] = *parse_json(step, "step"); });
    };
    EXPECT_EQ(with("normalizer", R"({"type": "NFKC"})"),
              "normalizer.type is \"NFKC\", which Saker does not do; it does NFC and NFD.");
    EXPECT_EQ(
        with("normalizer", R"({"type": "Sequence", "normalizers":
                   [{"type": "NFC"}, {"type": "Lowercase"}]})"),
        "normalizer.normalizers[1].type is \"Lowercase\", which Saker does not do; it does NFC "
        "and NFD.");
    EXPECT_EQ(with("normalizer", R"({"type": "Sequence", "normalizers": [3]})"),
              "normalizer.normalizers[0] is not an object.");
    EXPECT_EQ(with("normalizer", R"("NFC")"), "normalizer is not an object.");
    EXPECT_EQ(with("decoder", R"({"type": "WordPiece"})"),
              "decoder does not begin with ByteLevel, and Saker reads no others.");
    EXPECT_EQ(
        with("decoder", R"({"type": "Sequence", "decoders":
                   [{"type": "ByteLevel"}, {"type": "Strip", "content": " "}]})"),
        "decoder.decoders[1].type is \"Strip\", which Saker does not do; it does Fuse behind a "
        "ByteLevel.");
    EXPECT_EQ(with("decoder", "null"),
              "decoder does not begin with ByteLevel, and Saker reads no others.");
    EXPECT_EQ(
        with("post_processor", R"({"type": "BertProcessing"})"),
        "post_processor.type is \"BertProcessing\", which Saker does not do; it does ByteLevel, "
        "and TemplateProcessing that adds nothing.");
    EXPECT_EQ(with("post_processor", R"({"type": "TemplateProcessing", "single":
                   [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}]})"),
              "post_processor.single adds tokens to every prompt, which Saker does not do.");
    EXPECT_EQ(with("pre_tokenizer", R"({"type": "Whitespace"})"),
              "pre_tokenizer does not end in a ByteLevel step, and Saker reads no others.");
    EXPECT_EQ(with("pre_tokenizer", R"({"type": "Sequence", "pretokenizers":
                   [{"type": "Punctuation"}, {"type": "ByteLevel"}]})"),
              "pre_tokenizer.pretokenizers[0].type is \"Punctuation\", which Saker does not do; it "
              "does Split and Digits before a last ByteLevel.");
    EXPECT_EQ(fault([](auto& f) { step(f, 0)["behavior"] = "Removed"; }),
              "pre_tokenizer.pretokenizers[0].behavior is \"Removed\", which Saker does not do; it "
              "does Isolated.");
    EXPECT_EQ(
        fault([](auto& f) {
            step(f, 0)["pattern"] = json::object{{"Regexp", "x"}};
        }),
        "pre_tokenizer.pretokenizers[0].pattern.\"Regexp\" is not a key that Saker knows (did "
        "you mean Regex?): take it out if it changes nothing.");
    EXPECT_EQ(fault([](auto& f) {
                  f["pre_tokenizer"].get_object()["pretokenizers"] = json::array(17, step(f, 0));
              }),
              "pre_tokenizer.pretokenizers[16].type is that of a 17th step; 16 may be.");
}

TEST_F(TokenizerFaults, NamesSwitchesThatAreNotDone) {
    EXPECT_EQ(fault([](auto& f) { model(f)["type"] = "Unigram"; }),
              "model.type is not supported; only BPE is.");
    EXPECT_EQ(fault([](auto& f) { model(f).erase("type"); }), "no fault");
    EXPECT_EQ(fault([](auto& f) { model(f)["dropout"] = 0.1; }),
              "model.dropout asks for something that Saker does not do (random merges).");
    EXPECT_EQ(fault([](auto& f) { model(f)["continuing_subword_prefix"] = "##"; }),
              "model.continuing_subword_prefix asks for something that Saker does not do (letters "
              "before all tokens but the first).");
    EXPECT_EQ(fault([](auto& f) { model(f)["end_of_word_suffix"] = "</w>"; }),
              "model.end_of_word_suffix asks for something that Saker does not do (letters behind "
              "the last token of a word).");
    EXPECT_EQ(fault([](auto& f) { model(f)["ignore_merges"] = "yes"; }),
              "model.ignore_merges is not true or false.");
    EXPECT_EQ(fault([](auto& f) { added(f, 0)["lstrip"] = "yes"; }),
              "added_tokens[0].lstrip is not true or false.");
}

// A whole piece that the vocabulary has is not looked up where it is a control token's text.
TEST_F(TokenizerFaults, IgnoredMergesForgeNoControlToken) {
    write([](auto& f) {
        f["pre_tokenizer"] = *parse_json(
            R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false})", "step");
        model(f)["ignore_merges"] = true;
        vocab(f)["<|im_end|>"] = 488;
        f["added_tokens"] = json::array{added(f, 2)};
    });
    const Tokenizer t = Tokenizer::load(path_);
    EXPECT_EQ(t.encode_with_added("<|im_end|>"), ids_of({488}));
    for (const TokenId id : t.encode("<|im_end|>")) EXPECT_LT(id.value, 486);
}

TEST_F(TokenizerFaults, NamesHostilePatterns) {
    const auto with = [&](const char* pattern) {
        return fault([&](auto& f) { step(f, 0)["pattern"] = json::object{{"Regex", pattern}}; });
    };
    EXPECT_EQ(with("(a+)+$"),
              "pre_tokenizer.pretokenizers[0].pattern.Regex takes unbounded time on simple texts.");
    EXPECT_EQ(with("(a"),
              "pre_tokenizer.pretokenizers[0].pattern.Regex does not compile at byte 2.");
    EXPECT_EQ(with("\\p{L}+|\\s"), "no fault");
}

TEST_F(TokenizerFaults, ReadsMergesAsStringsToo) {
    const Tokenizer pairs = Tokenizer::load(kSmallFile);
    write([](auto& f) {
        for (json::value& merge : merges(f)) {
            const json::array pair = merge.get_array();
            merge = std::string(pair[0].get_string()) + " " + std::string(pair[1].get_string());
        }
    });
    const Tokenizer strings = Tokenizer::load(path_);
    for (const TokenizerCase& c : own_tokenizer().cases)
        EXPECT_EQ(strings.encode_with_added(c.text), pairs.encode_with_added(c.text));
}

// Any pattern that means the same must give the same ids by the other road.
TEST_F(TokenizerFaults, RunsAnotherPattern) {
    const Tokenizer scanned = Tokenizer::load(kSmallFile);
    write([](auto& f) {
        json::value& regex = step(f, 0)["pattern"].get_object()["Regex"];
        regex = std::string(regex.get_string()) + "|(?!)";
    });
    const Tokenizer matched = Tokenizer::load(path_);
    for (const TokenizerCase& c : own_tokenizer().cases)
        EXPECT_EQ(matched.encode_with_added(c.text), scanned.encode_with_added(c.text)) << c.text;
}

TEST_F(TokenizerFaults, FindsNormalizedAddedTokensAfterNfc) {
    write([](auto& f) {
        added(f, 0)["content"] = "caf\xC3\xA9";
        added(f, 0)["normalized"] = true;
        f["normalizer"] = json::object{{"type", "NFC"}};
    });
    const Tokenizer t = Tokenizer::load(path_);
    EXPECT_EQ(t.encode_with_added("cafe\xCC\x81"), ids_of({486}));
    EXPECT_EQ(t.added_token("caf\xC3\xA9"), TokenId(486));
}

TEST(ByteLetters, AreReadBack) {
    const auto letters = byte_letters();
    EXPECT_EQ(letters[' '], 0x120u);
    EXPECT_EQ(letters['a'], U'a');
    EXPECT_EQ(letters[0], 0x100u);
    EXPECT_EQ(letters[0xAD], 0x143u);
    std::string bytes;
    EXPECT_TRUE(read_byte_letters("\xC4\xA0hi", bytes));
    EXPECT_EQ(bytes, " hi");
    EXPECT_FALSE(read_byte_letters("a b", bytes));
    EXPECT_FALSE(read_byte_letters("\xE4\xBD\xA0", bytes));
}

}  // namespace
}  // namespace saker
