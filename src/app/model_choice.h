// The model that a command is to use: where its name leads, and whether Saker can serve it.
#pragma once

#include "app/options.h"

namespace saker {

/// Puts the folder in place of `options.model` where that names a model in a Hugging Face cache: a
/// folder of the cache, or the id of a repository. Throws StartupError.
void resolve_model(Options& options);

/// Throws StartupError that says what the model's folder is, where it is no checkpoint that the
/// command can use; before anything of it is loaded.
void check_model(const Options& options);

}  // namespace saker
