// One pass against the definition: Bpe::encode and Bpe::encode_by_merging give the same tokens, on
// trained vocabularies and on small random ones whose merges overlap in every way.
#include "text/bpe.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/rng.h"
#include "text/test_tokenizer.h"
#include "text/tokenizer_file.h"

namespace saker {
namespace {

// A vocabulary of 256 bytes and up to `merges` merges of letters a to c, as training would make:
// each new token joins two that exist. `repeat` lets one token be made in two ways.
struct SmallVocabulary {
    std::vector<std::string> bytes;
    std::array<int32_t, 256> byte_tokens;
    std::vector<BpeMerge> merges;

    SmallVocabulary(uint64_t seed, size_t num_merges, bool repeat) {
        const Rng rng(Rng::hash("small vocabulary"), seed);
        for (size_t b = 0; b < 256; ++b) {
            bytes.emplace_back(1, static_cast<char>(b));
            byte_tokens[b] = static_cast<int32_t>(b);
        }
        std::map<std::string, int32_t> id_of;
        std::vector<int32_t> usable = {'a', 'b', 'c'};
        std::set<std::pair<int32_t, int32_t>> seen;
        for (uint64_t draw = 0; draw < num_merges * 2; draw += 2) {
            const int32_t left = usable[rng.bits(draw) % usable.size()];
            const int32_t right = usable[rng.bits(draw + 1) % usable.size()];
            const std::string joined =
                bytes[static_cast<size_t>(left)] + bytes[static_cast<size_t>(right)];
            const bool is_known = id_of.count(joined) > 0;
            if (joined.size() > 12 || (is_known && !repeat) || !seen.insert({left, right}).second)
                continue;
            if (!is_known) {
                id_of[joined] = static_cast<int32_t>(bytes.size());
                usable.push_back(id_of[joined]);
                bytes.push_back(joined);
            }
            merges.push_back({left, right, id_of[joined]});
        }
    }

    Bpe bpe() const {
        const std::vector<std::string_view> views(bytes.begin(), bytes.end());
        return Bpe(views, byte_tokens, merges);
    }
};

void expect_same(const Bpe& bpe, std::string_view piece) {
    std::vector<TokenId> fast, slow;
    bpe.encode(piece, fast);
    bpe.encode_by_merging(piece, slow);
    ASSERT_EQ(values_of(fast), values_of(slow)) << piece;
}

TEST(Bpe, OnePassEqualsMergingOnSmallVocabularies) {
    for (uint64_t seed = 0; seed < 300; ++seed) {
        const Bpe bpe = SmallVocabulary(seed, 4 + seed % 60, false).bpe();
        ASSERT_TRUE(bpe.is_one_pass());
        const Rng rng(Rng::hash("pieces"), seed);
        for (uint64_t i = 0; i < 60; ++i) {
            std::string piece;
            const uint64_t length = 1 + rng.bits(i * 100) % 40, letters = 1 + i % 3;
            for (uint64_t k = 0; k < length; ++k)
                piece += static_cast<char>('a' + rng.bits(i * 100 + 1 + k) % letters);
            expect_same(bpe, piece);
        }
    }
}

TEST(Bpe, MergesByDefinitionWhereATokenHasTwoMerges) {
    int found = 0;
    for (uint64_t seed = 0; seed < 50; ++seed) {
        const Bpe bpe = SmallVocabulary(seed, 60, true).bpe();
        found += !bpe.is_one_pass();
        expect_same(bpe, "abcabcaabbccabcbacbacaab");
    }
    EXPECT_GT(found, 10);
}

// Ranks that fall from parts to wholes: "ab"+"c" comes before "a"+"b", so it can never be first.
TEST(Bpe, MergesByDefinitionWhereRanksAreOutOfOrder) {
    SmallVocabulary v(0, 0, false);
    v.bytes.insert(v.bytes.end(), {"ab", "abc"});
    v.merges = {{256, 'c', 257}, {'a', 'b', 256}};
    const Bpe bpe = v.bpe();
    EXPECT_FALSE(bpe.is_one_pass());
    std::vector<TokenId> ids;
    bpe.encode("abcab", ids);
    EXPECT_EQ(ids, ids_of({257, 256}));
}

// "aaa" is (aa)(a): the leftmost pair of equals merges first.
TEST(Bpe, TakesTheLeftmostOfEquals) {
    SmallVocabulary v(0, 0, false);
    v.bytes.insert(v.bytes.end(), {"aa", "aaa"});
    v.merges = {{'a', 'a', 256}, {'a', 256, 257}};
    std::vector<TokenId> ids;
    v.bpe().encode("aaa", ids);
    EXPECT_EQ(ids, ids_of({256, 'a'}));
}

class BpeOfTokenizer : public WithTokenizer {};
TOKENIZERS(BpeOfTokenizer);

TEST_P(BpeOfTokenizer, OnePassEqualsMerging) {
    const TokenizerFile file = read_tokenizer_file(set().file, Tokenizer::kMaxVocabSize);
    const std::vector<std::string_view> views(file.token_bytes.begin(), file.token_bytes.end());
    const Bpe bpe(views, file.byte_tokens, file.merges);
    ASSERT_TRUE(bpe.is_one_pass());
    for (const TokenizerCase& c : cases()) expect_same(bpe, c.text);
    for (uint64_t i = 0; i < 3000; ++i) expect_same(bpe, random_text(i));
    const Rng rng("real pieces");
    for (uint64_t i = 0; i < 3000; ++i) {  // tokens side by side, and cut
        std::string piece;
        for (uint64_t k = 0; k < 4; ++k)
            piece += file.token_bytes[rng.bits(i * 5 + k) % file.token_bytes.size()];
        expect_same(bpe, piece);
        expect_same(bpe, std::string_view(piece).substr(rng.bits(i * 5 + 4) % piece.size()));
    }
}

}  // namespace
}  // namespace saker
