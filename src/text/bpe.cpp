// Why two neighbours decide: ranks rise from parts to wholes, so merging is the same as going
// through the ranks in order and doing each merge everywhere, left to right. What happens inside a
// token does not depend on its neighbours until a merge joins one of its ends to a neighbour's, and
// that merge would also happen with those two alone. So a sequence of tokens is the outcome exactly
// if no such merge exists between any two that stand side by side; and since the outcome for every
// start of the piece is unique, a position from which no token goes on is dead for good.
#include "text/bpe.h"

#include <algorithm>
#include <bit>
#include <queue>

#include "base/check.h"

namespace saker {
namespace {

constexpr uint64_t kEmpty = ~uint64_t{0};
constexpr uint32_t kIdBits = 21, kRankBits = 22;

uint64_t pair_key(int32_t left, int32_t right) {
    return uint64_t(uint32_t(left)) << kIdBits | uint32_t(right);
}
uint64_t pair_hash(uint64_t key) {
    key *= 0x9E3779B97F4A7C15u;
    return key ^ key >> 32;
}
// Two bits of one word of the filter; the word is chosen by other bits of the hash.
uint64_t filter_bits(uint64_t hash) {
    return uint64_t{1} << (hash >> 58) | uint64_t{1} << (hash >> 52 & 63);
}

}  // namespace

Bpe::Bpe(std::span<const std::string_view> token_bytes, const std::array<int32_t, 256>& byte_tokens,
         std::span<const BpeMerge> merges)
    : byte_tokens_(byte_tokens) {
    CHECK(token_bytes.size() <= size_t{1} << kIdBits && merges.size() < size_t{1} << kRankBits,
          "ids and ranks fit their bits");
    pairs_.assign(std::bit_ceil(merges.size() + merges.size() / 2 + 2), kEmpty);
    pairs_mask_ = pairs_.size() - 1;
    filter_.assign(std::bit_ceil(merges.size() / 8 + 1), 0);
    filter_mask_ = filter_.size() - 1;
    for (size_t rank = 0; rank < merges.size(); ++rank) {
        const uint64_t key = pair_key(merges[rank].left, merges[rank].right);
        const uint64_t hash = pair_hash(key);
        filter_[hash & filter_mask_] |= filter_bits(hash);
        uint64_t slot = hash & pairs_mask_;
        while (pairs_[slot] != kEmpty) {
            CHECK(pairs_[slot] >> kRankBits != key, "no two merges of one pair");
            slot = (slot + 1) & pairs_mask_;
        }
        pairs_[slot] = key << kRankBits | rank;
        results_.push_back(merges[rank].result);
    }
    build_one_pass(token_bytes, merges);
}

int32_t Bpe::merge_rank(int32_t left, int32_t right) const {
    const uint64_t key = pair_key(left, right);
    const uint64_t hash = pair_hash(key), bits = filter_bits(hash);
    if ((filter_[hash & filter_mask_] & bits) != bits) return kNever;
    for (uint64_t slot = hash & pairs_mask_;; slot = (slot + 1) & pairs_mask_) {
        const uint64_t word = pairs_[slot];
        if (word >> kRankBits == key) return static_cast<int32_t>(word & ((1u << kRankBits) - 1));
        if (word == kEmpty) return kNever;
    }
}

void Bpe::build_one_pass(std::span<const std::string_view> token_bytes,
                         std::span<const BpeMerge> merges) {
    tokens_.resize(token_bytes.size());
    sizes_.resize(token_bytes.size());
    std::vector<bool> reachable(token_bytes.size());
    std::vector<ByteTrie::Key> keys;
    const auto reach = [&](int32_t id) {
        const std::string_view bytes = token_bytes[static_cast<size_t>(id)];
        reachable[static_cast<size_t>(id)] = true;
        sizes_[static_cast<size_t>(id)] = static_cast<uint16_t>(bytes.size());
        keys.push_back({bytes, id});
    };
    for (const int32_t id : byte_tokens_) reach(id);
    for (size_t rank = 0; rank < merges.size(); ++rank) {
        const auto [left, right, result] = merges[rank];
        Token& token = tokens_[static_cast<size_t>(result)];
        const size_t size = token_bytes[static_cast<size_t>(result)].size();
        if (size == 1 || token.rank != kNone) return;  // two ways to make one token
        if (size > UINT16_MAX) return;
        token = {static_cast<int32_t>(rank), left, right, kNone};
        // A part whose own merge comes later is not reachable yet, and then is not monotone.
        const auto comes_first = [&](int32_t part) {
            return reachable[static_cast<size_t>(part)] ||
                   tokens_[static_cast<size_t>(part)].rank != kNone;
        };
        if (!comes_first(left) || !comes_first(right)) return;
        if (reachable[static_cast<size_t>(left)] && reachable[static_cast<size_t>(right)] &&
            go_together(left, right, static_cast<int32_t>(rank)))
            reach(result);
    }
    one_pass_ = true;
    const std::vector<ByteTrie::Key> all = keys;
    trie_ = ByteTrie(std::move(keys));
    for (const auto& [bytes, id] : all)
        tokens_[static_cast<size_t>(id)].shorter =
            trie_.longest(bytes.substr(0, bytes.size() - 1)).value;
}

// Whether no merge of a rank below `limit` joins the two when their bytes stand side by side. The
// two symbols at the seam are taken apart again, the younger first, and at each step we ask whether
// the pair that stood there could have merged before the younger one came to be. Merges of one rank
// go from left to right: with the left symbol's own rank the left one was first, so a merge across
// the seam must be of a lower rank; with the right symbol's own rank the seam was first.
bool Bpe::go_together(int32_t left, int32_t right, int32_t limit) const {
    for (;;) {
        if (merge_rank(left, right) < limit) return false;
        const Token& l = tokens_[static_cast<size_t>(left)];
        const Token& r = tokens_[static_cast<size_t>(right)];
        if (l.rank > r.rank) {
            limit = l.rank;
            left = l.right;
        } else if (r.rank != kNone) {
            limit = r.rank + 1;
            right = r.left;
        } else {
            return true;
        }
    }
}

void Bpe::encode(std::string_view piece, std::vector<TokenId>& out) const {
    if (piece.empty()) return;
    if (!one_pass_) {
        encode_by_merging(piece, out);
        return;
    }
    const ByteTrie::Match first = trie_.longest(piece);
    if (first.size == piece.size())
        out.push_back(TokenId(first.value));
    else
        encode_parts(piece, first, out);
}

void Bpe::encode_parts(std::string_view piece, ByteTrie::Match first,
                       std::vector<TokenId>& out) const {
    const size_t base = out.size();
    std::vector<bool> dead;  // positions that no token goes on from; sized when the first is found
    size_t at = 0;
    ByteTrie::Match next = first;
    while (at < piece.size()) {
        const int32_t last = out.size() > base ? out.back().value : kNone;
        while (next.value != kNone) {
            const size_t end = at + next.size;
            if ((dead.empty() || !dead[end]) &&
                (last == kNone || go_together(last, next.value, kNever)))
                break;
            next = with_size(tokens_[static_cast<size_t>(next.value)].shorter);
        }
        if (next.value != kNone) {
            out.push_back(TokenId(next.value));
            at += next.size;
            next = trie_.longest(piece.substr(at));
            continue;
        }
        CHECK(last != kNone, "a piece has an encoding");
        if (dead.empty()) dead.resize(piece.size() + 1);
        dead[at] = true;
        out.pop_back();
        next = with_size(last);
        at -= next.size;
    }
}

void Bpe::encode_by_merging(std::string_view piece, std::vector<TokenId>& out) const {
    struct Symbol {
        int32_t id;
        size_t previous, next;  // indices, kEnd at the ends
    };
    struct Candidate {
        int32_t rank;
        size_t at;  // index of the left symbol
        int32_t left, right;
        bool operator>(const Candidate& o) const {
            return rank != o.rank ? rank > o.rank : at > o.at;
        }
    };
    constexpr size_t kEnd = ~size_t{0};
    std::vector<Symbol> symbols(piece.size());
    for (size_t i = 0; i < piece.size(); ++i)
        symbols[i] = {byte_tokens_[static_cast<unsigned char>(piece[i])], i == 0 ? kEnd : i - 1,
                      i + 1 == piece.size() ? kEnd : i + 1};
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
    const auto offer = [&](size_t at) {
        if (at == kEnd || symbols[at].next == kEnd) return;
        const int32_t left = symbols[at].id, right = symbols[symbols[at].next].id;
        const int32_t rank = merge_rank(left, right);
        if (rank != kNever) queue.push({rank, at, left, right});
    };
    for (size_t i = 0; i < symbols.size(); ++i) offer(i);
    while (!queue.empty()) {
        const Candidate best = queue.top();
        queue.pop();
        Symbol& left = symbols[best.at];
        // Symbols that were merged away have the id -1.
        if (left.id != best.left || left.next == kEnd || symbols[left.next].id != best.right)
            continue;
        Symbol& right = symbols[left.next];
        left.id = results_[static_cast<size_t>(best.rank)];
        right.id = -1;
        left.next = right.next;
        if (left.next != kEnd) symbols[left.next].previous = best.at;
        offer(left.previous);
        offer(best.at);
    }
    for (size_t i = 0; i != kEnd && i < symbols.size(); i = symbols[i].next)
        out.push_back(TokenId(symbols[i].id));
}

}  // namespace saker
