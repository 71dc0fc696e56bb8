// Heap: the memory and the patience that one rendering of a template has.
//
// Everything that a rendering makes lies in its Heap and goes with it, so values are plain pointers
// (value.h) that nobody frees. Each allocation and each step of work is counted: a template
// that loops, doubles a string or nests without end is stopped by a Fault, within about a second.
// A Fault is thrown from any depth of an expression and caught by JinjaTemplate alone, which turns
// it into a StartupError or an Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace saker::jinja {

struct Fault {
    std::string sentence;    // without its full stop
    bool is_raised = false;  // by the template's own raise_exception
    int line = 0;            // 0: where the interpreter stands
};

struct Limits {
    size_t max_bytes = size_t{256} << 20;  // of all that a rendering makes
    uint64_t max_steps = 20'000'000;       // a node of the tree is one, and so are 32 bytes of text
    int max_depth = 800;                   // of expressions, statements and macros in one another
};

inline constexpr int kMaxValueDepth = 200;  // of lists in lists, where they are written or compared

class Heap {
  public:
    explicit Heap(Limits limits = {}) : limits_(limits), steps_left_(limits.max_steps) {}
    Heap(Heap&&) noexcept = default;
    Heap& operator=(Heap&&) noexcept = default;

    /// Memory for `count` objects that need no destructor; not initialised.
    template <class T>
    T* array(size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        if (count > limits_.max_bytes / sizeof(T)) too_large();
        return static_cast<T*>(allocate(count * sizeof(T)));
    }
    template <class T>
    T* make(T object) {
        return new (array<T>(1)) T(std::move(object));
    }

    /// Makes room for `size` bytes behind `end`, where nothing was made after `end`: a text that
    /// grows at its end is not copied. False where it cannot be done.
    bool extend(const char* end, size_t size);
    char* bytes(size_t size);

    /// Counts `steps` of work.
    void charge(uint64_t steps = 1) {
        if (steps > steps_left_) too_slow();
        steps_left_ -= steps;
    }
    /// The same for work on `size` bytes of text.
    void charge_bytes(size_t size) { charge(size / 32 + 1); }

    /// Counts `size` bytes that lie elsewhere, until they are released.
    void hold(size_t size) {
        expect_room(size);
        used_ += size;
    }
    void release(size_t size) { used_ -= size; }

    const Limits& limits() const { return limits_; }

  private:
    struct Block {
        std::unique_ptr<char[]> memory;
        char *at = nullptr, *end = nullptr;
    };

    void expect_room(size_t size) const {
        if (size > limits_.max_bytes || used_ > limits_.max_bytes - size) too_large();
    }
    void* allocate(size_t size);
    void grow(Block& block, size_t size);
    [[noreturn]] void too_large() const;
    [[noreturn]] void too_slow() const;

    Limits limits_;
    uint64_t steps_left_;
    size_t used_ = 0;
    Block objects_, text_;  // apart, so that texts can grow
    std::vector<std::unique_ptr<char[]>> full_;
};

}  // namespace saker::jinja
