// The grouped products whose weights lie in fragment order.
#include "bench/expert_layout/grouped.cuh"

namespace saker::expert_layout {

void launch_grouped_fragment(bool up, const GroupedArgs& a, int blocks, cudaStream_t stream) {
    if (up)
        launch_product<Order::fragment, true>(a, blocks, stream);
    else
        launch_product<Order::fragment, false>(a, blocks, stream);
}

}  // namespace saker::expert_layout
