// Quantisation: what a checkpoint's config.json says of how its weights are packed.
//
// Read before any weight file, so that a checkpoint that Saker cannot decode is refused by the name
// of its method and not by a tensor that seems to be missing. What a supported checkpoint holds is
// decoded by the types that its files store (loader.h), never by this object.
#pragma once

#include <string>

#include "json/json.h"
#include "json/keys.h"

namespace saker {

/// The keys of `quantization_config` where its method is fp8.
const KeyTable& fp8_keys();

/// Looks at `quantization_config`, at the top or in `text_config`, and at the other places where
/// tools write the same. Passes where there is none, or one of FP8 codes with scales of blocks of
/// 128 x 128. Throws StartupError naming the method and its bits for every other one, and the key
/// for an unknown key. `file` is the path of config.json, for messages.
void check_quantization(const json::object& config, const std::string& file);

}  // namespace saker
