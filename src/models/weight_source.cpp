// The list that `synth` and `inspect` read. Its tensors have shapes and no numbers.
#include "models/weight_source.h"

namespace saker {

int64_t WeightSpec::num_elements() const {
    int64_t n = 1;
    for (int64_t d : shape) n *= d;
    return n;
}

Tensor WeightList::tensor(const std::string& name, std::initializer_list<int64_t> shape) {
    specs_.push_back({name, shape});
    return Tensor(nullptr, DType::bf16, shape);
}

Loader::Experts WeightList::experts(const std::string& prefix, int64_t E, int64_t F, int64_t C) {
    specs_.push_back({prefix + ".gate_up_proj", {E, C, 2 * F}});
    specs_.push_back({prefix + ".down_proj", {E, F, C}});
    return {Tensor(nullptr, DType::bf16, {E, 2 * F, C}), Tensor(nullptr, DType::bf16, {E, C, F})};
}

}  // namespace saker
