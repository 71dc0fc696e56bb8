// Row tiles of (segment, head, kTileRows patches) against all keys of the segment, 64 at a time.
//
// Bound by multiply-adds: 4 M D of them a row and head. A key tile is widened and packed once for
// all rows of a tile, which costs some 5 % of its products. Tiles of keys are counted from the
// segment's start, so a row's bits depend on its segment alone. The inner loops are in
// ops/attend-inl.h. Scratch: about 0.3 MiB a thread at D = 72.
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

constexpr int64_t kTileRows = 128;

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

template <class T>
void Segments(const Exec& ex, const Tensor& out, const Tensor& q, const Tensor& k, const Tensor& v,
              const Tensor& starts, float scale) {
    const int64_t S = starts.dim(0) - 1, H = q.dim(1), D = q.dim(2);
    const int32_t* start = starts.as<int32_t>();
    ScratchScope scratch(ex);
    // Tiles are numbered segment by segment, and within one head by head: neighbours share keys.
    const Tensor numbers = scratch.take(DType::i64, {S + 1});
    int64_t* first_tile = numbers.as<int64_t>();
    first_tile[0] = 0;
    for (int64_t s = 0; s < S; ++s)
        first_tile[s + 1] =
            first_tile[s] + (start[s + 1] - start[s] + kTileRows - 1) / kTileRows * H;
    const int64_t num_tiles = first_tile[S];
    if (num_tiles == 0) return;

    // One slab of working memory a thread; a thread takes tiles until none is left.
    const int64_t num_slabs = std::min<int64_t>(ex.pool->num_threads(), num_tiles);
    const int64_t slab = (RowTile::size(kTileRows, D) + 63) / 64 * 64;
    const Tensor slabs = scratch.take(DType::f32, {num_slabs, slab});
    std::atomic<int64_t> next{0};
    ex.pool->run(num_slabs, [&](int64_t i) {
        RowTile rows(slabs.row<float>(i), kTileRows, D);
        for (int64_t n = next.fetch_add(1); n < num_tiles; n = next.fetch_add(1)) {
            const int64_t s = std::upper_bound(first_tile, first_tile + S, n) - first_tile - 1;
            const int64_t begin = start[s], end = start[s + 1], m = n - first_tile[s];
            const int64_t tiles = (end - begin + kTileRows - 1) / kTileRows;
            const int64_t first = begin + m % tiles * kTileRows;
            RunTile<T>({begin, end, first, std::min(kTileRows, end - first), m / tiles}, out, q, k,
                       v, scale, rows);
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
