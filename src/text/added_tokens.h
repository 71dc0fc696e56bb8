// AddedTokenFinder: where a text spells one of a few given strings.
//
// The leftmost match wins, and of those that start together the longest. Used by Tokenizer for the
// tokens beside the vocabulary ("<|im_start|>").
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker {

class AddedTokenFinder {
  public:
    struct Added {
        std::string text;  // not empty
        int32_t id;
    };
    AddedTokenFinder() = default;
    explicit AddedTokenFinder(std::vector<Added> tokens);

    struct Match {
        size_t begin, size;
        int32_t id;
    };
    std::optional<Match> find(std::string_view text, size_t from) const;

    bool empty() const { return tokens_.empty(); }

  private:
    std::vector<Added> tokens_;             // by first byte, then longest first
    std::array<uint32_t, 257> first_of_{};  // tokens_ with first byte b: [b] to [b + 1]
    std::string first_bytes_;
};

}  // namespace saker
