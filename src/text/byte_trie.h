// ByteTrie: the longest of many byte strings that a text starts with.
//
// A double array: the child of a node for byte b stands at index base ^ b, so a step is one load
// and one compare, and a node is eight bytes. Built once, by bpe.h.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace saker {

class ByteTrie {
  public:
    struct Key {
        std::string_view bytes;  // not empty; no two equal
        int32_t value;           // not negative
    };
    ByteTrie() = default;
    explicit ByteTrie(std::vector<Key> keys);

    /// The value of the longest key that `text` starts with, or -1.
    int32_t longest(std::string_view text) const {
        int32_t best = -1;
        uint32_t base = nodes_[0].base_and_label >> kLabelBits;
        for (const char c : text) {
            const uint32_t byte = static_cast<unsigned char>(c);
            const Node& node = nodes_[base ^ byte];
            if ((node.base_and_label & kLabelMask) != byte) break;
            if (node.value >= 0) best = node.value;
            base = node.base_and_label >> kLabelBits;
        }
        return best;
    }

  private:
    static constexpr uint32_t kLabelBits = 9;  // a byte, or kFree
    static constexpr uint32_t kLabelMask = (1u << kLabelBits) - 1;
    static constexpr uint32_t kFree = 256;

    struct Node {
        uint32_t base_and_label = kFree;  // no two nodes with children share a base
        int32_t value = -1;
    };
    std::vector<Node> nodes_;

    friend struct ByteTrieBuilder;
};

}  // namespace saker
