// ByteTrie against searches by hand.
#include "text/byte_trie.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/rng.h"

namespace saker {
namespace {

// Keys of a few letters, so that many are starts of others, and of all 256 bytes.
std::map<std::string, int32_t> random_keys(uint64_t seed, size_t count, uint64_t letters) {
    const Rng rng(Rng::hash("trie keys"), seed);
    std::map<std::string, int32_t> keys;
    for (uint64_t draw = 0; keys.size() < count && draw < count * 40; draw += 20) {
        std::string key;
        for (uint64_t i = 0; i <= rng.bits(draw) % 6; ++i)
            key += static_cast<char>(rng.bits(draw + 1 + i) % letters);
        keys.emplace(key, static_cast<int32_t>(keys.size()));
    }
    return keys;
}

ByteTrie::Match search(const std::map<std::string, int32_t>& keys, std::string_view text) {
    ByteTrie::Match best = {-1, 0};
    for (const auto& [key, value] : keys)
        if (text.starts_with(key) && key.size() > best.size)
            best = {value, static_cast<uint32_t>(key.size())};
    return best;
}

TEST(ByteTrie, FindsTheLongestStart) {
    for (const uint64_t letters : {2u, 3u, 256u})
        for (uint64_t seed = 0; seed < 20; ++seed) {
            const auto keys = random_keys(seed, 10 + seed * 20, letters);
            std::vector<ByteTrie::Key> list;
            for (const auto& [key, value] : keys) list.push_back({key, value});
            const ByteTrie trie(list);
            const Rng rng(Rng::hash("trie texts"), seed);
            for (uint64_t i = 0; i < 200; ++i) {
                std::string text;
                for (uint64_t k = 0; k < rng.bits(i * 10) % 9; ++k)
                    text += static_cast<char>(rng.bits(i * 10 + 1 + k) % letters);
                const ByteTrie::Match found = trie.longest(text), expected = search(keys, text);
                ASSERT_EQ(found.value, expected.value);
                ASSERT_EQ(found.size, expected.size);
            }
        }
}

TEST(ByteTrie, OfNothingFindsNothing) {
    EXPECT_EQ(ByteTrie(std::vector<ByteTrie::Key>{}).longest("a").value, -1);
}

}  // namespace
}  // namespace saker
