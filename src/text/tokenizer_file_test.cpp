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
        original_ = read_json_file("../shared/goldens/dense-a/tokenizer.json");
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
    EXPECT_EQ(fault([](auto&) {}, 1024), "no fault");
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
    EXPECT_EQ(fault([&](auto& f) { vocab(f)[first] = 500; }).substr(0, 28),
              "model.vocab has the id 500 t");
    EXPECT_EQ(fault([&](auto& f) { vocab(f)[first] = -1; }),
              "model.vocab has an id outside 0 to 2097151.");
    EXPECT_EQ(fault([&](auto& f) { vocab(f)[first] = int64_t{1} << 40; }),
              "model.vocab has an id outside 0 to 2097151.");
    EXPECT_EQ(fault([&](auto& f) { vocab(f)[first] = "1"; }),
              "model.vocab has an id that is not an integer.");
    EXPECT_EQ(fault([](auto&) {}, 1000), "model.vocab has an id outside 0 to 999.");
    EXPECT_EQ(fault([](auto&) {}, 1015), "added_tokens[5].id is 1015, outside 0 to 1014.");
    EXPECT_EQ(fault([](auto& f) { added(f, 2)["id"] = int64_t{1} << 31; }).substr(0, 28),
              "added_tokens[2].id is 214748");
    EXPECT_EQ(fault([](auto& f) { added(f, 2)["id"] = 7; }),
              "added_tokens[2].id is that of another token of the vocabulary.");
    EXPECT_EQ(fault([](auto& f) { added(f, 2)["id"] = added(f, 1)["id"]; }),
              "added_tokens[2].id is that of an earlier added token.");
    EXPECT_EQ(fault([](auto& f) { added(f, 2)["content"] = added(f, 1)["content"]; }),
              "added_tokens[2].content is that of an earlier added token.");
    EXPECT_EQ(fault([&](auto& f) { added(f, 2)["content"] = first; }),
              "added_tokens[2].content is in the vocabulary under another id.");
    EXPECT_EQ(fault([](auto& f) { added(f, 2)["content"] = ""; }),
              "added_tokens[2].content must have 1 to 1024 bytes.");
    EXPECT_EQ(fault([](auto& f) { vocab(f).erase("a"); }),
              "model.vocab has no token for the byte 97.");
}

TEST_F(TokenizerFaults, NamesWhatIsNotSupported) {
    EXPECT_NE(fault([](auto& f) {
                  f["normalizer"] = json::object{{"type", "NFKC"}};
              }).find("normalizer is of a type that is not supported"),
              std::string::npos);
    EXPECT_NE(fault([](auto& f) {
                  f["decoder"] = json::object{{"type", "WordPiece"}};
              }).find("decoder is of a type that is not supported"),
              std::string::npos);
    EXPECT_NE(fault([](auto& f) {
                  f["post_processor"] = json::object{{"type", "TemplateProcessing"}};
              }).find("post_processor is of a type that is not supported"),
              std::string::npos);
    EXPECT_NE(fault([](auto& f) {
                  f["pre_tokenizer"] = json::object{{"type", "Whitespace"}};
              }).find("pre_tokenizer is of a type that is not supported"),
              std::string::npos);
    EXPECT_EQ(fault([](auto& f) { model(f)["type"] = "Unigram"; }),
              "model.type is not supported; only BPE is.");
    EXPECT_EQ(fault([](auto& f) { model(f)["ignore_merges"] = true; }),
              "model.ignore_merges must be false.");
    EXPECT_EQ(fault([](auto& f) { model(f)["dropout"] = 0.1; }), "model.dropout must be absent.");
    EXPECT_EQ(fault([](auto& f) { step(f, 0)["behavior"] = "Removed"; }),
              "pre_tokenizer.pretokenizers[0].behavior is not supported; only Isolated is.");
    EXPECT_EQ(fault([](auto& f) { step(f, 1)["use_regex"] = true; }),
              "pre_tokenizer.pretokenizers[1].use_regex must be false.");
    EXPECT_EQ(fault([](auto& f) { added(f, 0)["lstrip"] = true; }),
              "added_tokens[0].lstrip must be false.");
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
    const Tokenizer pairs = Tokenizer::load("../shared/goldens/dense-a/tokenizer.json");
    write([](auto& f) {
        for (json::value& merge : merges(f)) {
            const json::array pair = merge.get_array();
            merge = std::string(pair[0].get_string()) + " " + std::string(pair[1].get_string());
        }
    });
    const Tokenizer strings = Tokenizer::load(path_);
    for (const TokenizerCase& c : tokenizer_cases())
        EXPECT_EQ(strings.encode_with_added(c.text), pairs.encode_with_added(c.text));
}

// Any pattern that means the same must give the same ids by the other road.
TEST_F(TokenizerFaults, RunsAnotherPattern) {
    const Tokenizer scanned = Tokenizer::load("../shared/goldens/dense-a/tokenizer.json");
    write([](auto& f) {
        json::value& regex = step(f, 0)["pattern"].get_object()["Regex"];
        regex = std::string(regex.get_string()) + "|(?!)";
    });
    const Tokenizer matched = Tokenizer::load(path_);
    for (const TokenizerCase& c : tokenizer_cases())
        EXPECT_EQ(matched.encode_with_added(c.text), scanned.encode_with_added(c.text)) << c.text;
}

TEST_F(TokenizerFaults, FindsNormalizedAddedTokensAfterNfc) {
    write([](auto& f) {
        added(f, 0)["content"] = "caf\xC3\xA9";
        added(f, 0)["normalized"] = true;
        f["normalizer"] = json::object{{"type", "NFC"}};
    });
    const Tokenizer t = Tokenizer::load(path_);
    EXPECT_EQ(t.encode_with_added("cafe\xCC\x81"), ids_of({1010}));
    EXPECT_EQ(t.added_token("caf\xC3\xA9"), TokenId(1010));
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
