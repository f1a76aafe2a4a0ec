#include "tests/solver/api/cuda/counted_graphs.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <atomic>

namespace gpusupernodal::test {
namespace {

std::atomic<std::int64_t> instantiations{0};

template <class Function>
Function* counted(const char* name) {
  ++instantiations;
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

std::int64_t graph_instantiations() { return instantiations; }

}  // namespace gpusupernodal::test

using gpusupernodal::test::counted;

// These functions precede those of the CUDA runtime in symbol resolution.
extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return counted<decltype(cudaGraphInstantiate)>("cudaGraphInstantiate")(executable, graph, flags);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return counted<decltype(cudaGraphInstantiateWithFlags)>("cudaGraphInstantiateWithFlags")(executable, graph, flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  return counted<decltype(cudaGraphInstantiateWithParams)>("cudaGraphInstantiateWithParams")(executable, graph, parameters);
}
}
