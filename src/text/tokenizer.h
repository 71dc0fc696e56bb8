// Tokenizer: text to token ids and back, as Hugging Face's byte-level BPE of the Qwen family does.
//
// Built once at start-up from a model's tokenizer.json; immutable afterwards, so any number of
// threads may use it at once. serve encodes prompts with it (prompt_parts.h) and decodes answers
// (detokenizer.h). The pipeline: added tokens (added_tokens.h), the normal form (normalize.h), the
// splits into pieces (pretokenizer.h), and merges inside each piece (bpe.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace saker {

class Tokenizer {
  public:
    /// Reads a tokenizer.json, and the added tokens of the tokenizer_config.json or
    /// added_tokens.json beside it, as transformers does. Throws StartupError, naming the file and
    /// the rule, for anything that it would read otherwise than Hugging Face does, and for ids that
    /// are not below `vocab_size`, the rows of the model's embedding.
    static Tokenizer load(const std::filesystem::path& tokenizer_json,
                          int64_t vocab_size = kMaxVocabSize);
    static constexpr int64_t kMaxVocabSize = int64_t{1} << 21;

    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    /// Ids of plain text. Added tokens are not recognised: no user text yields a control token.
    /// Bytes that are not UTF-8 are read as U+FFFD. Linear in time.
    std::vector<TokenId> encode(std::string_view text) const;

    /// Ids as Hugging Face gives them: text that spells an added token becomes that token. For
    /// trusted text only.
    std::vector<TokenId> encode_with_added(std::string_view text) const;

    /// Id of the added token that is spelled exactly so.
    std::optional<TokenId> added_token(std::string_view text) const;

    /// A trusted text, taken apart as encode_with_added does it: added tokens by the text that the
    /// file gives them, and what stands between, white space that a token swallows included. Text
    /// beside a token that is looked for in the normal form comes out in that form.
    struct AddedSplit {
        std::string text;
        std::optional<TokenId> id;
    };
    std::vector<AddedSplit> split_added(std::string_view text) const;

    /// `text` without the white space that the tokens before and behind it swallow.
    std::string_view without_swallowed(std::string_view text, std::optional<TokenId> before,
                                       std::optional<TokenId> behind) const;

    /// Whether decoding may leave the token out ("special": true in the file).
    bool is_special(TokenId id) const;

    /// The bytes that a token stands for, which may be part of a character. Empty for ids that the
    /// file does not know.
    std::string_view token_bytes(TokenId id) const;

    /// Text of `ids`; what is not UTF-8 becomes U+FFFD, one for each maximal wrong part.
    std::string decode(std::span<const TokenId> ids, bool skip_special = false) const;

    /// Largest id + 1.
    int64_t num_ids() const;

    /// Length in bytes of the longest token: `text` has at least size / this many tokens.
    int64_t max_token_bytes() const;

  private:
    struct Parts;
    explicit Tokenizer(std::unique_ptr<const Parts> parts);
    std::unique_ptr<const Parts> parts_;
};

}  // namespace saker
