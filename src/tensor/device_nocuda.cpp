// device.h in a build without CUDA: there are no devices; only host-to-host copies work.
#include <cstring>

#include "base/check.h"
#include "tensor/device.h"

namespace saker {
namespace {

[[noreturn]] void none() {
    CHECK(false, "this build has no CUDA");
}

}  // namespace

int num_devices() {
    return 0;
}
DeviceFacts device_facts(int) {
    none();
}
void use_device(int) {
    none();
}
void* device_allocate(int, int64_t) {
    none();
}
void device_free(int, void*) {
    none();
}
void* pinned_allocate(int64_t) {
    none();
}
void pinned_free(void*) {
    none();
}
int64_t num_device_allocations() {
    return 0;
}

Stream::Stream(int device) : device_(device) {
    none();
}
Stream::~Stream() = default;
void Stream::synchronize() {
    none();
}

Event::Event() {
    none();
}
Event::~Event() = default;
void Event::record(void*) {
    none();
}
void Event::synchronize() {
    none();
}
double Event::elapsed_ms_since(const Event&) const {
    none();
}

void copy(const Tensor& to, const Tensor& from, void*) {
    CHECK(to.dtype() == from.dtype() && to.num_elements() == from.num_elements() && to.is_dense() &&
              from.is_dense(),
          "copy needs dense tensors of equal dtype and size");
    if (to.size_bytes() > 0)
        std::memcpy(to.raw(), from.raw(), static_cast<size_t>(to.size_bytes()));
}

void fill_bytes(const Tensor& to, uint8_t byte, void*) {
    CHECK(to.is_dense(), "fill_bytes needs a dense tensor");
    if (to.size_bytes() > 0) std::memset(to.raw(), byte, static_cast<size_t>(to.size_bytes()));
}

}  // namespace saker
