// The files beside a tokenizer.json that change what transformers makes of it:
// tokenizer_config.json and the older added_tokens.json.
//
// Called by Tokenizer::load alone. transformers takes the added tokens of these files into the
// tokenizer: new ones get the next id, known ones the flags that are given here.
#pragma once

#include <filesystem>

#include "text/tokenizer_file.h"

namespace saker {

/// Changes the added tokens of `file` as the files in `folder` say; nothing where there are none.
/// Throws StartupError for settings that change ids and that we do not do, and for an id that is
/// not the one that transformers would give.
void read_tokenizer_settings(const std::filesystem::path& folder, int64_t vocab_size,
                             TokenizerFile& file);

}  // namespace saker
