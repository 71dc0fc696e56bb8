// The model type of a config.json, told in words where it is not one that Saker serves.
//
// Used by folder_kind.h. To tell another family by its name: one row in model_type.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "json/json.h"

namespace saker {

/// Passes where `model_type` is one of `served`, or where it is missing or no text, of which the
/// model's own reader complains. Throws StartupError that says what the model is: another family by
/// its name, a text-only model, an image tower alone. `file` is the path of config.json.
void check_model_type(const json::object& config, const std::string& file,
                      std::span<const std::string_view> served);

}  // namespace saker
