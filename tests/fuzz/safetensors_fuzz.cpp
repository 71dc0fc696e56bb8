// Arbitrary bytes as a safetensors file: refused with a sentence that names the file, or every
// tensor lies inside the file, apart from the others, and its numbers fit its shape.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "base/check.h"
#include "weights/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    using namespace saker;
    const int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    CHECK(descriptor >= 0 && write(descriptor, bytes, size) == static_cast<ssize_t>(size),
          "a file in memory");
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    try {
        const SafetensorsFile file(path);
        int64_t covered = 0;
        unsigned sum = 0;
        for (const std::string& name : file.names()) {
            const TensorEntry* entry = file.find(name);
            if (!entry) {
                covered = -1;  // a type that cannot be used, whose size nobody tells
                break;
            }
            int64_t elements = 1;
            for (int64_t dim : entry->shape) elements *= dim;
            CHECK(elements * size_of(entry->dtype) == entry->size_bytes, "the shape fits");
            for (int64_t i = 0; i < entry->size_bytes; ++i)
                sum += static_cast<unsigned>(entry->at[i]);
            covered += entry->size_bytes;
        }
        CHECK(covered < 0 || covered == file.total_bytes(), "the tensors cover the numbers once");
        CHECK(sum <= 255u * size, "the numbers are bytes of the file");
    } catch (const StartupError& error) {
        const std::string sentence = error.what();
        CHECK(sentence.starts_with(path + ": ") && sentence.ends_with('.'),
              "a fault is one sentence about the file");
    }
    close(descriptor);
    return 0;
}
