// Loader: hands a model its weights by name, in the form that the ops take.
//
// Used once, at start-up, by the model that is being built; every fault is a StartupError that
// names the tensor. What a file holds becomes:
//   bf16, f32   the same; on the host a view into the mapped file, without a copy
//   f16         f32, exact
//   f8_e4m3     bf16(f32(q) * f32(s)), s the scale of the weight's 128 x 128 block (decode.h)
// Expert tensors come out in Linear order whichever of the three layouts the file has.
//
// A model's loading function runs twice where memory must be exact (a device), and may run once
// into an upper bound where it is only address space (the host):
//   Loader measure = Loader::measuring(checkpoint, place);
//   load_weights(measure, config);                       // checks names and shapes, reads nothing
//   Arena arena(measure.arena_bytes(), place);
//   Loader loader(checkpoint, arena, pool, &progress);   // progress of measure.read_bytes()
//   weights = load_weights(loader, config);
//   loader.finish();
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "tensor/arena.h"
#include "weights/checkpoint.h"
#include "weights/progress.h"

namespace saker {

class Loader {
  public:
    /// Loads into `weights`, on the host or a device. The tensors that it hands out borrow the
    /// arena and, on the host, the checkpoint's mapping: both must outlive them.
    Loader(const Checkpoint& checkpoint, Arena& weights, ThreadPool& pool,
           Progress* progress = nullptr);
    ~Loader();
    Loader(Loader&&) noexcept;

    /// A loader that reads and allocates nothing: its tensors have shape, dtype and place, but no
    /// memory. After the same calls arena_bytes() is what a real loader at `place` takes.
    static Loader measuring(const Checkpoint& checkpoint, Place place);

    bool has(std::string_view name) const { return checkpoint_->has(name); }

    /// The weight `name`, f32 or bf16, of this shape.
    Tensor load(std::string_view name, std::initializer_list<int64_t> shape);

    struct Experts {
        Tensor gate_up;  // [E, 2F, C], gate rows first
        Tensor down;     // [E, C, F]
    };
    /// The experts under `prefix` ("model.language_model.layers.3.mlp.experts"), from the released
    /// layout ([E, C, 2F] and [E, F, C]), the one of transformers 5 ([E, 2F, C] and [E, C, F]), or
    /// one tensor each (`PREFIX.7.gate_proj.weight`).
    Experts load_experts(std::string_view prefix, int64_t E, int64_t F, int64_t C);

    /// Says that tensors beginning with `prefix` are left out by intent, so that finish() accepts
    /// them (the vision tower of a server without pictures).
    void skip(std::string_view prefix);

    /// Throws StartupError naming tensors of the checkpoint that nobody asked for: a layer or a
    /// bias that the configuration does not know of means wrong answers, and nobody would notice.
    /// Only what is known to be harmless passes with a line in the log: rotary tables, the
    /// multi-token prediction head, an output head that is tied to the embedding, and scales of
    /// activations, which are never quantised here.
    void finish();

    /// Bytes taken from the arena so far, alignment included.
    int64_t arena_bytes() const { return arena_bytes_; }
    /// Bytes of the weights asked for so far, as stored: the total of a Progress.
    int64_t read_bytes() const { return read_bytes_; }

    /// At least what any model takes that asks for each tensor of `checkpoint` once, anywhere.
    static int64_t bytes_needed(const Checkpoint& checkpoint);

  private:
    struct Source;   // a stored tensor with its scales, checked
    struct Output;   // how a tensor of the arena is made, in pieces
    struct Staging;  // host memory on the way to a device

    struct ExpertSizes {
        int64_t E, F, C;
    };

    Loader(const Checkpoint& checkpoint, Place place);
    Source find(std::string_view name);
    Source find(std::string_view name, std::initializer_list<int64_t> shape);
    Experts load_fused(const std::string& gate_up, const std::string& down, const ExpertSizes& n);
    Tensor load_fused_one(const Source& source, bool transposed,
                          std::initializer_list<int64_t> shape);
    Experts load_separate(std::string_view prefix, const ExpertSizes& n);
    Tensor view(const Source& source);
    Tensor produce(const Output& output, DType decoded, std::initializer_list<int64_t> shape);
    void make_batch(const Tensor& out, const Output& output, size_t begin, size_t end);
    [[noreturn]] static void fail_on_cut(const Source& source);

    const Checkpoint* checkpoint_;
    Arena* arena_ = nullptr;  // null while measuring
    ThreadPool* pool_ = nullptr;
    Progress* progress_ = nullptr;
    Place place_;
    int64_t arena_bytes_ = 0, read_bytes_ = 0;
    std::set<std::string, std::less<>> asked_;
    std::vector<std::string> skipped_prefixes_;
    std::unique_ptr<Staging> staging_;
};

/// Names of tensors that hold a NaN or an infinity; an optional check that reads all weights.
std::vector<std::string> scan_finite(const Checkpoint& checkpoint, ThreadPool& pool);

}  // namespace saker
