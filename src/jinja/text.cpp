// See text.h.
#include "jinja/text.h"

#include <string.h>  // memmem

#include <algorithm>
#include <cstring>

namespace saker::jinja {
namespace {

const Text kEmpty;

// Runs of `text` between begin and end, as a new list that begins at `shift`.
size_t copy_runs(const Text& text, size_t begin, size_t end, size_t shift, OriginRun* out) {
    if (begin == end) return 0;
    if (text.num_runs == 0) {
        out[0] = {static_cast<uint32_t>(end - begin + shift), text.origin};
        return 1;
    }
    const OriginRun* run =
        std::upper_bound(text.runs, text.runs + text.num_runs, begin,
                         [](size_t at, const OriginRun& r) { return at < r.end; });
    size_t count = 0;
    for (;; ++run) {
        const size_t stop = std::min<size_t>(run->end, end);
        out[count++] = {static_cast<uint32_t>(stop - begin + shift), run->origin};
        if (stop == end) return count;
    }
}

size_t most_runs(const Text& text) {
    return std::max<size_t>(text.num_runs, 1);
}

// One run is told by its origin alone.
void set_runs(Text& text, const OriginRun* runs, size_t count) {
    if (count > 0) text.origin = runs[0].origin;
    if (count <= 1) return;
    text.runs = runs;
    text.num_runs = static_cast<uint32_t>(count);
}

void check_size(size_t size) {
    if (size > kMaxTextBytes)
        throw Fault{"makes a text of more than " + std::to_string(kMaxTextBytes >> 20) + " MiB"};
}

}  // namespace

Origin Text::origin_at(size_t at) const {
    if (num_runs == 0) return origin;
    return std::upper_bound(runs, runs + num_runs - 1, at,
                            [](size_t place, const OriginRun& r) { return place < r.end; })
        ->origin;
}

const Text* borrow_text(Heap& heap, std::string_view bytes, Origin origin) {
    check_size(bytes.size());
    Text text;
    text.bytes = bytes.data();
    text.size = static_cast<uint32_t>(bytes.size());
    text.origin = origin;
    return heap.make(text);
}

const Text* copy_text(Heap& heap, std::string_view bytes, Origin origin) {
    check_size(bytes.size());
    heap.charge_bytes(bytes.size());
    if (bytes.empty()) return &kEmpty;
    char* const copy = heap.bytes(bytes.size());
    std::memcpy(copy, bytes.data(), bytes.size());
    return borrow_text(heap, {copy, bytes.size()}, origin);
}

const Text* slice_text(Heap& heap, const Text& text, size_t begin, size_t end) {
    if (begin == 0 && end == text.size) return &text;
    if (begin >= end) return &kEmpty;
    Text out;
    out.bytes = text.bytes + begin;
    out.size = static_cast<uint32_t>(end - begin);
    out.origin = text.origin;
    if (text.num_runs > 0) {
        heap.charge(text.num_runs / 8 + 1);
        OriginRun* const runs = heap.array<OriginRun>(text.num_runs);
        set_runs(out, runs, copy_runs(text, begin, end, 0, runs));
    }
    return heap.make(out);
}

const Text* part_of(Heap& heap, const Text& text, std::string_view view) {
    if (view.empty()) return &kEmpty;
    const auto begin = static_cast<size_t>(view.data() - text.bytes);
    return slice_text(heap, text, begin, begin + view.size());
}

const Text* join_texts(Heap& heap, const Text& a, const Text& b) {
    if (a.size == 0) return &b;
    if (b.size == 0) return &a;
    check_size(size_t{a.size} + b.size);
    heap.charge_bytes(b.size);
    Text out;
    out.size = a.size + b.size;
    if (heap.extend(a.bytes + a.size, b.size)) {
        out.bytes = a.bytes;
        std::memmove(const_cast<char*>(a.bytes) + a.size, b.bytes, b.size);
    } else {
        heap.charge_bytes(a.size);
        char* const bytes = heap.bytes(out.size);
        std::memcpy(bytes, a.bytes, a.size);
        std::memcpy(bytes + a.size, b.bytes, b.size);
        out.bytes = bytes;
    }
    out.origin = a.origin;
    if (a.num_runs == 0 && b.num_runs == 0 && a.origin == b.origin) return heap.make(out);
    heap.charge((most_runs(a) + most_runs(b)) / 8 + 1);
    OriginRun* const runs = heap.array<OriginRun>(most_runs(a) + most_runs(b));
    size_t count = copy_runs(a, 0, a.size, 0, runs);
    const size_t added = copy_runs(b, 0, b.size, a.size, runs + count);
    if (runs[count].origin == runs[count - 1].origin) {  // where they meet is no border
        std::copy(runs + count, runs + count + added, runs + count - 1);
        --count;
    }
    set_runs(out, runs, count + added);
    return heap.make(out);
}

size_t find_text(Heap& heap, std::string_view text, std::string_view wanted, size_t from) {
    if (from > text.size()) return std::string_view::npos;
    const char* const begin = text.data() + from;
    const void* const found = memmem(begin, text.size() - from, wanted.data(), wanted.size());
    const size_t at = found ? static_cast<size_t>(static_cast<const char*>(found) - text.data())
                            : std::string_view::npos;
    heap.charge_bytes((found ? at : text.size()) - from + wanted.size());
    return at;
}

size_t find_last_text(Heap& heap, std::string_view text, std::string_view wanted) {
    if (wanted.empty()) return text.size();
    if (wanted.size() > text.size()) return std::string_view::npos;
    heap.charge_bytes(text.size());
    for (size_t at = text.size() - wanted.size() + 1; at-- > 0;) {
        if (text[at] != wanted[0]) continue;
        heap.charge_bytes(wanted.size());
        if (text.substr(at, wanted.size()) == wanted) return at;
    }
    return std::string_view::npos;
}

void TextBuilder::make_room(size_t size) {
    check_size(text_.bytes.size() + size);
    heap_.charge_bytes(size);
    heap_.hold(size);
    held_ += size;
}

void TextBuilder::append(std::string_view bytes, Origin origin) {
    make_room(bytes.size());
    text_.append(bytes, origin);
}

void TextBuilder::append(const Text& text, size_t begin, size_t end) {
    make_room(end - begin);
    if (text.num_runs == 0) {
        text_.append(text.view().substr(begin, end - begin), text.origin);
        return;
    }
    const OriginRun* run =
        std::upper_bound(text.runs, text.runs + text.num_runs, begin,
                         [](size_t at, const OriginRun& r) { return at < r.end; });
    while (begin < end) {
        const size_t stop = std::min<size_t>(run->end, end);
        text_.append(text.view().substr(begin, stop - begin), run->origin);
        heap_.charge();
        begin = stop;
        ++run;
    }
}

const Text* TextBuilder::finish() {
    const auto& runs = text_.runs;
    const Text* plain =
        copy_text(heap_, text_.bytes, runs.empty() ? Origin::author : runs[0].origin);
    if (runs.size() <= 1) return plain;
    Text out = *plain;
    OriginRun* const copy = heap_.array<OriginRun>(runs.size());
    std::copy(runs.begin(), runs.end(), copy);
    set_runs(out, copy, runs.size());
    return heap_.make(out);
}

}  // namespace saker::jinja
