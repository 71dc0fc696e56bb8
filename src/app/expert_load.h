// ExpertLoad: how evenly a mixture of experts is used. Counts, for each layer and expert, the rows
// that the router sent there.
//
// `saker eval` hangs it into its engine's Exec, so that every prompt and every answer of the set is
// counted, however steps cut and mix them: a row of a step is one token of one sequence. What a
// preempted sequence computes again counts again, since the experts did that work twice. The last
// token of an answer cut short by max_tokens is never a row, and counts nowhere.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "tensor/exec.h"

namespace saker {

/// One layer's router.
struct LayerLoad {
    int64_t rows = 0;             // tokens routed so far
    std::vector<int64_t> counts;  // [E]: rows sent to each expert; their sum is rows * A

    /// The least and the most used expert's count as a multiple of a fair share, rows * A / E:
    /// 1 where all are used alike, 0 to E / A. Needs rows > 0.
    double least() const;
    double most() const;
};

/// Host tensors only, as Recorder: what lies on a device is left uncounted, and layers() stays
/// empty.
class ExpertLoad : public Tap {
  public:
    /// Called on the engine's thread: "router_logits" [T, E] tells E, "router_experts" [T, A] i32
    /// is counted, everything else passed by.
    void see(std::string_view stage, int64_t index, const Tensor& value) override;

    /// By the layer's index; empty for a dense model. Has no lock: to be read once the Engine,
    /// whose end joins that thread, is gone.
    const std::map<int64_t, LayerLoad>& layers() const { return layers_; }
    /// Over all layers. Needs a layer.
    double least() const;
    double most() const;

  private:
    std::map<int64_t, LayerLoad> layers_;
};

}  // namespace saker
