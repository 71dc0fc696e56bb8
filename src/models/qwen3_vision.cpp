// In order: weights with shapes, what is computed per grid on the host, the forward.
#include "models/qwen3_vision.h"

#include <algorithm>
#include <cmath>

#include "ops/add/add.h"
#include "ops/gelu/gelu.h"
#include "ops/layer_norm/layer_norm.h"
#include "ops/linear/linear.h"
#include "ops/normalize/normalize.h"
#include "ops/pos_interp/pos_interp.h"
#include "ops/rope/rope.h"
#include "ops/rope_table/rope_table.h"
#include "ops/vision_attention/vision_attention.h"

namespace saker {
namespace {

constexpr float kNormEps = 1e-6f;

// What depends on the grids alone: where each patch stands, and its four taps in the position
// table.
struct GridTables {
    std::vector<int32_t> positions;  // [2, M]: row, column
    std::vector<int32_t> taps;       // [M, 4]
    std::vector<float> weights;      // [M, 4]
    std::vector<int32_t> starts;     // [S+1]
};

struct Axis {
    int32_t low, high;
    float fraction;
};

// Aligned corners: patch 0 sits on entry 0, the last patch on the last entry (specification 4.2).
std::vector<Axis> interpolate(int64_t n, int64_t side) {
    std::vector<Axis> axis(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
        // torch.linspace: from the start in the lower half, from the end in the upper one, in f32.
        const float last = static_cast<float>(side - 1);
        const float step = n > 1 ? last / static_cast<float>(n - 1) : 0.0f;
        const float at =
            i < n / 2 ? step * static_cast<float>(i) : last - step * static_cast<float>(n - 1 - i);
        const auto low = static_cast<int32_t>(n > 1 ? at : 0.0f);
        axis[static_cast<size_t>(i)] = {low, std::min(low + 1, static_cast<int32_t>(side - 1)),
                                        n > 1 ? at - static_cast<float>(low) : 0.0f};
    }
    return axis;
}

GridTables make_tables(std::span<const Grid> grids, int64_t merge, int64_t side) {
    GridTables t;
    std::vector<int32_t> columns;
    t.starts.push_back(0);
    for (const Grid& grid : grids) {
        const auto ys = interpolate(grid.height, side), xs = interpolate(grid.width, side);
        for (int64_t block_row = 0; block_row < grid.height; block_row += merge)
            for (int64_t block_column = 0; block_column < grid.width; block_column += merge)
                for (int64_t r = block_row; r < block_row + merge; ++r)
                    for (int64_t c = block_column; c < block_column + merge; ++c) {
                        t.positions.push_back(static_cast<int32_t>(r));
                        columns.push_back(static_cast<int32_t>(c));
                        const Axis y = ys[static_cast<size_t>(r)], x = xs[static_cast<size_t>(c)];
                        const auto row = static_cast<int32_t>(side);
                        for (int32_t tap : {y.low * row + x.low, y.low * row + x.high,
                                            y.high * row + x.low, y.high * row + x.high})
                            t.taps.push_back(tap);
                        const float dy = y.fraction, dx = x.fraction;
                        for (float w : {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx})
                            t.weights.push_back(w);
                    }
        t.starts.push_back(t.starts.back() + static_cast<int32_t>(grid.num_patches()));
    }
    t.positions.insert(t.positions.end(), columns.begin(), columns.end());
    return t;
}

}  // namespace

Qwen3Vision::Qwen3Vision(const Qwen3VlVisionConfig& config, WeightSource& source)
    : config_(config), frequencies_(vision_frequencies(config.head_dim(), config.rope_theta)) {
    const int64_t C = config.hidden_size, F = config.intermediate_size, P = config.patch_size;
    const int64_t merged = config.merged_size(), out = config.out_hidden_size;
    const std::string root = "model.visual.";
    const auto norm = [&](const std::string& name, int64_t width) {
        return Norm{source.tensor(name + ".weight", {width}),
                    source.tensor(name + ".bias", {width})};
    };
    const auto linear = [&](const std::string& name, int64_t rows, int64_t columns) {
        return Linear{source.tensor(name + ".weight", {rows, columns}),
                      source.tensor(name + ".bias", {rows})};
    };
    const auto merger = [&](const std::string& name, int64_t norm_width) {
        return Merger{norm(name + ".norm", norm_width),
                      linear(name + ".linear_fc1", merged, merged),
                      linear(name + ".linear_fc2", out, merged)};
    };
    // A Conv3d whose stride is its kernel is a matrix product (specification 4.1).
    patch_embed_ = {
        source.tensor(root + "patch_embed.proj.weight", {C, 3, config.temporal_patch_size, P, P})
            .reshape({C, config.patch_elements()}),
        source.tensor(root + "patch_embed.proj.bias", {C})};
    pos_embed_ = source.tensor(root + "pos_embed.weight", {config.grid_side * config.grid_side, C});
    for (int64_t i = 0; i < config.depth; ++i) {
        const std::string block = root + "blocks." + std::to_string(i);
        blocks_.push_back(
            {norm(block + ".norm1", C), norm(block + ".norm2", C),
             linear(block + ".attn.qkv", 3 * C, C), linear(block + ".attn.proj", C, C),
             linear(block + ".mlp.linear_fc1", F, C), linear(block + ".mlp.linear_fc2", C, F)});
    }
    merger_ = merger(root + "merger", C);
    for (size_t k = 0; k < config.deepstack_indexes.size(); ++k)
        deepstack_.push_back(merger(root + "deepstack_merger_list." + std::to_string(k), merged));
}

void Qwen3Vision::set_normalization(std::span<const float> mean, std::span<const float> deviation) {
    mean_.assign(mean.begin(), mean.end());
    deviation_.assign(deviation.begin(), deviation.end());
}

int64_t Qwen3Vision::scratch_bytes(int64_t max_patches, DType compute) const {
    const int64_t M = max_patches, C = config_.hidden_size, element = size_of(compute);
    // The widest moment of a block: x, its norm, qkv, attention, the MLP's middle; the ops' own
    // tiles are covered by doubling. Tables are small beside it.
    const int64_t wide = C * 6 + std::max(config_.intermediate_size, config_.patch_elements());
    return 2 * M * (wide * element + 64 * 4) + (int64_t{64} << 20);
}

void Qwen3Vision::run_block(const Exec& ex, const Block& block, const Tensor& x, const Tensor& cos,
                            const Tensor& sin, const Tensor& starts) const {
    ScratchScope scratch(ex);
    const int64_t M = x.dim(0), C = config_.hidden_size, H = config_.num_heads,
                  D = config_.head_dim();
    const Tensor h = scratch.take(x.dtype(), {M, C});
    const Tensor sum = scratch.take(x.dtype(), {M, C});
    {
        ScratchScope inner(ex);
        const Tensor qkv = inner.take(x.dtype(), {M, 3 * C});
        const Tensor attended = inner.take(x.dtype(), {M, H, D});
        layer_norm(ex, h, x, block.norm1.weight, block.norm1.bias, kNormEps);
        linear(ex, qkv, h, block.qkv.weight, block.qkv.bias);
        const Tensor q = qkv.columns(0, C).reshape({M, H, D});
        const Tensor k = qkv.columns(C, 2 * C).reshape({M, H, D});
        const Tensor v = qkv.columns(2 * C, 3 * C).reshape({M, H, D});
        rope(ex, q, cos, sin);
        rope(ex, k, cos, sin);
        vision_attention(ex, attended, q, k, v, starts, 1.0f / std::sqrt(static_cast<float>(D)));
        linear(ex, sum, attended.reshape({M, C}), block.proj.weight, block.proj.bias);
    }
    add(ex, x, x, sum);
    const Tensor middle = scratch.take(x.dtype(), {M, config_.intermediate_size});
    layer_norm(ex, h, x, block.norm2.weight, block.norm2.bias, kNormEps);
    linear(ex, middle, h, block.fc1.weight, block.fc1.bias);
    gelu(ex, middle, middle, Gelu::tanh);
    linear(ex, sum, middle, block.fc2.weight, block.fc2.bias);
    add(ex, x, x, sum);
}

void Qwen3Vision::run_merger(const Exec& ex, const Merger& merger, bool norm_first,
                             const Tensor& out, const Tensor& x) const {
    ScratchScope scratch(ex);
    const int64_t width = config_.merged_size(), rows = x.num_elements() / width;
    const Tensor h = scratch.take(x.dtype(), {rows, width});
    const Tensor middle = scratch.take(x.dtype(), {rows, width});
    // The main merger norms each patch, DeepStack's norm the four joined ones (specification 4.5).
    const Tensor in = norm_first ? x : x.reshape({rows, width});
    const Tensor normed = norm_first ? h.reshape({x.dim(0), x.dim(1)}) : h;
    layer_norm(ex, normed, in, merger.norm.weight, merger.norm.bias, kNormEps);
    linear(ex, middle, h, merger.fc1.weight, merger.fc1.bias);
    gelu(ex, middle, middle, Gelu::erf);
    linear(ex, out, middle, merger.fc2.weight, merger.fc2.bias);
}

void Qwen3Vision::encode(const Exec& ex, const VisionBatch& batch, DType compute,
                         std::span<const Tensor> features) const {
    CHECK(features.size() == 1 + deepstack_.size(), "features need one tensor a level");
    ScratchScope scratch(ex);
    const int64_t M = batch.num_patches(), C = config_.hidden_size, D = config_.head_dim();
    const auto segments = static_cast<int64_t>(batch.grids.size());
    const GridTables tables = make_tables(batch.grids, config_.merge_size, config_.grid_side);
    CHECK(tables.starts.back() == M, "the grids do not add up to the patches");

    const Tensor starts = scratch.take_copy(tables.starts, {segments + 1});
    const Tensor cos = scratch.take(DType::f32, {M, D / 2}),
                 sin = scratch.take(DType::f32, {M, D / 2});
    rope_table(ex, cos, sin, scratch.take_copy(tables.positions, {2, M}),
               scratch.take_copy(frequencies_.inv_freq, {D / 2}),
               scratch.take_copy(frequencies_.axis, {D / 2}), 1.0f);

    const Tensor x = scratch.take(compute, {M, C});
    {
        ScratchScope inner(ex);
        const Tensor pixels = inner.take(compute, {M, config_.patch_elements()});
        normalize(ex, pixels, batch.pixels, inner.take_copy(mean_, {3}),
                  inner.take_copy(deviation_, {3}));
        linear(ex, x, pixels, patch_embed_.weight, patch_embed_.bias);
    }
    pos_interp(ex, x, pos_embed_, scratch.take_copy(tables.taps, {M, 4}),
               scratch.take_copy(tables.weights, {M, 4}));

    size_t level = 0;
    for (int64_t i = 0; i < config_.depth; ++i) {
        run_block(ex, blocks_[static_cast<size_t>(i)], x, cos, sin, starts);
        if (level < deepstack_.size() && config_.deepstack_indexes[level] == i) {
            run_merger(ex, deepstack_[level], false, features[level + 1], x);
            ex.show("visual.deepstack_features", static_cast<int64_t>(level), features[level + 1]);
            ++level;
        }
    }
    ex.show("visual.last_hidden_state", 0, x);
    run_merger(ex, merger_, true, features[0], x);
    ex.show("visual.pooler_output", 0, features[0]);
}

}  // namespace saker
