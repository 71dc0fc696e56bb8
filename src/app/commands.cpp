// What all commands share: the version, and how an Error is told.
#include "app/commands.h"

#include <cstdio>

namespace saker {

std::string version() {
    return "0.1.0";
}

int report(const Error& error) {
    std::fprintf(stderr, "saker: %s\n", error.message.c_str());
    const bool ours =
        error.code == ErrorCode::numeric_error || error.code == ErrorCode::internal_error;
    return ours ? 3 : 2;
}

}  // namespace saker
