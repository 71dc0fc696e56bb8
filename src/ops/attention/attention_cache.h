// Sequences in shuffled pages whose unused tokens are NaN, and runs of attention over parts of
// them: what both of this folder's tests share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/rng.h"
#include "ops/attention/attention.h"
#include "ops/attention/attention_cases.h"
#include "ops/harness.h"

namespace saker {

/// Query rows [begin, end) of a sequence, whose context then ends at `end`.
struct Chunk {
    size_t sequence;
    int64_t begin, end;
};

/// Sequences with queries, keys and values at every position, in pages on host.
class Cache {
  public:
    explicit Cache(const AttentionCase& c) : case_(c), host_(Backend::ref, c.name) {
        int64_t num_pages = 3;  // pages of nobody
        for (const auto& part : c.parts) num_pages += (part.context + c.B - 1) / c.B;
        std::vector<int32_t> order(static_cast<size_t>(num_pages));
        for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
        const Rng rng(c.name);
        for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.bits(i) % i]);

        k_pages = host_.output(c.dtype, {num_pages, c.K, c.B, c.D});
        v_pages = host_.output(c.dtype, {num_pages, c.K, c.B, c.D});
        size_t next = 0;
        for (size_t s = 0; s < c.parts.size(); ++s) {
            const int64_t n = c.parts[s].context, pages = (n + c.B - 1) / c.B;
            tables.emplace_back(order.begin() + static_cast<int64_t>(next),
                                order.begin() + static_cast<int64_t>(next) + pages);
            next += static_cast<size_t>(pages);
            const std::string name = std::to_string(s);
            queries.push_back(host_.random("q" + name, c.dtype, {n, c.H, c.D}));
            const Tensor k = host_.random("k" + name, c.dtype, {n, c.K, c.D}),
                         v = host_.random("v" + name, c.dtype, {n, c.K, c.D});
            for (int64_t j = 0; j < n; ++j) {
                put(k_pages, s, j, k);
                put(v_pages, s, j, v);
            }
        }
    }

    /// One head's numbers of token j of a sequence.
    char* at(const Tensor& pages, size_t s, int64_t j, int64_t head) const {
        const int64_t page = tables[s][static_cast<size_t>(j / case_.B)];
        return static_cast<char*>(pages.raw()) +
               ((page * case_.K + head) * case_.B + j % case_.B) * head_bytes();
    }
    int64_t head_bytes() const { return case_.D * size_of(case_.dtype); }

    /// Runs the op on these chunks. Page table entries beyond a context are -1.
    Tensor attend(Rig& rig, const std::vector<Chunk>& chunks, int64_t q_stride = 0) const {
        const AttentionCase& c = case_;
        const int64_t S = static_cast<int64_t>(chunks.size());
        std::vector<int32_t> starts = {0}, context;
        int64_t P = 1;
        for (const Chunk& chunk : chunks) {
            starts.push_back(starts.back() + static_cast<int32_t>(chunk.end - chunk.begin));
            context.push_back(static_cast<int32_t>(chunk.end));
            P = std::max(P, (chunk.end + c.B - 1) / c.B + 1);
        }
        std::vector<int32_t> table(static_cast<size_t>(S * P), -1);
        const Tensor q = rig.output(c.dtype, {starts.back(), c.H, c.D}, q_stride);
        for (size_t s = 0; s < chunks.size(); ++s) {
            const Chunk& chunk = chunks[s];
            const int64_t pages = (chunk.end + c.B - 1) / c.B;
            std::copy_n(tables[chunk.sequence].begin(), pages,
                        table.begin() + static_cast<int64_t>(s) * P);
            for (int64_t t = chunk.begin; t < chunk.end; ++t)
                copy(q.at(starts[s] + t - chunk.begin), queries[chunk.sequence].at(t),
                     rig.ex.stream);
        }
        const Tensor out = rig.output(c.dtype, {starts.back(), c.H, c.D});
        attention(rig.ex, out, q, rig.copy_of(k_pages), rig.copy_of(v_pages),
                  rig.of(starts, {S + 1}), rig.of(context, {S}), rig.of(table, {S, P}),
                  1.0f / std::sqrt(static_cast<float>(c.D)));
        return out;
    }

    Tensor k_pages, v_pages;
    std::vector<std::vector<int32_t>> tables;
    std::vector<Tensor> queries;  // [context, H, D] each

  private:
    void put(const Tensor& pages, size_t s, int64_t j, const Tensor& from) {
        for (int64_t h = 0; h < case_.K; ++h)
            std::memcpy(at(pages, s, j, h),
                        static_cast<char*>(from.raw()) + (j * case_.K + h) * head_bytes(),
                        static_cast<size_t>(head_bytes()));
    }

    AttentionCase case_;
    Rig host_;
};

inline std::vector<Chunk> chunks_of(const AttentionCase& c) {
    std::vector<Chunk> chunks;
    for (size_t s = 0; s < c.parts.size(); ++s)
        chunks.push_back({s, c.parts[s].context - c.parts[s].tokens, c.parts[s].context});
    return chunks;
}

}  // namespace saker
