// Inputs are drawn on the host and copied, so that every backend sees the same bits.
#include "ops/harness.h"

#include <cstring>

#include "base/rng.h"

namespace saker {
namespace {

constexpr int64_t kGuard = 512;  // bytes of 0xA5 before and after each output
constexpr uint8_t kGuardByte = 0xA5;

void store(void* at, DType dtype, int64_t i, float value) {
    switch (dtype) {
        case DType::f32:
            static_cast<float*>(at)[i] = value;
            return;
        case DType::bf16:
            static_cast<Bf16*>(at)[i] = Bf16::from(value);
            return;
        default:
            CHECK(false, "random inputs are f32 or bf16");
    }
}

double load(const void* at, DType dtype, int64_t i) {
    switch (dtype) {
        case DType::f32:
            return static_cast<const float*>(at)[i];
        case DType::bf16:
            return static_cast<const Bf16*>(at)[i];
        case DType::i32:
            return static_cast<const int32_t*>(at)[i];
        case DType::i64:
            return static_cast<double>(static_cast<const int64_t*>(at)[i]);
        case DType::u8:
            return static_cast<const uint8_t*>(at)[i];
        default:
            CHECK(false, "no test reads this dtype");
    }
}

}  // namespace

std::vector<Backend> backends_under_test() {
    std::vector<Backend> out;
    if (is_built(Backend::cpu)) out.push_back(Backend::cpu);
    if (is_built(Backend::cuda) && num_devices() > 0) out.push_back(Backend::cuda);
    return out;
}

std::vector<Backend> every_backend() {
    std::vector<Backend> out = backends_under_test();
    out.push_back(Backend::ref);
    return out;
}

std::vector<Backend> invariant_backends() {
    std::vector<Backend> out = {Backend::ref};
    if (is_built(Backend::cpu)) out.push_back(Backend::cpu);
    return out;
}

Rig::Rig(Backend backend, std::string_view case_name, int num_threads) : name_(case_name) {
    ex.backend = backend;
    pool_ = std::make_unique<ThreadPool>(num_threads);
    ex.pool = pool_.get();
    const int64_t capacity = int64_t{2} << 30;
    tensors_ = std::make_unique<Arena>(capacity, ex.place());
    scratch_ = std::make_unique<Arena>(capacity / 2, ex.place());
    ex.scratch = scratch_.get();
    if (backend == Backend::cuda) {
        stream_ = std::make_unique<Stream>(ex.device);
        ex.stream = stream_->raw();
        lane_ = std::make_unique<CudaLane>(ex.device);
        ex.cuda = lane_.get();
    }
}

Rig::~Rig() = default;

void Rig::synchronize() {
    if (stream_) stream_->synchronize();
}

Tensor Rig::strided(DType dtype, std::initializer_list<int64_t> dims, int64_t row_stride) {
    const Tensor shape(nullptr, dtype, dims);
    const int64_t stride = row_stride > 0 ? row_stride : shape.row_elements();
    CHECK(stride >= shape.row_elements(), "row_stride is smaller than a row");
    // A rank-2 block of whole strides, of which the tensor is the left part.
    const Tensor block = tensors_->take(dtype, {shape.dim(0), stride});
    Tensor t = block.columns(0, shape.row_elements());
    return shape.rank() == 1 ? block.reshape({shape.dim(0) * stride}) : t.reshape(dims);
}

Tensor Rig::random(std::string_view name, DType dtype, std::initializer_list<int64_t> dims,
                   float scale, int64_t row_stride) {
    const Tensor t = strided(dtype, dims, row_stride);
    const Rng rng(name_ + "/" + std::string(name));
    const int64_t row = t.row_elements(), rows = t.dim(0), stride = t.row_stride();
    std::vector<char> bytes(static_cast<size_t>(rows * stride * size_of(dtype)), char(0xFF));
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < row; ++c)
            store(bytes.data(), dtype, r * stride + c,
                  scale * rng.normal(static_cast<uint64_t>(r * row + c)));
    const int64_t n = rows * stride;
    copy(Tensor(t.raw(), dtype, {n}, ex.place()), Tensor(bytes.data(), dtype, {n}), ex.stream);
    synchronize();
    return t;
}

Tensor Rig::random_ids(std::string_view name, int64_t n, int64_t below) {
    const Rng rng(name_ + "/" + std::string(name));
    std::vector<int32_t> ids(static_cast<size_t>(n));
    for (size_t i = 0; i < ids.size(); ++i)
        ids[i] = static_cast<int32_t>(rng.bits(i) % static_cast<uint64_t>(below));
    return of(ids, {n});
}

Tensor Rig::place(const void* numbers, DType dtype, std::initializer_list<int64_t> dims) {
    return copy_of(Tensor(const_cast<void*>(numbers), dtype, dims));
}

Tensor Rig::copy_of(const Tensor& host) {
    const Tensor t = tensors_->take(host.dtype(), host.dims());
    copy(t, host, ex.stream);
    synchronize();
    return t;
}

Tensor Rig::output(DType dtype, std::initializer_list<int64_t> dims, int64_t row_stride) {
    const Tensor shape(nullptr, dtype, dims);
    const int64_t stride = row_stride > 0 ? row_stride : shape.row_elements();
    const int64_t inner_bytes = shape.dim(0) * stride * size_of(dtype);
    const Tensor whole = tensors_->take(DType::u8, {inner_bytes + 2 * kGuard});
    fill_bytes(whole, kGuardByte, ex.stream);
    char* at = static_cast<char*>(whole.raw()) + kGuard;
    Tensor inner(at, dtype, {shape.dim(0), stride}, ex.place());
    inner = shape.rank() == 1 ? Tensor(at, dtype, dims, ex.place())
                              : inner.columns(0, shape.row_elements()).reshape(dims);
    for (int64_t r = 0; r < shape.dim(0); ++r) {
        char* row = at + r * stride * size_of(dtype);
        fill_bytes(Tensor(row, DType::u8, {shape.row_elements() * size_of(dtype)}, ex.place()),
                   0xFF, ex.stream);
    }
    guarded_.push_back({whole, inner});
    return inner;
}

std::vector<double> Rig::fetch(const Tensor& t) {
    synchronize();
    const int64_t rows = t.rank() == 0 ? 0 : t.dim(0), stride = t.row_stride(),
                  row = t.row_elements();
    std::vector<double> out;
    if (rows * row == 0) return out;
    const int64_t span = (rows - 1) * stride + row;
    std::vector<char> bytes(static_cast<size_t>(span * size_of(t.dtype())));
    copy(Tensor(bytes.data(), t.dtype(), {span}), Tensor(t.raw(), t.dtype(), {span}, t.place()),
         ex.stream);
    synchronize();
    out.reserve(static_cast<size_t>(rows * row));
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < row; ++c)
            out.push_back(load(bytes.data(), t.dtype(), r * stride + c));
    return out;
}

std::string Rig::check_guards() {
    synchronize();
    for (const Guarded& g : guarded_) {
        std::vector<uint8_t> bytes(static_cast<size_t>(g.whole.num_elements()));
        copy(Tensor(bytes.data(), DType::u8, {g.whole.num_elements()}), g.whole, ex.stream);
        synchronize();
        const int64_t element = size_of(g.inner.dtype());
        const int64_t row = g.inner.row_elements() * element,
                      stride = g.inner.row_stride() * element;
        for (int64_t i = 0; i < g.whole.num_elements(); ++i) {
            const int64_t at = i - kGuard;
            const bool inside = at >= 0 && at < g.whole.num_elements() - 2 * kGuard &&
                                (stride == 0 || at % stride < row);
            if (!inside && bytes[static_cast<size_t>(i)] != kGuardByte)
                return "byte " + std::to_string(at) + " of an output of " + g.inner.describe() +
                       " was written, outside its rows";
        }
    }
    return "";
}

std::string compare(const std::vector<double>& got, const std::vector<double>& want,
                    Tolerance tolerance) {
    if (got.size() != want.size())
        return "sizes differ: " + std::to_string(got.size()) + " and " +
               std::to_string(want.size());
    size_t worst = 0;
    double worst_excess = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < got.size(); ++i) {
        if (tolerance.allows(got[i], want[i])) continue;
        ++wrong;
        const double error = std::isnan(got[i]) ? HUGE_VAL : std::fabs(got[i] - want[i]);
        if (wrong == 1 || error > worst_excess) {
            worst = i;
            worst_excess = error;
        }
    }
    if (wrong == 0) return "";
    return std::to_string(wrong) + " of " + std::to_string(got.size()) + " are off; worst at " +
           std::to_string(worst) + ": " + std::to_string(got[worst]) + " for " +
           std::to_string(want[worst]) + " (allowed: " + std::to_string(tolerance.relative) +
           " of it + " + std::to_string(tolerance.absolute) + ")";
}

std::string compare_exact(const std::vector<double>& got, const std::vector<double>& want) {
    return compare(got, want, {0, 0});
}

}  // namespace saker
