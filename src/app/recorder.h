// Recorder: keeps every intermediate tensor of a run, row by row, sorted to the sequence that it
// belongs to.
//
// Steps mix chunks of several sequences; the observer's plan says whose rows a tensor holds, the
// tap brings the tensor. `saker verify` compares what was recorded with a reference.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/plan.h"
#include "tensor/exec.h"

namespace saker {

/// What one sequence's prompt showed: rows by stage. A stage is the tap's name and index
/// ("layer3"); those of the vision tower end in " image" or " video".
struct Shown {
    std::map<std::string, std::vector<float>> stages;  // [rows, columns], zero until seen

    /// Null where the stage was never seen.
    const std::vector<float>* find(const std::string& stage) const;
};

class Recorder : public StepObserver, public Tap {
  public:
    const Shown& of(SeqId id) { return shown_[id.value]; }

    void on_encode(std::span<const PlannedFrame> frames) override;
    void on_forward(const StepPlan& plan) override;
    void see(std::string_view stage, int64_t index, const Tensor& value) override;

  private:
    void put(const Sequence& s, const std::string& stage, int64_t num_rows, int64_t row,
             size_t columns, const float* from);
    void see_visual(std::string_view stage, int64_t index, const Tensor& value);

    std::vector<PlannedFrame> frames_;
    std::vector<PlannedRows> rows_;
    std::map<uint64_t, Shown> shown_;
};

}  // namespace saker
