// Row tiles of (sequence, KV head, some tokens) against the keys of their pages, 64 at a time.
//
// A tile holds the query heads of one KV head for several tokens, up to 256 rows, so that a key
// tile is packed once for all of them: prefill runs at 75 to 84 % of the peak of multiply-adds (the
// softmax takes 10 %, packing 3 %), decode at the memory's pace. The keys are cut into spans of
// 1,024 counted from position 0, each with a softmax of its own, and the spans are joined in order.
// So a long decode can be spread over all cores, span by span, with the same bits as on one: the
// cut depends on the position alone, and the size of row tiles shows in no bit.
//
// The inner loops are in ops/attend-inl.h. Scratch: at most 0.6 MiB a thread at D = 128, the lists
// of tiles and pieces, and kMaxPartialBytes of partial softmaxes.
#include "ops/attention/attention_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/attention/attention_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <atomic>

#include "ops/attend-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

constexpr int64_t kSpan = 1024;  // keys; a multiple of kTileKeys
// Rows of a tile: the more, the rarer is packing; fewer where the threads would get no four tiles.
constexpr int64_t kMostRows = 256, kFewestRows = 16;
// Tiles are split into spans while there are fewer than this many a thread, and while the partial
// softmaxes fit (16 MiB: four sequences of 262,144 tokens at H = 32, D = 128).
constexpr int64_t kTilesPerThread = 4;
constexpr int64_t kMaxPartialBytes = int64_t{16} << 20;

struct Job {
    Tensor out, q, k_pages, v_pages, page_table;
    const int32_t *starts, *context;
    float scale;
    int64_t S, K, B, D;
    int64_t group;        // query heads of a KV head
    int64_t tile_tokens;  // of a row tile, at most
};

/// The rows of one task: tokens [first, first + count) of a sequence, under one KV head.
struct Tile {
    int32_t sequence, kv_head;
    int32_t first, count;  // query rows of q
    int32_t position;      // of the first token
    int32_t num_spans;
    int64_t partial;  // its first partial softmax row, or -1: the tile is one piece
};
/// What a thread takes at a time: a whole tile (span -1) or one span of it.
struct Piece {
    int32_t tile, span;
};

inline int64_t CountTiles(const Job& job) {
    int64_t n = 0;
    for (int64_t s = 0; s < job.S; ++s) {
        const int64_t tokens = job.starts[s + 1] - job.starts[s];
        n += (tokens + job.tile_tokens - 1) / job.tile_tokens * job.K;
    }
    return n;
}

/// Sets tile_tokens; returns the number of tiles.
inline int64_t ChooseTiles(Job& job, int num_threads) {
    int64_t longest = 1;
    for (int64_t s = 0; s < job.S; ++s)
        longest = std::max<int64_t>(longest, job.starts[s + 1] - job.starts[s]);
    for (int64_t rows = kMostRows;; rows /= 2) {
        job.tile_tokens = std::clamp<int64_t>(rows / job.group, 1, longest);
        const int64_t num_tiles = CountTiles(job);
        if (num_tiles >= kTilesPerThread * num_threads || rows == kFewestRows) return num_tiles;
    }
}

struct Pieces {
    Tile* tiles;
    int64_t num_tiles = 0, num_pieces = 0, num_partials = 0;
};

/// Lists the tiles, the last tokens of a sequence first, since they see the most keys.
inline Pieces ListTiles(const Job& job, Tile* tiles, int64_t num_tiles, int num_threads) {
    Pieces out{tiles};
    const int64_t row_bytes = (PaddedWidth(job.D) + 2) * int64_t{sizeof(float)};
    const bool split = num_tiles < kTilesPerThread * num_threads && num_threads > 1;
    const int64_t most = job.tile_tokens;
    for (int64_t s = 0; s < job.S; ++s) {
        const int64_t begin = job.starts[s], tokens = job.starts[s + 1] - begin;
        const int64_t before = job.context[s] - tokens;
        CHECK(tokens == 0 || before >= 0, "attention: more query rows than tokens in the context");
        for (int64_t h = 0; h < job.K; ++h) {
            for (int64_t i = (tokens + most - 1) / most - 1; i >= 0; --i) {
                const int64_t first = i * most, count = std::min(most, tokens - first);
                const int64_t spans = (before + first + count + kSpan - 1) / kSpan;
                const int64_t partials = count * job.group * spans;
                const bool cut = split && spans > 1 &&
                                 (out.num_partials + partials) * row_bytes <= kMaxPartialBytes;
                const auto narrow = [](int64_t n) { return static_cast<int32_t>(n); };
                tiles[out.num_tiles++] = {narrow(s),
                                          narrow(h),
                                          narrow(begin + first),
                                          narrow(count),
                                          narrow(before + first),
                                          narrow(spans),
                                          cut ? out.num_partials : -1};
                out.num_pieces += cut ? spans : 1;
                if (cut) out.num_partials += partials;
            }
        }
    }
    return out;
}

/// Row r of a tile: token r / group, query head r % group of the KV head.
template <class T>
T* TileRow(const Job& job, const Tensor& t, const Tile& tile, int64_t r) {
    return t.row<T>(tile.first + r / job.group) +
           (tile.kv_head * job.group + r % job.group) * job.D;
}

/// Where token t of a tile's sequence starts in k_pages and v_pages.
inline int64_t OffsetOf(const Job& job, const Tile& tile, const int32_t* table, int64_t t) {
    return table[t / job.B] * job.k_pages.row_stride() + (tile.kv_head * job.B + t % job.B) * job.D;
}

/// Brings keys [begin, end) and their values near. Worth 1.7 times in decode: sixteen rows are read
/// side by side when they are packed, which hides them from the hardware's own prefetching. Inlined
/// by force: GCC takes a function that only prefetches for one without effects, and drops the call.
template <class T>
HWY_INLINE void Prefetch(const Job& job, const Tile& tile, const int32_t* table, int64_t begin,
                         int64_t end) {
    constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
    for (int64_t t = begin; t < end; ++t) {
        const int64_t at = OffsetOf(job, tile, table, t);
        for (int64_t d = 0; d < job.D; d += kLine) {
            __builtin_prefetch(job.k_pages.as<T>() + at + d, 0, 2);
            __builtin_prefetch(job.v_pages.as<T>() + at + d, 0, 2);
        }
    }
}

/// Runs the softmax of one span of keys over the rows of a tile.
template <class T>
void RunSpan(const Job& job, const Tile& tile, int64_t span, RowTile& rows) {
    const int32_t* table = job.page_table.row<int32_t>(tile.sequence);
    const int64_t end = std::min<int64_t>((span + 1) * kSpan, tile.position + tile.count);
    const T *keys[kTileKeys], *values[kTileKeys];
    rows.begin_keys();
    for (int64_t t = span * kSpan; t < end; t += kTileKeys) {
        const int64_t num_keys = std::min(kTileKeys, end - t);
        for (int64_t j = 0; j < num_keys; ++j) {
            const int64_t at = OffsetOf(job, tile, table, t + j);
            keys[j] = job.k_pages.as<T>() + at;
            values[j] = job.v_pages.as<T>() + at;
        }
        Prefetch<T>(job, tile, table, t + kTileKeys, std::min(end, t + 2 * kTileKeys));
        const int64_t unseeing = std::max<int64_t>(0, t - tile.position);  // tokens
        const int64_t limit = tile.position + unseeing - t + 1;
        rows.add_keys(keys, values, num_keys, job.scale, unseeing * job.group, limit, job.group);
    }
    rows.end_keys();
}

template <class T>
void RunPiece(const Job& job, const Tile& tile, int64_t span, RowTile& rows, const Tensor& partials,
              const Tensor& sums) {
    const int64_t num_rows = tile.count * job.group;
    rows.begin_rows(
        num_rows, [&](int64_t r) { return const_cast<const T*>(TileRow<T>(job, job.q, tile, r)); });
    if (span < 0) {
        for (int64_t i = 0; i < tile.num_spans; ++i) {
            RunSpan<T>(job, tile, i, rows);
            rows.join_total(i == 0);
        }
        for (int64_t r = 0; r < num_rows; ++r) rows.write_row(r, TileRow<T>(job, job.out, tile, r));
        return;
    }
    RunSpan<T>(job, tile, span, rows);
    const int64_t at = tile.partial + span * num_rows;
    std::copy_n(rows.acc(), num_rows * PaddedWidth(job.D), partials.row<float>(at));
    for (int64_t r = 0; r < num_rows; ++r) {
        sums.row<float>(at + r)[0] = rows.largest()[r];
        sums.row<float>(at + r)[1] = rows.sum()[r];
    }
}

/// Joins the spans of a split tile, in order: the same operations as join_total.
template <class T>
void JoinSpans(const Job& job, const Tile& tile, const Tensor& partials, const Tensor& sums) {
    const int64_t num_rows = tile.count * job.group, width = partials.dim(1);
    for (int64_t r = 0; r < num_rows; ++r) {
        float* total = partials.row<float>(tile.partial + r);
        float* whole = sums.row<float>(tile.partial + r);
        for (int64_t span = 1; span < tile.num_spans; ++span) {
            const int64_t at = tile.partial + span * num_rows + r;
            const float* part = sums.row<float>(at);
            RowTile::Join(width, total, whole, whole + 1, partials.row<float>(at), part[0],
                          part[1]);
        }
        RowTile::WriteRow(total, whole[1], job.D, TileRow<T>(job, job.out, tile, r));
    }
}

template <class T>
void Run(const Exec& ex, Job job) {
    ScratchScope scratch(ex);
    const int64_t num_tiles = ChooseTiles(job, ex.pool->num_threads());
    if (num_tiles == 0) return;
    const Tensor tile_list =
        scratch.take(DType::u8, {num_tiles * static_cast<int64_t>(sizeof(Tile))});
    const Pieces list = ListTiles(job, reinterpret_cast<Tile*>(tile_list.as<uint8_t>()), num_tiles,
                                  ex.pool->num_threads());
    const Tensor piece_list =
        scratch.take(DType::u8, {list.num_pieces * static_cast<int64_t>(sizeof(Piece))});
    Piece* pieces = reinterpret_cast<Piece*>(piece_list.as<uint8_t>());
    int64_t n = 0;
    for (int32_t i = 0; i < list.num_tiles; ++i) {
        const bool whole = list.tiles[i].partial < 0;
        for (int32_t span = 0; span < (whole ? 1 : list.tiles[i].num_spans); ++span)
            pieces[n++] = {i, whole ? -1 : span};
    }
    const Tensor partials = scratch.take(DType::f32, {list.num_partials, PaddedWidth(job.D)});
    const Tensor sums = scratch.take(DType::f32, {list.num_partials, 2});  // largest, sum

    // One slab of working memory a thread; a thread takes pieces until none is left.
    const int64_t num_slabs = std::min<int64_t>(ex.pool->num_threads(), n);
    const int64_t max_rows = job.tile_tokens * job.group;
    const int64_t slab = (RowTile::size(max_rows, job.D) + 63) / 64 * 64;
    const Tensor slabs = scratch.take(DType::f32, {num_slabs, slab});
    std::atomic<int64_t> next{0};
    ex.pool->run(num_slabs, [&](int64_t i) {
        RowTile rows(slabs.row<float>(i), max_rows, job.D);
        for (int64_t p = next.fetch_add(1); p < n; p = next.fetch_add(1))
            RunPiece<T>(job, list.tiles[pieces[p].tile], pieces[p].span, rows, partials, sums);
    });
    if (list.num_partials == 0) return;
    ex.pool->run(list.num_tiles, [&](int64_t i) {
        if (list.tiles[i].partial >= 0) JoinSpans<T>(job, list.tiles[i], partials, sums);
    });
}

void Attention(const Exec& ex, const Tensor& out, const Tensor& q, const Tensor& k_pages,
               const Tensor& v_pages, const Tensor& starts, const Tensor& context,
               const Tensor& page_table, float scale) {
    Job job = {out, q, k_pages, v_pages, page_table};
    job.starts = starts.as<int32_t>();
    job.context = context.as<int32_t>();
    job.scale = scale;
    job.S = context.dim(0);
    job.K = k_pages.dim(1);
    job.B = k_pages.dim(2);
    job.D = q.dim(2);
    job.group = q.dim(1) / job.K;
    if (q.dtype() == DType::f32) return Run<float>(ex, job);
    Run<Bf16>(ex, job);
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(Attention);
void cpu::attention(const Exec& ex, const Tensor& out, const Tensor& q, const Tensor& k_pages,
                    const Tensor& v_pages, const Tensor& starts, const Tensor& context,
                    const Tensor& page_table, float scale) {
    HWY_DYNAMIC_DISPATCH(Attention)
    (ex, out, q, k_pages, v_pages, starts, context, page_table, scale);
}
}  // namespace saker
#endif
