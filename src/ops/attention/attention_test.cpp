// Cases x backends against ref, over shuffled pages whose unused tokens are NaN; invariance to
// chunks, batch and threads; what a token must not see.
#include "ops/attention/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/rng.h"
#include "ops/attention/attention_cases.h"
#include "ops/harness.h"

namespace saker {
namespace {

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

std::vector<Chunk> chunks_of(const AttentionCase& c) {
    std::vector<Chunk> chunks;
    for (size_t s = 0; s < c.parts.size(); ++s)
        chunks.push_back({s, c.parts[s].context - c.parts[s].tokens, c.parts[s].context});
    return chunks;
}

/// The backends that promise the same bits for any batch.
std::vector<Backend> invariant_backends() {
    std::vector<Backend> out = {Backend::ref};
    if (is_built(Backend::cpu)) out.push_back(Backend::cpu);
    return out;
}

TEST(Attention, EveryBackendAgreesWithRef) {
    for (const AttentionCase& c : kAttentionCases) {
        SCOPED_TRACE(c.name);
        const Cache cache(c);
        Rig ref(Backend::ref, c.name);
        const auto want = ref.fetch(cache.attend(ref, chunks_of(c)));
        for (double v : want) ASSERT_TRUE(std::isfinite(v)) << "ref read what it must not";
        int64_t longest = 1;
        for (const auto& part : c.parts) longest = std::max<int64_t>(longest, part.context);
        for (Backend backend : backends_under_test()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const auto got = rig.fetch(cache.attend(rig, chunks_of(c), c.q_stride));
            EXPECT_EQ("", compare(got, want, tolerance(c.dtype, longest + c.D, 1)));
            EXPECT_EQ("", rig.check_guards());
            EXPECT_EQ("", compare_exact(rig.fetch(cache.attend(rig, chunks_of(c))), got));
        }
    }
}

// A prefill at once, in chunks of 7, token by token, and alone or beside others.
TEST(Attention, InvariantToChunksAndBatch) {
    const AttentionCase cases[] = {
        {"whole", 8, 1, 32, 64, 0, DType::bf16, {{0, 200}, {0, 70}, {0, 131}, {0, 9}, {0, 64}}},
        {"small pages", 4, 2, 20, 16, 0, DType::f32, {{0, 90}, {0, 70}, {0, 131}, {0, 9}, {0, 64}}},
        {"no sharing", 3, 3, 64, 64, 0, DType::bf16, {{0, 140}, {0, 7}, {0, 131}, {0, 9}, {0, 64}}},
    };
    for (const AttentionCase& c : cases) {
        SCOPED_TRACE(c.name);
        const Cache cache(c);
        const int64_t n = c.parts[0].context;
        for (Backend backend : invariant_backends()) {
            SCOPED_TRACE(to_string(backend));
            Rig rig(backend, c.name);
            const auto whole = rig.fetch(cache.attend(rig, {{0, 0, n}}));
            for (int64_t size : {1, 7, 33}) {
                std::vector<double> parts;
                for (int64_t t = 0; t < n; t += size) {
                    const auto part = rig.fetch(cache.attend(rig, {{0, t, std::min(n, t + size)}}));
                    parts.insert(parts.end(), part.begin(), part.end());
                }
                EXPECT_EQ("", compare_exact(parts, whole)) << "chunks of " << size;
            }
            const Tensor batch =
                cache.attend(rig, {{1, 6, 7}, {2, 100, 131}, {0, 0, n}, {3, 0, 9}, {4, 63, 64}});
            EXPECT_EQ("", compare_exact(rig.fetch(batch.rows(32, 32 + n)), whole));
        }
    }
}

// Long contexts are split over threads: the bits are those of one thread, of a batch that is not
// split, and of a chunk.
TEST(Attention, InvariantToThreads) {
    const AttentionCase c = {"long", 4, 2,           32,
                             64,     0, DType::bf16, {{0, 4200}, {0, 1025}, {0, 1024}}};
    const Cache cache(c);
    for (Backend backend : invariant_backends()) {
        SCOPED_TRACE(to_string(backend));
        Rig one(backend, c.name, 1);
        const auto want = one.fetch(cache.attend(one, {{0, 4199, 4200}, {1, 1020, 1025}}));
        for (int threads : {2, 3, 8}) {
            Rig rig(backend, c.name, threads);
            EXPECT_EQ(
                "", compare_exact(rig.fetch(cache.attend(rig, {{0, 4199, 4200}, {1, 1020, 1025}})),
                                  want))
                << threads << " threads";
        }
        const auto chunk = one.fetch(cache.attend(one, {{1, 960, 1025}}).rows(60, 65));
        EXPECT_EQ("", compare_exact(chunk, {want.begin() + c.H * c.D, want.end()}));
    }
}

// Values that are infinite or NaN reach the rows from their own position on, and no others.
TEST(Attention, TokensDoNotSeeLaterOnes) {
    const AttentionCase c = {"later", 4, 2, 32, 16, 0, DType::f32, {{12, 12}}};
    for (Backend backend : invariant_backends()) {
        SCOPED_TRACE(to_string(backend));
        Rig rig(backend, c.name);
        const Cache cache(c);
        const auto clean = rig.fetch(cache.attend(rig, {{0, 0, 12}}));
        for (int64_t h = 0; h < c.K; ++h) {
            reinterpret_cast<float*>(cache.at(cache.v_pages, 0, 5, h))[3] = HUGE_VALF;
            reinterpret_cast<float*>(cache.at(cache.k_pages, 0, 7, h))[0] = NAN;
        }
        const auto got = rig.fetch(cache.attend(rig, {{0, 0, 12}}));
        const auto row = [&](const std::vector<double>& all, int64_t begin, int64_t end) {
            return std::vector<double>(all.begin() + begin * c.H * c.D,
                                       all.begin() + end * c.H * c.D);
        };
        EXPECT_EQ("", compare_exact(row(got, 0, 5), row(clean, 0, 5)));
        EXPECT_TRUE(std::isinf(row(got, 5, 6)[3]));
        for (double v : row(got, 7, 12)) EXPECT_TRUE(std::isnan(v));
    }
}

// One key outweighs the rest: the running maximum must follow it, wherever it stands.
TEST(Attention, FollowsALargeScore) {
    const AttentionCase c = {"large", 2, 1, 16, 64, 0, DType::f32, {{1, 300}}};
    for (int64_t where : {0, 63, 64, 150, 299}) {
        const Cache cache(c);
        for (int64_t d = 0; d < c.D; ++d) {
            cache.queries[0].at(299).as<float>()[d] = 30.0f;
            reinterpret_cast<float*>(cache.at(cache.k_pages, 0, where, 0))[d] = 30.0f;
        }
        Rig ref(Backend::ref, c.name);
        const auto want = ref.fetch(cache.attend(ref, chunks_of(c)));
        const float* v = reinterpret_cast<float*>(cache.at(cache.v_pages, 0, where, 0));
        for (size_t d = 0; d < 16; ++d) EXPECT_NEAR(want[d], v[d], 1e-6);
        for (Backend backend : backends_under_test()) {
            Rig rig(backend, c.name);
            EXPECT_EQ("", compare(rig.fetch(cache.attend(rig, chunks_of(c))), want,
                                  tolerance(DType::f32, 316, 1)))
                << to_string(backend) << " " << where;
        }
    }
}

}  // namespace
}  // namespace saker
