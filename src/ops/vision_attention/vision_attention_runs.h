// Inputs and runs of vision_attention's cases: what both of this folder's tests share.
#pragma once

#include <cmath>
#include <vector>

#include "ops/harness.h"
#include "ops/vision_attention/vision_attention.h"
#include "ops/vision_attention/vision_attention_cases.h"

namespace saker {

struct VisionInputs {
    Tensor q, k, v;  // [M, H, D]
    std::vector<int32_t> starts;
};

inline VisionInputs vision_inputs(Rig& rig, const VisionAttentionCase& c) {
    VisionInputs in;
    in.starts = {0};
    for (int32_t n : c.segments) in.starts.push_back(in.starts.back() + n);
    const int64_t M = in.starts.back(), C = c.H * c.D;
    if (c.fused) {
        const Tensor qkv = rig.random("qkv", c.dtype, {M, 3 * C}, 1.5f, 3 * C + 8);
        in.q = qkv.columns(0, C).reshape({M, c.H, c.D});
        in.k = qkv.columns(C, 2 * C).reshape({M, c.H, c.D});
        in.v = qkv.columns(2 * C, 3 * C).reshape({M, c.H, c.D});
    } else {
        in.q = rig.random("q", c.dtype, {M, c.H, c.D}, 1.5f);
        in.k = rig.random("k", c.dtype, {M, c.H, c.D}, 1.5f);
        in.v = rig.random("v", c.dtype, {M, c.H, c.D}, 1.5f);
    }
    return in;
}

inline Tensor attend_patches(Rig& rig, const VisionAttentionCase& c, const VisionInputs& in) {
    const Tensor out = rig.output(c.dtype, {in.q.dim(0), c.H, c.D});
    vision_attention(rig.ex, out, in.q, in.k, in.v,
                     rig.of(in.starts, {static_cast<int64_t>(in.starts.size())}),
                     1.0f / std::sqrt(static_cast<float>(c.D)));
    return out;
}

}  // namespace saker
