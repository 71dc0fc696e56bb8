// WeightSource: where a family's weights come from. The family names each tensor and its shape
// once; the source loads it (from a checkpoint) or writes it down (for `saker synth` and `saker
// inspect`).
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "tensor/tensor.h"
#include "weights/loader.h"

namespace saker {

class WeightSource {
  public:
    virtual ~WeightSource() = default;
    /// The tensor of this name (released spelling) and shape.
    virtual Tensor tensor(const std::string& name, std::initializer_list<int64_t> shape) = 0;
    /// Fused experts under `prefix`: gate_up [E, 2F, C] and down [E, C, F] in Linear order.
    virtual Loader::Experts experts(const std::string& prefix, int64_t E, int64_t F, int64_t C) = 0;
    virtual bool has(const std::string& name) = 0;
};

/// Loads from a checkpoint.
class CheckpointSource : public WeightSource {
  public:
    explicit CheckpointSource(Loader& loader) : loader_(loader) {}
    Tensor tensor(const std::string& name, std::initializer_list<int64_t> shape) override {
        return loader_.load(name, shape);
    }
    Loader::Experts experts(const std::string& prefix, int64_t E, int64_t F, int64_t C) override {
        return loader_.load_experts(prefix, E, F, C);
    }
    bool has(const std::string& name) override { return loader_.has(name); }

  private:
    Loader& loader_;
};

/// One tensor of a checkpoint as it is stored in the released layout.
struct WeightSpec {
    std::string name;
    std::vector<int64_t> shape;
    int64_t num_elements() const;
};

/// Writes down what the family asks for, experts in the released layout (input-major).
class WeightList : public WeightSource {
  public:
    /// `tied`: whether the checkpoint lacks lm_head.weight.
    explicit WeightList(bool tied) : tied_(tied) {}
    Tensor tensor(const std::string& name, std::initializer_list<int64_t> shape) override;
    Loader::Experts experts(const std::string& prefix, int64_t E, int64_t F, int64_t C) override;
    bool has(const std::string& name) override { return name != "lm_head.weight" || !tied_; }
    const std::vector<WeightSpec>& specs() const { return specs_; }

  private:
    bool tied_;
    std::vector<WeightSpec> specs_;
};

}  // namespace saker
