// Lays out the double array, breadth first. All children of a node share a block of 256 slots, and
// slots are looked for in the last few blocks only, so that building takes linear time.
#include "text/byte_trie.h"

#include <algorithm>

#include "base/check.h"

namespace saker {

struct ByteTrieBuilder {
    static constexpr uint32_t kLeafBase = 256;  // of a block that stays free: nothing matches there
    static constexpr size_t kOpenBlocks = 8;
    static constexpr uint32_t kMaxMisses = 64;  // then a block is left as it is

    struct Block {
        uint32_t start;
        uint32_t num_free;
        uint32_t first_free;  // no slot before it is free
        uint32_t num_misses;  // searches that found no place
    };
    struct Branch {
        size_t low, high;  // the keys below this node
        size_t depth;
        uint32_t node;
    };

    std::vector<ByteTrie::Node>& nodes;
    std::vector<bool> base_taken;
    std::vector<Block> open;

    uint32_t add_block() {
        const auto start = static_cast<uint32_t>(nodes.size());
        CHECK(start < (1u << 23), "a trie has fewer than 8 million slots");
        nodes.resize(nodes.size() + 256);
        base_taken.resize(nodes.size());
        return start;
    }

    bool is_free(uint32_t slot) const {
        return (nodes[slot].base_and_label & ByteTrie::kLabelMask) == ByteTrie::kFree;
    }

    // A base in `block` under which all labels fall on free slots, or 0 (never a base of children).
    uint32_t find_base(Block& block, const std::vector<uint32_t>& labels) const {
        while (block.first_free < block.start + 256 && !is_free(block.first_free))
            ++block.first_free;
        for (uint32_t slot = block.first_free; slot < block.start + 256; ++slot) {
            const uint32_t base = slot ^ labels[0];
            if (!is_free(slot) || base_taken[base]) continue;
            if (std::all_of(labels.begin() + 1, labels.end(),
                            [&](uint32_t label) { return is_free(base ^ label); }))
                return base;
        }
        ++block.num_misses;
        return 0;
    }

    uint32_t place(const std::vector<uint32_t>& labels) {
        std::erase_if(open,
                      [](const Block& b) { return b.num_free == 0 || b.num_misses > kMaxMisses; });
        uint32_t base = 0;
        Block* home = nullptr;
        for (Block& block : open) {
            if (block.num_free < labels.size()) continue;
            base = find_base(block, labels);
            home = &block;
            if (base != 0) break;
        }
        if (base == 0) {
            if (open.size() == kOpenBlocks) open.erase(open.begin());
            const uint32_t start = add_block();
            open.push_back({start, 256, start, 0});
            home = &open.back();
            base = start;
        }
        base_taken[base] = true;
        for (const uint32_t label : labels)
            nodes[base ^ label].base_and_label = kLeafBase << ByteTrie::kLabelBits | label;
        home->num_free -= static_cast<uint32_t>(labels.size());
        return base;
    }

    void build(const std::vector<ByteTrie::Key>& keys) {
        add_block();  // the root, alone in its block
        add_block();  // the leaves' block
        nodes[0].base_and_label = kLeafBase << ByteTrie::kLabelBits | ByteTrie::kFree;
        std::vector<Branch> branches = {{0, keys.size(), 0, 0}};
        std::vector<uint32_t> labels;
        std::vector<size_t> starts;
        for (size_t i = 0; i < branches.size(); ++i) {
            Branch b = branches[i];
            if (b.low < b.high && keys[b.low].bytes.size() == b.depth)
                nodes[b.node].value = keys[b.low++].value;
            if (b.low == b.high) continue;
            labels.clear();
            starts.clear();
            for (size_t k = b.low; k < b.high; ++k) {
                const uint32_t label = static_cast<unsigned char>(keys[k].bytes[b.depth]);
                if (!labels.empty() && labels.back() == label) continue;
                labels.push_back(label);
                starts.push_back(k);
            }
            starts.push_back(b.high);
            const uint32_t base = place(labels);
            uint32_t& word = nodes[b.node].base_and_label;
            word = base << ByteTrie::kLabelBits | (word & ByteTrie::kLabelMask);
            for (size_t k = 0; k < labels.size(); ++k)
                branches.push_back({starts[k], starts[k + 1], b.depth + 1, base ^ labels[k]});
        }
    }
};

ByteTrie::ByteTrie(std::vector<Key> keys) {
    std::sort(keys.begin(), keys.end(),
              [](const Key& a, const Key& b) { return a.bytes < b.bytes; });
    ByteTrieBuilder{nodes_, {}, {}}.build(keys);
}

}  // namespace saker
