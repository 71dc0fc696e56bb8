// See origin_text.h.
#include "jinja/origin_text.h"

namespace saker {

void OriginText::append(std::string_view more, Origin origin) {
    if (more.empty()) return;
    bytes += more;
    const auto end = static_cast<uint32_t>(bytes.size());
    if (!runs.empty() && runs.back().origin == origin)
        runs.back().end = end;
    else
        runs.push_back({end, origin});
}

void OriginText::cut(size_t size) {
    if (size >= bytes.size()) return;
    bytes.resize(size);
    while (!runs.empty()) {
        const size_t begin = runs.size() > 1 ? runs[runs.size() - 2].end : 0;
        if (begin < size) {
            runs.back().end = static_cast<uint32_t>(size);
            return;
        }
        runs.pop_back();
    }
}

}  // namespace saker
