/// \file
/// The update: lower tiles of L21·L21ᵀ; one kernel computes them and subtracts each entry at its relative indices.

#include <type_traits>

#include "kernels/cuda/early_launch.cuh"
#include "kernels/cuda/load.hpp"
#include "kernels/cuda/lu_kernels.hpp"
#include "kernels/cuda/product_tile.cuh"
#include "kernels/cuda/scalar_list.hpp"
#include "kernels/cuda/trace.cuh"

namespace gpusupernodal::cuda {
namespace {

/// Warps of a CTA. The sums of a complex tile take twice the registers, so more warps share them.
template <class T>
constexpr int warps = ScalarTraits<T>::is_complex ? 8 : 4;
template <class T>
constexpr int ctas = ScalarTraits<T>::is_complex ? 2 : 4;

/// One CTA per tile. `Data`: FactorData<T>, or LdltData<T> for a product with signs.
template <class T, bool InOrder, class Data>
__global__ void __launch_bounds__(32 * warps<T>, InOrder&& ctas<T> > 3 ? 3 : ctas<T>)
    product_kernel(Data data, const ProductTask* tasks) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  __shared__ __align__(shared_alignment) ColumnTarget targets[tile_size];
  const ProductTask task = tasks[claim_task<InOrder>(data)];
  const TraceScope traced(data.trace, TracedWork::product, task.panel, blockIdx.x);
  // If all CTAs fit on the device, the preceding launch is still running; otherwise loads of operands come first.
  subtract_tile<T, warps<T>, InOrder, is_adjoint<Data>>(data, data.values, task, {reinterpret_cast<T*>(shared), targets},
                                                        gridDim.x <= ctas_at_once, [] {
                                                          await_launch_before();
                                                          let_next_launch_begin();
                                                        });
}

/// LU: one CTA per tile of L (blockIdx.y = 0), which takes L·(Uᵀ)ᵀ, and per tile of Uᵀ, which takes Uᵀ·Lᵀ.
template <class T>
__global__ void __launch_bounds__(32 * warps<T>, ctas<T>)
    lu_product_kernel(FactorData<T> data, const ProductTask* tasks, std::int64_t partner) {
  extern __shared__ __align__(shared_alignment) unsigned char shared[];
  __shared__ __align__(shared_alignment) ColumnTarget targets[tile_size];
  const ProductTask task = tasks[blockIdx.x];
  const TraceScope traced(data.trace, TracedWork::product, task.panel, blockIdx.x);
  const bool upper = blockIdx.y == 1;
  const T* const other = data.values + (upper ? 0 : partner);
  data.values += upper ? partner : 0;
  subtract_tile<T, warps<T>, false, false>(data, other, task, {reinterpret_cast<T*>(shared), targets},
                                           gridDim.x * gridDim.y <= ctas_at_once, [] {
                                             await_launch_before();
                                             let_next_launch_begin();
                                           });
}

}  // namespace

template <class T>
void apply_updates(const FactorData<T>& data, const ProductTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  const auto kernel =
      data.tasks_added == nullptr ? product_kernel<T, false, FactorData<T>> : product_kernel<T, true, FactorData<T>>;
  launch_early(kernel, dim3(static_cast<unsigned>(count)), 32 * warps<T>, product_memory<T>().dynamic_bytes, data.early,
               stream, data, tasks);
}

template <class T>
void apply_lu_updates(const LuData<T>& lu, const ProductTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  launch_early(lu_product_kernel<T>, dim3(static_cast<unsigned>(count), 2), 32 * warps<T>, product_memory<T>().dynamic_bytes,
               lu.data.early, stream, lu.data, tasks, lu.partner);
}

template <class T>
void apply_ldlt_updates(const LdltData<T>& data, const ProductTask* tasks, int count, cudaStream_t stream) {
  if (count == 0) return;
  as_kernels_take(data, [&](const auto& taken) {
    launch_early(product_kernel<T, false, std::decay_t<decltype(taken)>>, dim3(static_cast<unsigned>(count)), 32 * warps<T>,
                 product_memory<T>().dynamic_bytes, data.early, stream, taken, tasks);
  });
}

namespace {

template <class T, class Data>
void prepare_kernel_for() {
  load_kernels(product_kernel<T, false, Data>);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(product_kernel<T, false, Data>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                product_memory<T>().dynamic_bytes));
}

}  // namespace

template <class T>
void prepare_ldlt_products(bool symmetric) {
  if constexpr (ScalarTraits<T>::is_complex) {
    if (symmetric) return prepare_kernel_for<T, SymmetricData<T>>();
  }
  prepare_kernel_for<T, LdltData<T>>();
}

template <class T>
void prepare_lu_products() {
  load_kernels(lu_product_kernel<T>);
  GPUSUPERNODAL_CUDA_CHECK(cudaFuncSetAttribute(lu_product_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                product_memory<T>().dynamic_bytes));
}

template <class T>
void prepare_products() {
  load_kernels(product_kernel<T, false, FactorData<T>>, product_kernel<T, true, FactorData<T>>);
  for (const auto kernel : {product_kernel<T, false, FactorData<T>>, product_kernel<T, true, FactorData<T>>}) {
    GPUSUPERNODAL_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, product_memory<T>().dynamic_bytes));
  }
}

#define INSTANTIATE(T)                                                                         \
  template void apply_updates<T>(const FactorData<T>&, const ProductTask*, int, cudaStream_t); \
  template void prepare_products<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#if GPUSUPERNODAL_HAVE_LDLT
#define INSTANTIATE(T)                                                                            \
  template void apply_ldlt_updates<T>(const LdltData<T>&, const ProductTask*, int, cudaStream_t); \
  template void prepare_ldlt_products<T>(bool)
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#endif
#if GPUSUPERNODAL_HAVE_LU
#define INSTANTIATE(T)                                                                        \
  template void apply_lu_updates<T>(const LuData<T>&, const ProductTask*, int, cudaStream_t); \
  template void prepare_lu_products<T>()
GPUSUPERNODAL_INSTANTIATE_SCALARS(INSTANTIATE);
#undef INSTANTIATE
#endif

}  // namespace gpusupernodal::cuda
