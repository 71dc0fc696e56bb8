// Arbitrary bytes as JSON: refused with a sentence, or read so that what is written reads back the
// same.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace saker;
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    for (bool exact : {false, true}) {
        JsonLimits limits;
        limits.exact_integers = exact;
        const auto value = parse_json(text, "The text", limits);
        if (!value.ok()) {
            CHECK(value.error().message.starts_with("The text ") &&
                      value.error().message.ends_with('.'),
                  "a fault of JSON is one sentence about it");
            continue;
        }
        for (int indent : {0, 3}) {
            const std::string written = dump_json(*value, indent);
            const auto again = parse_json(written, "The copy", limits);
            CHECK(again.ok(), "what is written can be read");
            CHECK(dump_json(*again, indent) == written, "what is read again is written the same");
        }
    }
    JsonLimits limits;
    limits.max_depth = 2;
    limits.max_bytes = 100;
    CHECK(size <= 100 || !parse_json(text, "The text", limits).ok(), "the limit of bytes holds");
    return 0;
}
