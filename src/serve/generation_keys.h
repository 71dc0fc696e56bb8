// What Saker makes of each key that a generation_config.json may hold.
//
// The keys are those of transformers' GenerationConfig, 4.57 to 5.17, and two that vLLM's users
// write beside them. serve/generation_config.cpp reads what is honoured; docs/compatibility.md
// lists the table. To honour a key: its row here, its reading there, and a case in
// tests/sampling/make_generation_cases.py.
#pragma once

#include "json/keys.h"

namespace saker {

/// The table, for check_keys and for whoever lists it.
KeyTable generation_keys();

/// Holds `file`'s keys against the table, and the type of every value against what the key holds.
/// What only sampling reads (typical_p and its like) is refused only where `do_sample` is true, as
/// transformers passes it over elsewhere. Throws StartupError.
void check_generation_keys(const json::object& file, const std::string& path, bool do_sample);

}  // namespace saker
