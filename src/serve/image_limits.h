// image_limits: the processor's settings with the limits that one picture of a request brings along
// ("min_pixels", "max_pixels", and "detail": "low" as a number of tokens).
#pragma once

#include "base/result.h"
#include "media/preprocessor.h"
#include "serve/prepare.h"

namespace saker {

/// Errors, naming the field: a most above the processor's, for which the engine has no room, or a
/// least above the most. A limit of the processor yields to the picture's own.
Result<Preprocessor> image_limits(const MediaInput& input, const Preprocessor& processor);

}  // namespace saker
