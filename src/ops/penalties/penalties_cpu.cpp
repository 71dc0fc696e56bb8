// Threads over rows; a row's history goes through a hash table in scratch, so that the work is that
// of the history and not of the vocabulary. Rows whose penalties are all off cost nothing.
#include <algorithm>
#include <bit>

#include "ops/penalties/penalties_backends.h"

namespace saker::cpu {
namespace {

// An open-addressed table from ids to counts, with linear probing. At most half full.
struct Counts {
    int32_t* ids;  // [capacity], -1 where free
    int32_t* counts;
    uint32_t capacity;  // a power of two

    int32_t* find(int32_t id, bool& is_new) {
        // Multiplicative hashing, Knuth, volume 3, section 6.4.
        uint32_t at = static_cast<uint32_t>(id) * 2654435769u;
        for (at &= capacity - 1;; at = (at + 1) & (capacity - 1)) {
            is_new = ids[at] < 0;
            if (!is_new && ids[at] != id) continue;
            ids[at] = id;
            return counts + at;
        }
    }
};

struct Row {
    float* logits;
    int64_t V;
    const int32_t* history;
    int64_t num_prompt, num_all;
    float repetition, presence, frequency;
};

void punish(const Row& row, Counts table) {
    std::fill_n(table.ids, table.capacity, -1);
    std::fill_n(table.counts, table.capacity, 0);
    bool is_new = false;
    for (int64_t i = 0; i < row.num_all; ++i) {
        const int32_t id = row.history[i];
        if (id < 0 || id >= row.V) continue;
        int32_t* count = table.find(id, is_new);
        if (i >= row.num_prompt) ++*count;
        float& l = row.logits[id];
        if (is_new) l = l > 0 ? l / row.repetition : l * row.repetition;
    }
    for (int64_t i = std::max<int64_t>(row.num_prompt, 0); i < row.num_all; ++i) {
        const int32_t id = row.history[i];
        if (id < 0 || id >= row.V) continue;
        int32_t* count = table.find(id, is_new);
        if (*count == 0) continue;
        row.logits[id] -= row.frequency * static_cast<float>(*count) + row.presence;
        *count = 0;
    }
}

}  // namespace

void penalties(const Exec& ex, const Tensor& logits, const Tensor& history, const Tensor& starts,
               const Tensor& prompt_tokens, const Tensor& repetition, const Tensor& presence,
               const Tensor& frequency) {
    // bit_ceil(2n) < 4n: the table of row s lies at 4 starts[s].
    ScratchScope scratch(ex);
    int32_t* ids = scratch.take(DType::i32, {4 * history.dim(0)}).as<int32_t>();
    int32_t* counts = scratch.take(DType::i32, {4 * history.dim(0)}).as<int32_t>();
    ex.pool->run(logits.dim(0), [&](int64_t s) {
        const int64_t begin = starts.as<int32_t>()[s], end = starts.as<int32_t>()[s + 1];
        const Row row = {logits.row<float>(s),
                         logits.dim(1),
                         history.as<int32_t>() + begin,
                         prompt_tokens.as<int32_t>()[s],
                         end - begin,
                         repetition.as<float>()[s],
                         presence.as<float>()[s],
                         frequency.as<float>()[s]};
        const bool is_on = row.repetition != 1 || row.presence != 0 || row.frequency != 0;
        if (!is_on || end == begin) return;
        const auto capacity = std::bit_ceil(static_cast<uint32_t>(2 * (end - begin)));
        punish(row, {ids + 4 * begin, counts + 4 * begin, capacity});
    });
}

}  // namespace saker::cpu
