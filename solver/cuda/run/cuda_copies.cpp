/// \file
/// Copies of L and A from the device of the CUDA executor to the host.

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "gpusupernodal/build_config.hpp"
#include "kernels/common/accepted_pivot.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/value_kernels.hpp"
#include "solver/cuda/run/cuda_executor.hpp"

namespace gpusupernodal::cuda {
namespace {

/// The pivot that the kernels of LDLᵀ take for the one that they found. `symmetric`: of a complex symmetric matrix.
template <class R>
R accepted_on_host(R pivot, R smallest, bool = false) {
  return std::copysign(std::max(std::abs(pivot), smallest), pivot);
}
template <class R>
std::complex<R> accepted_on_host(std::complex<R> pivot, R smallest, bool symmetric) {
  if (!symmetric) return accepted_on_host(pivot.real(), smallest);
  const Complex<R> accepted = accepted_pivot(to_number(pivot), smallest);
  return {accepted.re, accepted.im};
}

}  // namespace

/// Calls visit(s, panel) for every supernode, with its panel in host memory: `panel` is where its first value lies.
template <class T>
template <class Visit>
void CudaExecutor<T>::for_each_staged_panel(const Visit& visit) {
  const std::vector<Stage>& all = plan_->stages->stages;
  const PanelLayout& layout = plan_->structure->panels;
  forked([&] { wait(); });
  for (std::size_t k = 0; k < all.size(); ++k) {
    const T* values = nullptr;
    std::vector<T> on_device;
    if (!all[k].stays()) {
      values = reinterpret_cast<const T*>(staged_->host(k));
    } else {
      const DeviceGuard guard(device_);
      on_device.resize(static_cast<std::size_t>(all[k].values));
      values = on_device.data();
      GPUSUPERNODAL_CUDA_CHECK(
          cudaMemcpy(on_device.data(), values_ + all[k].first_value, on_device.size() * sizeof(T), cudaMemcpyDeviceToHost));
    }
    for (const StageRange& range : all[k].ranges) {
      for (SupernodeId s : IdRange<SupernodeId>(range.first, range.last))
        visit(s, values + (layout.value_offset[s] - all[k].first_value));
    }
  }
}

template <class T>
void CudaExecutor<T>::copy_panels(Span<T> host) {
  if (staged_) {
    const PanelLayout& whole = plan_->stages->whole;
    for_each_staged_panel([&](SupernodeId s, const T* panel) {
      const std::int64_t values = end_of_panel(0, whole.ld[s], plan_->structure->symbolic.width(s));
      std::copy_n(panel, values, host.data() + whole.value_offset[s]);
    });
    return;
  }
  forked([&] {
    wait();
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(host.data(), values_, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
  });
}

template <class T>
void CudaExecutor<T>::copy_diagonal(Span<T> host) {
  if (staged_) {
    const SymbolicFactor& factor = plan_->structure->symbolic;
    const PanelLayout& layout = plan_->structure->panels;
    for_each_staged_panel([&](SupernodeId s, const T* panel) {
      for (std::int32_t j = 0; j < factor.width(s); ++j)
        host[static_cast<std::size_t>((factor.first_column[s] + j).value)] =
            panel[layout.index(s, j, j) - layout.value_offset[s]];
    });
    return;
  }
  forked([&] {
    gather_diagonal<Number>(values_ + partner(), tasks_.diagonal, own_columns(), vectors_.staging, streams_.main());
    wait();
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(host.data(), vectors_.staging, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
    if (!is_lu()) return;
    std::vector<Real> scales(2 * host.size());
    const std::size_t bytes = host.size() * sizeof(Real);
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(scales.data(), scales_.row, bytes, cudaMemcpyDeviceToHost));
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(scales.data() + host.size(), scales_.column, bytes, cudaMemcpyDeviceToHost));
    for (std::size_t k = 0; k < host.size(); ++k) {
      const auto unscaled = static_cast<typename ScalarTraits<T>::Wide>(host[k]) / static_cast<double>(scales[k]) /
                            static_cast<double>(scales[host.size() + k]);
      host[k] = static_cast<T>(unscaled);
    }
  });
}

template <class T>
void CudaExecutor<T>::copy_values(Span<T> host) {
  forked([&] {
    wait();
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(host.data(), a_, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
  });
}

/// Copies the pivots that the last factorization found to the host.
template <class T>
std::vector<T> CudaExecutor<T>::found_pivots() {
  std::vector<T> pivots(static_cast<std::size_t>(order()));
  forked([&] {
    wait();
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(pivots.data(), pivots_, pivots.size() * sizeof(T), cudaMemcpyDeviceToHost));
  });
  return pivots;
}

/// The magnitude that pivots have at least, as smallest_pivot() on the device.
template <class T>
typename ScalarTraits<T>::Real CudaExecutor<T>::smallest_allowed() {
  const double largest = outcome().largest_in_a;
  return std::max(static_cast<Real>(perturbation_ * (largest > 0.0 ? largest : 1.0)), std::numeric_limits<Real>::min());
}

template <class T>
void CudaExecutor<T>::copy_pivots(Span<T> diagonal, Span<T> beside) {
  const std::vector<T> pivots = found_pivots();
  const Real smallest = smallest_allowed();
  std::vector<Real> scales(pivots.size());
  forked([&] {
    GPUSUPERNODAL_CUDA_CHECK(
        cudaMemcpy(scales.data(), ldlt_scales_.scale, scales.size() * sizeof(Real), cudaMemcpyDeviceToHost));
  });
  for (std::size_t k = 0; k < pivots.size(); ++k) {
    diagonal[k] = accepted_on_host(pivots[k], smallest, is_symmetric_) / scales[k] / scales[k];
    beside[k] = T(0);
  }
}

template <class T>
std::vector<SmallPivot> CudaExecutor<T>::small_pivots(double magnitude) {
  const std::vector<T> pivots = found_pivots();
  const Real smallest = smallest_allowed();
  std::vector<SmallPivot> result;
  for (std::int32_t k = 0; k < order(); ++k) {
    const T pivot = pivots[static_cast<std::size_t>(k)];
    if (is_small_pivot(to_number(pivot), smallest) && static_cast<double>(std::abs(pivot)) <= magnitude)
      result.push_back({NewIndex(k), !is_symmetric_ && std::signbit(ScalarTraits<T>::real(pivot))});
  }
  return result;
}

#define INSTANTIATE(T)                                          \
  template void CudaExecutor<T>::copy_panels(Span<T>);          \
  template void CudaExecutor<T>::copy_diagonal(Span<T>);        \
  template void CudaExecutor<T>::copy_values(Span<T>);          \
  template void CudaExecutor<T>::copy_pivots(Span<T>, Span<T>); \
  template std::vector<SmallPivot> CudaExecutor<T>::small_pivots(double);
GPUSUPERNODAL_FOR_EACH_SCALAR(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
