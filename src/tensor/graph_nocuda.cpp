// graph.h in a build without CUDA: nothing is ever captured.
#include "base/check.h"
#include "tensor/graph.h"

namespace saker {

Graph::~Graph() = default;

void Graph::capture(const Exec& ex, FunctionRef<void()>) {
    CHECK(ex.backend != Backend::cuda, "this build has no CUDA");
}

void Graph::replay(const Exec&) {
    CHECK(false, "replay of a graph that was not captured");
}

}  // namespace saker
