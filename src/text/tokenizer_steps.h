// The parts of tokenizer.json around the model: normalizer, pre_tokenizer, post_processor, decoder.
//
// Each is one step or a Sequence of them, to any depth. Called by read_tokenizer_file alone. To
// read another kind of step, add it here, to tokenizer_keys.cpp, and where Tokenizer does it.
#pragma once

#include <string>

#include "json/json.h"
#include "text/tokenizer_file.h"

namespace saker {

/// Fills the members of `file` that say what happens to text before it meets the model. `name` is
/// the file's, for messages. Throws StartupError for steps that change ids or text and that we do
/// not do.
void read_steps(const JsonReader& root, const std::string& name, TokenizerFile& file);

}  // namespace saker
