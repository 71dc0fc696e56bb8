// The keys of tokenizer.json, object by object: one KeyTable each, for tokenizer_file.cpp and
// tokenizer_steps.cpp to check against and docs/compatibility.md to list.
#pragma once

#include <span>

#include "json/keys.h"

namespace saker {

struct TokenizerKeys {
    static const KeyTable top, model, added_token;
    static const KeyTable sequence, normal_form, split, pattern, digits, byte_level, fuse, layout;
    static const KeyTable settings, added_setting;  // tokenizer_config.json

    /// All of them.
    static std::span<const KeyTable* const> all();
};

}  // namespace saker
