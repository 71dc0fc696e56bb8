// ByteTrie: the longest of many byte strings that a text starts with.
//
// A double array: the child of a node for byte b stands at index base ^ b, so a step is one load
// and one compare, and a node is eight bytes. Built once; used by bpe.h and added_tokens.h.
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

    struct Match {
        int32_t value;  // -1: no key is a start of the text
        uint32_t size;  // bytes
    };
    /// The longest key that `text` starts with.
    Match longest(std::string_view text) const {
        Match best = {-1, 0};
        uint32_t base = nodes_[0].base_and_label >> kLabelBits, size = 0;
        for (const char c : text) {
            const uint32_t byte = static_cast<unsigned char>(c);
            const Node& node = nodes_[base ^ byte];
            if ((node.base_and_label & kLabelMask) != byte) break;
            ++size;
            if (node.value >= 0) best = {node.value, size};
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
