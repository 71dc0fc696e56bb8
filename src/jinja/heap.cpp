// See heap.h. Memory is taken in blocks that double up to 1 MiB.
#include "jinja/heap.h"

#include <algorithm>

namespace saker::jinja {
namespace {

constexpr size_t kFirstBlock = size_t{4} << 10, kLargestBlock = size_t{1} << 20;

}  // namespace

void Heap::grow(Block& block, size_t size) {
    expect_room(size);
    const size_t taken = std::max(size, std::clamp(used_, kFirstBlock, kLargestBlock));
    if (block.memory) full_.push_back(std::move(block.memory));
    block.memory.reset(new char[taken]);
    block.at = block.memory.get();
    block.end = block.at + taken;
}

void* Heap::allocate(size_t size) {
    constexpr size_t kAlign = alignof(std::max_align_t);
    size = (size + kAlign - 1) / kAlign * kAlign;
    if (static_cast<size_t>(objects_.end - objects_.at) < size) grow(objects_, size);
    expect_room(size);
    used_ += size;
    void* const out = objects_.at;
    objects_.at += size;
    return out;
}

char* Heap::bytes(size_t size) {
    if (static_cast<size_t>(text_.end - text_.at) < size) grow(text_, size);
    expect_room(size);
    used_ += size;
    char* const out = text_.at;
    text_.at += size;
    return out;
}

bool Heap::extend(const char* end, size_t size) {
    const bool is_last = text_.at != text_.memory.get() && end == text_.at;
    if (!is_last || static_cast<size_t>(text_.end - text_.at) < size) return false;
    bytes(size);
    return true;
}

void Heap::too_large() const {
    throw Fault{"needs more than " + std::to_string(limits_.max_bytes >> 20) + " MiB"};
}

void Heap::too_slow() const {
    throw Fault{"takes more than " + std::to_string(limits_.max_steps) + " steps"};
}

}  // namespace saker::jinja
