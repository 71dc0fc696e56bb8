// Row tiles of (segment, head, up to 256 patches) against all keys of the segment, 64 at a time.
//
// Bound by multiply-adds: 2 D of them for each pair of patches and head, of which this reaches 75
// to 80 % of the peak; the softmax takes 10 %, and D = 72 is filled up to 80 on AVX-512. A key tile
// is widened and packed once for all rows of a tile. Tiles of keys are counted from the segment's
// start and the size of row tiles shows in no bit, so a row's bits depend on its segment alone. The
// inner loops are in ops/attend-inl.h. Scratch: at most 0.4 MiB a thread at D = 72.
#include "ops/vision_attention/vision_attention_backends.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/vision_attention/vision_attention_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <atomic>

#include "ops/attend-inl.h"

HWY_BEFORE_NAMESPACE();
namespace saker {
namespace HWY_NAMESPACE {

// Rows of a tile: the more, the rarer is packing; fewer where the threads would get no four tiles.
constexpr int64_t kMostRows = 256, kFewestRows = 16, kTilesPerThread = 4;

/// Patches [first, first + count) of the segment [begin, end), under one head.
struct PatchTile {
    int64_t begin, end, first, count, head;
};

template <class T>
void RunTile(const PatchTile& tile, const Tensor& out, const Tensor& q, const Tensor& k,
             const Tensor& v, float scale, RowTile& rows) {
    const int64_t column = tile.head * q.dim(2);
    const T *keys[kTileKeys], *values[kTileKeys];
    rows.begin_rows(tile.count,
                    [&](int64_t r) -> const T* { return q.row<T>(tile.first + r) + column; });
    rows.begin_keys();
    for (int64_t j = tile.begin; j < tile.end; j += kTileKeys) {
        const int64_t num_keys = std::min(kTileKeys, tile.end - j);
        for (int64_t i = 0; i < num_keys; ++i) {
            keys[i] = k.row<T>(j + i) + column;
            values[i] = v.row<T>(j + i) + column;
        }
        rows.add_keys(keys, values, num_keys, scale, 0, num_keys, 1);
    }
    rows.end_keys();
    rows.join_total(true);
    for (int64_t r = 0; r < tile.count; ++r) rows.write_row(r, out.row<T>(tile.first + r) + column);
}

/// Numbers the tiles segment by segment, and within one head by head, since neighbours share keys.
/// first_tile: [S + 1], the number of each segment's first. Returns the rows of a tile.
inline int64_t ChooseTiles(const int32_t* start, int64_t S, int64_t H, int num_threads,
                           int64_t* first_tile) {
    for (int64_t rows = kMostRows;; rows /= 2) {
        first_tile[0] = 0;
        for (int64_t s = 0; s < S; ++s)
            first_tile[s + 1] = first_tile[s] + (start[s + 1] - start[s] + rows - 1) / rows * H;
        if (first_tile[S] >= kTilesPerThread * num_threads || rows == kFewestRows) return rows;
    }
}

template <class T>
void Segments(const Exec& ex, const Tensor& out, const Tensor& q, const Tensor& k, const Tensor& v,
              const Tensor& starts, float scale) {
    const int64_t S = starts.dim(0) - 1, H = q.dim(1), D = q.dim(2);
    const int32_t* start = starts.as<int32_t>();
    ScratchScope scratch(ex);
    const Tensor numbers = scratch.take(DType::i64, {S + 1});
    int64_t* first_tile = numbers.as<int64_t>();
    const int64_t max_rows = ChooseTiles(start, S, H, ex.pool->num_threads(), first_tile);
    const int64_t num_tiles = first_tile[S];
    if (num_tiles == 0) return;

    // One slab of working memory a thread; a thread takes tiles until none is left.
    const int64_t num_slabs = std::min<int64_t>(ex.pool->num_threads(), num_tiles);
    const int64_t slab = (RowTile::size(max_rows, D) + 63) / 64 * 64;
    const Tensor slabs = scratch.take(DType::f32, {num_slabs, slab});
    std::atomic<int64_t> next{0};
    ex.pool->run(num_slabs, [&](int64_t i) {
        RowTile rows(slabs.row<float>(i), max_rows, D);
        for (int64_t n = next.fetch_add(1); n < num_tiles; n = next.fetch_add(1)) {
            const int64_t s = std::upper_bound(first_tile, first_tile + S, n) - first_tile - 1;
            const int64_t begin = start[s], end = start[s + 1], m = n - first_tile[s];
            const int64_t row_tiles = (end - begin + max_rows - 1) / max_rows;
            const int64_t first = begin + m % row_tiles * max_rows;
            RunTile<T>({begin, end, first, std::min(max_rows, end - first), m / row_tiles}, out, q,
                       k, v, scale, rows);
        }
    });
}

void VisionAttention(const Exec& ex, const Tensor& out, const Tensor& q, const Tensor& k,
                     const Tensor& v, const Tensor& starts, float scale) {
    if (q.dtype() == DType::f32) return Segments<float>(ex, out, q, k, v, starts, scale);
    Segments<Bf16>(ex, out, q, k, v, starts, scale);
}

}  // namespace HWY_NAMESPACE
}  // namespace saker
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace saker {
HWY_EXPORT(VisionAttention);
void cpu::vision_attention(const Exec& ex, const Tensor& out, const Tensor& q, const Tensor& k,
                           const Tensor& v, const Tensor& starts, float scale) {
    HWY_DYNAMIC_DISPATCH(VisionAttention)(ex, out, q, k, v, starts, scale);
}
}  // namespace saker
#endif
