// TokenizerFile: what a tokenizer.json says, checked.
//
// Read once by Tokenizer::load. Everything that we would treat otherwise than Hugging Face's
// tokenizers is refused here, with the file, the key and the rule; so the code behind it has no
// cases of its own. tokenizer_steps.h reads what happens before and behind the model,
// tokenizer_settings.h what the files beside it change.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "text/bpe.h"

namespace saker {

struct AddedToken {
    std::string text;
    int32_t id = 0;
    bool is_special = false;     // decoding may leave it out
    bool is_normalized = false;  // looked for in the text after its normal form, not before
    bool strips_left = false;    // swallows the white space before it
    bool strips_right = false;   // and behind it
    bool is_whole_word = false;  // none where a character of words stands beside it

    bool operator==(const AddedToken&) const = default;
};

enum class NormalForm { none, nfc, nfd };

/// Cuts text around what a pattern matches.
struct SplitStep {
    std::string pattern;
    std::string key;  // where the file says it
};

struct TokenizerFile {
    std::vector<std::string> token_bytes;  // by id; what decoding yields, added tokens included
    std::vector<bool> spells_bytes;  // by id: whether the vocabulary writes it in byte letters
    std::array<int32_t, 256> byte_tokens;
    std::vector<BpeMerge> merges;
    bool ignores_merges = false;  // a piece that is a token is that token, merges or not
    std::vector<AddedToken> added;
    // The id that Hugging Face gives the next added token that the vocabulary lacks, whatever a
    // file says: it counts on from the vocabulary, in the order of the list.
    int64_t next_added_id = 0;
    NormalForm form = NormalForm::none;
    std::vector<SplitStep> splits;   // one after the other
    bool adds_prefix_space = false;  // then a blank before each piece that has none
    bool splits_bytes = false;       // then kByteLevelPattern
};

/// Throws StartupError. Ids must be below `vocab_size`.
TokenizerFile read_tokenizer_file(const std::filesystem::path& path, int64_t vocab_size);

/// The bytes that a token of the vocabulary stands for: those that its letters spell. One that
/// spells none can be decoded only, as the text it is.
std::string bytes_of_token(std::string_view token);

}  // namespace saker
