// Unicode's normal forms: NFC, the composed one, in which the Qwen tokenizer reads text, and NFD.
//
// Nearly all text is in that form already, so a quick look decides and nothing is copied; only the
// stretches around characters that may compose are rewritten. Linear in time but for the sorting of
// runs of combining marks (n log n). Hugging Face's tokenizers know an older Unicode: where marks
// added since version 9 stand out of order, they leave them so and we do not.
#pragma once

#include <string>
#include <string_view>

#include "text/char_table.h"

namespace saker {

/// `text`, which must be valid UTF-8, in NFC. The result is `text` itself, or a view of `buffer`.
std::string_view to_nfc(const CharTable& table, std::string_view text, std::string& buffer);

/// The same in NFD, where every character stands in its parts.
std::string_view to_nfd(std::string_view text, std::string& buffer);

}  // namespace saker
