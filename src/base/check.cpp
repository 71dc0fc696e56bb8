// What CHECK does when it fails, and the wire spelling of error codes.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

#include "base/result.h"

namespace saker {

void check_failed(const char* file, int line, const char* condition, std::string_view sentence) {
    std::fprintf(stderr, "saker: bug at %s:%d: %.*s (%s is false)\n", file, line,
                 static_cast<int>(sentence.size()), sentence.data(), condition);
    std::fflush(stderr);
    std::abort();
}

std::string_view to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_value:
            return "invalid_value";
        case ErrorCode::invalid_json:
            return "invalid_json";
        case ErrorCode::invalid_utf8:
            return "invalid_utf8";
        case ErrorCode::invalid_schema:
            return "invalid_schema";
        case ErrorCode::context_length_exceeded:
            return "context_length_exceeded";
        case ErrorCode::invalid_image:
            return "invalid_image";
        case ErrorCode::image_too_large:
            return "image_too_large";
        case ErrorCode::unsupported_image:
            return "unsupported_image";
        case ErrorCode::invalid_video:
            return "invalid_video";
        case ErrorCode::too_many_items:
            return "too_many_items";
        case ErrorCode::numeric_error:
            return "numeric_error";
        case ErrorCode::internal_error:
            return "internal_error";
    }
    return "internal_error";
}

}  // namespace saker
