// Text: a string of a template, whose bytes know who wrote them.
//
// Texts are immutable and lie in a Heap. What makes one of others (join, slice, replace, upper)
// keeps each byte's origin: that is how no text of a client becomes a control token, through
// whatever filters it goes. TextBuilder is the way to make one piece by piece.
#pragma once

#include <span>
#include <string_view>

#include "jinja/heap.h"
#include "jinja/origin_text.h"

namespace saker::jinja {

struct Text {
    const char* bytes = "";
    uint32_t size = 0;
    uint32_t num_runs = 0;  // 0: all of it is of `origin`
    const OriginRun* runs = nullptr;
    Origin origin = Origin::author;

    std::string_view view() const { return {bytes, size}; }
    Origin origin_at(size_t at) const;
};

inline constexpr size_t kMaxTextBytes = size_t{128} << 20;

/// A text of bytes that outlive the heap; they are not copied.
const Text* borrow_text(Heap& heap, std::string_view bytes, Origin origin);
const Text* copy_text(Heap& heap, std::string_view bytes, Origin origin);

/// The bytes from `begin` to `end`, not copied.
const Text* slice_text(Heap& heap, const Text& text, size_t begin, size_t end);
/// The same for `view`, which is a part of the bytes of `text`.
const Text* part_of(Heap& heap, const Text& text, std::string_view view);
const Text* join_texts(Heap& heap, const Text& a, const Text& b);

/// First place of `wanted` in `text` at or after `from`, or npos. Linear in time.
size_t find_text(Heap& heap, std::string_view text, std::string_view wanted, size_t from = 0);
/// The last place of `wanted` in `text`, or npos.
size_t find_last_text(Heap& heap, std::string_view text, std::string_view wanted);

class TextBuilder {
  public:
    explicit TextBuilder(Heap& heap) : heap_(heap) {}
    ~TextBuilder() { heap_.release(held_); }
    TextBuilder(const TextBuilder&) = delete;
    TextBuilder& operator=(const TextBuilder&) = delete;

    void append(std::string_view bytes, Origin origin);
    void append(const Text& text) { append(text, 0, text.size); }
    void append(const Text& text, size_t begin, size_t end);

    size_t size() const { return text_.bytes.size(); }
    /// The text so far; may be asked once.
    const Text* finish();
    OriginText take() { return std::move(text_); }

  private:
    void make_room(size_t size);

    Heap& heap_;
    OriginText text_;
    size_t held_ = 0;
};

}  // namespace saker::jinja
