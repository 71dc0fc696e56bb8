// cuda_lane.h on cuBLASLt. The only file that sees it.
//
// The library is column-major, so what it is asked for is the transpose of ours, with no data
// moved: weight [Co, Ci] is its A, Ci x Co, transposed; x [N, Ci] its B, Ci x N; out [N, Co] its D,
// Co x N; a bias along Co is then one value a row of D, which is what the bias epilogue adds.
#include <cublasLt.h>

#include <array>
#include <map>
#include <string>

#include "ops/cuda_lane.h"
#include "tensor/cuda_check.h"
#include "tensor/device.h"

namespace saker {
namespace cuda {

static void check_status(cublasStatus_t status, const char* call, const char* file, int line) {
    if (status == CUBLAS_STATUS_SUCCESS) [[likely]]
        return;
    check_failed(file, line, call,
                 std::string("cuBLASLt failed with ") + cublasLtGetStatusName(status));
}

}  // namespace cuda

namespace {

// Everything that the choice of a kernel depends on: sizes, strides, dtypes, alignments.
using Key = std::array<int64_t, 12>;

// A prefill may have any number of tokens; the plans of old ones are dropped together, and cost
// some microseconds when they come back.
constexpr size_t kMaxPlans = 4096;

struct Plan {
    bool exists = false;  // false: the library has no kernel for this shape
    cublasLtMatmulDescOpaque_t operation;
    cublasLtMatrixLayoutOpaque_t weight, x, out;
    cublasLtMatmulAlgo_t algorithm;
};

cudaDataType_t type_of(const Tensor& t) {
    return t.dtype() == DType::bf16 ? CUDA_R_16BF : CUDA_R_32F;
}

/// The largest power of two, up to 256, that the address is a multiple of.
uint32_t alignment_of(const Tensor& t) {
    const auto bits = reinterpret_cast<uintptr_t>(t.raw()) | 256;
    return static_cast<uint32_t>(bits & -bits);
}

Key key_of(const Tensor& out, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return {x.dim(0),
            weight.dim(0),
            x.dim(1),
            x.row_stride(),
            weight.row_stride(),
            out.row_stride(),
            static_cast<int64_t>(x.dtype()),
            static_cast<int64_t>(out.dtype()),
            bias ? 1 : 0,
            alignment_of(x),
            alignment_of(weight),
            alignment_of(out)};
}

template <class T>
void set(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t which, T value) {
    CUDA_CHECK(cublasLtMatmulDescSetAttribute(operation, which, &value, sizeof value));
}

void lay_out(cublasLtMatrixLayoutOpaque_t* layout, const Tensor& t) {
    CUDA_CHECK(cublasLtMatrixLayoutInit(layout, type_of(t), static_cast<uint64_t>(t.dim(1)),
                                        static_cast<uint64_t>(t.dim(0)), t.row_stride()));
}

Plan make_plan(cublasLtHandle_t library, const Tensor& out, const Tensor& x, const Tensor& weight,
               const Tensor& bias) {
    Plan plan;
    CUDA_CHECK(cublasLtMatmulDescInit(&plan.operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    set(&plan.operation, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    if (bias) {
        set(&plan.operation, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
        set(&plan.operation, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, type_of(bias));
        set<const void*>(&plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.raw());
    }
    lay_out(&plan.weight, weight);
    lay_out(&plan.x, x);
    lay_out(&plan.out, out);

    cublasLtMatmulPreferenceOpaque_t preference;
    CUDA_CHECK(cublasLtMatmulPreferenceInit(&preference));
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t which, auto value) {
        CUDA_CHECK(cublasLtMatmulPreferenceSetAttribute(&preference, which, &value, sizeof value));
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
           static_cast<uint64_t>(CudaLane::kWorkspaceBytes));
    // A sum that is split over blocks is joined in f32, in a fixed order: never in out's dtype,
    // which would round the parts, and never by additions in place.
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
           static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(weight));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(x));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(out));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(out));
    // The first of the library's list was within 5 % of the best of eight on every shape of this
    // model, and a choice by timing would not be the same in each run.
    cublasLtMatmulHeuristicResult_t found;
    int num_found = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(library, &plan.operation, &plan.weight, &plan.x, &plan.out,
                                       &plan.out, &preference, 1, &found, &num_found);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || num_found == 0) return plan;
    CUDA_CHECK(status);
    plan.exists = true;
    plan.algorithm = found.algo;
    return plan;
}

}  // namespace

struct CudaLane::State {
    int device;
    void* workspace = nullptr;
    cublasLtHandle_t library = nullptr;
    std::map<Key, Plan> plans;
};

CudaLane::CudaLane(int device) : state_(std::make_unique<State>()) {
    state_->device = device;
    state_->workspace = device_allocate(device, kWorkspaceBytes);
    CUDA_CHECK(cublasLtCreate(&state_->library));
}

CudaLane::~CudaLane() {
    use_device(state_->device);
    CUDA_CHECK(cublasLtDestroy(state_->library));
    device_free(state_->device, state_->workspace);
}

int64_t CudaLane::num_plans() const {
    return static_cast<int64_t>(state_->plans.size());
}

bool CudaLane::matmul(const Exec& ex, const Tensor& out, const Tensor& x, const Tensor& weight,
                      const Tensor& bias) {
    CHECK(x.dtype() == weight.dtype(), "matmul needs x and weight of one dtype");
    CHECK(!bias || bias.dtype() == out.dtype(), "matmul needs a bias of out's dtype");
    const Key key = key_of(out, x, weight, bias);
    auto at = state_->plans.find(key);
    if (at == state_->plans.end()) {
        if (state_->plans.size() >= kMaxPlans) state_->plans.clear();
        at = state_->plans.emplace(key, make_plan(state_->library, out, x, weight, bias)).first;
    }
    Plan& plan = at->second;
    if (!plan.exists) return false;
    if (bias) set<const void*>(&plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.raw());
    const float one = 1, zero = 0;
    CUDA_CHECK(cublasLtMatmul(
        state_->library, &plan.operation, &one, weight.raw(), &plan.weight, x.raw(), &plan.x, &zero,
        out.raw(), &plan.out, out.raw(), &plan.out, &plan.algorithm, state_->workspace,
        static_cast<size_t>(kWorkspaceBytes), static_cast<cudaStream_t>(ex.stream)));
    return true;
}

}  // namespace saker
