// The engine is planned for the processor's largest image: a request may ask for less alone.
#include "serve/image_limits.h"

#include <algorithm>
#include <string>

namespace saker {

Result<Preprocessor> image_limits(const MediaInput& input, const Preprocessor& processor) {
    Preprocessor p = processor;
    p.image_min_pixels = input.min_pixels.value_or(p.image_min_pixels);
    p.image_max_pixels = input.max_pixels.value_or(p.image_max_pixels);
    if (p.image_max_pixels > processor.image_max_pixels)
        return Error{ErrorCode::invalid_value,
                     "Its max_pixels is " + std::to_string(p.image_max_pixels) +
                         ", but the limit is " + std::to_string(processor.image_max_pixels) +
                         ": lower it.",
                     "max_pixels"};
    if (input.max_tokens)
        p.image_max_pixels =
            std::min(p.image_max_pixels, *input.max_tokens * p.factor() * p.factor());
    if (!input.min_pixels) p.image_min_pixels = std::min(p.image_min_pixels, p.image_max_pixels);
    if (p.image_min_pixels > p.image_max_pixels)
        return Error{ErrorCode::invalid_value,
                     "Its min_pixels is " + std::to_string(p.image_min_pixels) + ", above the " +
                         std::to_string(p.image_max_pixels) +
                         " that it may have at most: lower it.",
                     "min_pixels"};
    return p;
}

}  // namespace saker
