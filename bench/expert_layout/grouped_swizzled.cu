// The grouped products whose weights lie in swizzled order.
#include "bench/expert_layout/grouped.cuh"

namespace saker::expert_layout {

void launch_grouped_swizzled(bool up, const GroupedArgs& a, int blocks, cudaStream_t stream) {
    if (up)
        launch_product<Order::swizzled, true>(a, blocks, stream);
    else
        launch_product<Order::swizzled, false>(a, blocks, stream);
}

}  // namespace saker::expert_layout
