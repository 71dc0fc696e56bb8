// Pretokenizer: cuts text into the pieces inside which merges happen.
//
// The pattern comes from tokenizer.json. That of the Qwen family is scanned by hand, in one pass
// over a table; any other runs under PCRE2 with a match limit. Either way the pieces, joined, are
// the text. Immutable and shared by threads; a PieceCursor belongs to one call.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "text/char_table.h"

namespace saker {

/// The pattern of all Qwen2, Qwen2.5, Qwen3 and Qwen3-VL models.
inline constexpr std::string_view kQwenPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// What a ByteLevel step splits with where its use_regex is set: GPT-2's pattern.
inline constexpr std::string_view kByteLevelPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// End of the piece of kQwenPattern that starts at `begin`, which is below text.size().
size_t qwen_piece_end(const CharTable& table, std::string_view text, size_t begin);

/// A compiled pattern.
class SplitPattern {
  public:
    /// Throws std::invalid_argument with the rule that the pattern breaks: it must compile, be
    /// short, mean the same to Oniguruma and PCRE2, and not run away on simple texts.
    explicit SplitPattern(std::string_view pattern);
    ~SplitPattern();
    SplitPattern(const SplitPattern&) = delete;
    SplitPattern& operator=(const SplitPattern&) = delete;

    struct Code;

  private:
    friend class PieceCursor;
    std::unique_ptr<const Code> code_;
};

/// Steps through the pieces of one text under a compiled pattern: each match, and each gap between
/// matches. Where matching goes over its limit, the rest of the text is one piece.
class PieceCursor {
  public:
    /// Both must outlive the cursor.
    explicit PieceCursor(const SplitPattern& pattern, std::string_view text = {});
    PieceCursor(const PieceCursor&) = delete;
    PieceCursor& operator=(const PieceCursor&) = delete;
    ~PieceCursor();

    /// Begins again with another text: cheaper than another cursor.
    void restart(std::string_view text);

    std::optional<std::string_view> next();
    bool ran_away() const { return ran_away_; }

  private:
    struct Matching;
    void find();

    const SplitPattern::Code* code_;
    std::string_view text_;
    std::unique_ptr<Matching> matching_;
    size_t done_ = 0;                         // what the pieces so far cover
    size_t match_begin_ = 0, match_end_ = 0;  // the match found ahead; it is not empty
    bool has_match_ = false, ran_away_ = false;
};

}  // namespace saker
