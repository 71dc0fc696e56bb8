// TokenizerFile: what a tokenizer.json says, checked.
//
// Read once by Tokenizer::load. Everything that we would treat otherwise than Hugging Face's
// tokenizers is refused here, with the file, the key and the rule; so the code behind it has no
// cases of its own.
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
    int32_t id;
    bool is_special;     // decoding may leave it out
    bool is_normalized;  // looked for in the text after NFC, not before
};

struct TokenizerFile {
    std::vector<std::string> token_bytes;  // by id; what decoding yields, added tokens included
    std::array<int32_t, 256> byte_tokens;
    std::vector<BpeMerge> merges;
    std::vector<AddedToken> added;
    std::string split_pattern;
    bool has_nfc = false;
};

/// Throws StartupError. Ids must be below `vocab_size`.
TokenizerFile read_tokenizer_file(const std::filesystem::path& path, int64_t vocab_size);

}  // namespace saker
