// Loop: what the name `loop` stands for inside a `for`, and where that `for` stands.
//
// Items are fetched one by one, so that the condition of a `for … if` is asked when Jinja asks it:
// a step ahead where the body looks at loop.last or loop.nextitem, and for all items where it looks
// at loop.length.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "jinja/value.h"

namespace saker::jinja {

class Condition;  // of a `for … if`; interpreter.cpp has it

struct Loop {
    std::span<const Value> items;
    size_t cursor = 0;  // of the next item to fetch
    Condition* condition = nullptr;
    Value previous, current, next;
    bool has_previous = false, has_next = false;  // `next` is fetched
    int64_t index0 = -1;
    Value* seen = nullptr;  // what loop.changed was called with
    uint32_t num_seen = 0;

    /// Steps to the next item; false at the end.
    bool advance(Heap& heap);
    /// Whether there is one more.
    bool peek(Heap& heap);
    int64_t length(Heap& heap);
    /// loop.name, where there is such a thing.
    std::optional<Value> attribute(Heap& heap, std::string_view name);

  private:
    bool fetch(Heap& heap, Value& out);
};

class Condition {
  public:
    virtual bool holds(const Value& item) = 0;

  protected:
    ~Condition() = default;
};

}  // namespace saker::jinja
