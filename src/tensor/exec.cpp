// Names of backends, and the message where one is missing.
#include "tensor/exec.h"

#include <string>

namespace saker {

std::string_view to_string(Backend backend) {
    switch (backend) {
        case Backend::ref:
            return "ref";
        case Backend::cpu:
            return "cpu";
        case Backend::cuda:
            return "cuda";
    }
    return "?";
}

void backend_missing(const Exec& ex, const char* op) {
    CHECK(false, std::string(op) + " has no code for backend " +
                     std::string(to_string(ex.backend)) + " in this build");
}

}  // namespace saker
