/// \file
/// Vectors and products with A on the device of the CUDA executor.

#include <algorithm>
#include <complex>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/vector_kernels.hpp"
#include "solver/cuda/run/cuda_executor.hpp"

namespace gpusupernodal::cuda {

/// Returns the stored entries of scale·A + shift·I, or of its conjugate: for LU all, otherwise a half.
template <class T>
auto CudaExecutor<T>::entries_of_a(Real scale, Real shift, bool conjugated) const -> EntryList<Number> {
  EntryList<Number> a;
  a.values = a_;
  a.source = tasks_.source;
  a.row = tasks_.entry_row;
  a.column = tasks_.entry_column;
  a.count = static_cast<std::int64_t>(plan_->structure->assembly.source.size());
  a.scale = scale;
  a.shift = shift;
  if constexpr (is_complex) {
    a.listed = conjugated ? -1.0 : 1.0;
    a.other = is_hermitian() ? -a.listed : a.listed;
  } else {
    static_cast<void>(conjugated);
  }
  return a;
}

/// Computes r := b − (scale·A + shift·I) x, or with the transpose, and its norms on the device. Only LU, and LDLᵀ
/// without a shift, take several columns, or none to write.
template <class T>
void CudaExecutor<T>::launch_residual(Real scale, Real shift, const ResidualVectors<Number>& v, Orientation orientation) {
  const cudaStream_t main = streams_.main();
  const bool conjugated = takes_conjugate(orientation.transposed, orientation.conjugated);
  if (is_lu()) {
    const EntryRows& rows = orientation.transposed ? tasks_.columns_of_a : tasks_.rows_of_a;
    return general_residual<Number>(rows, a_, conjugated, scale, order(), v, norms_, main);
  }
  if (is_ldlt_ && shift == Real(0))
    return general_residual<Number>(tasks_.rows_of_a, a_, conjugated, scale, order(), v, norms_, main);
  cuda::residual<Number>(entries_of_a(scale, shift, conjugated), tasks_.old_of_new, order(), v.b, v.x, v.r, residual_work_,
                         norms_, main);
}

/// Computes the norms of several residuals; those of LDLᵀ with a shift one after the other, without waiting for each.
/// `work`: memory for a residual.
template <class T>
void CudaExecutor<T>::launch_residual_norms(const ResidualVectors<Number>& v, Number* work, Orientation orientation) {
  if (is_lu() || shift_ == Real(0)) return launch_residual(scale_, shift_, v, orientation);
  for (int c = 0; c < v.columns; ++c) {
    cuda::residual<Number>(entries_of_a(scale_, shift_, takes_conjugate(orientation.transposed, orientation.conjugated)),
                           tasks_.old_of_new, order(), v.b + c * v.ld_b, v.x + c * v.ld_x, work, residual_work_,
                           norms_ + norms_per_column * c, streams_.main());
  }
}

template <class T>
void CudaExecutor<T>::apply(const DenseView<const T>& x, const DenseView<T>& y, Orientation orientation) {
  forked([&] {
    GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(y.data, 0, static_cast<std::size_t>(order()) * sizeof(T), streams_.main()));
    // y := 0 − (−A) x.
    auto* const to = reinterpret_cast<Number*>(y.data);
    launch_residual(-scale_, -shift_, {to, y.ld, reinterpret_cast<const Number*>(x.data), x.ld, to, y.ld, 1}, orientation);
    join();
  });
}

template <class T>
ResidualNorms CudaExecutor<T>::residual(const DenseView<const T>& b, const DenseView<const T>& x, const DenseView<T>& r,
                                        Orientation orientation) {
  double(&norms)[norms_per_column * cuda_residual_columns] = host_norms_.get()->of;
  forked([&] {
    launch_residual(scale_, shift_,
                    {reinterpret_cast<const Number*>(b.data), b.ld, reinterpret_cast<const Number*>(x.data), x.ld,
                     reinterpret_cast<Number*>(r.data), r.ld, 1},
                    orientation);
    GPUSUPERNODAL_CUDA_CHECK(
        cudaMemcpyAsync(norms, norms_, norms_per_column * sizeof(double), cudaMemcpyDeviceToHost, streams_.main()));
    wait();
  });
  return {norms[0], norms[1], norms[2], norms[3]};
}

template <class T>
void CudaExecutor<T>::residual_norms(const DenseView<const T>& b, const DenseView<const T>& x, const DenseView<T>& work,
                                     Span<ResidualNorms> norms, Orientation orientation) {
  if (!is_lu() && !is_ldlt_) {
    for (std::int64_t c = 0; c < b.cols; ++c) {
      const DenseView<const T> right(b.data + c * b.ld, b.rows, b.space), solution(x.data + c * x.ld, x.rows, x.space);
      norms[static_cast<std::size_t>(c)] = residual(right, solution, work, orientation);
    }
    return;
  }
  const double(&found)[norms_per_column * cuda_residual_columns] = host_norms_.get()->of;
  for (std::int64_t first = 0; first < b.cols; first += cuda_residual_columns) {
    const std::int64_t columns = std::min(cuda_residual_columns, b.cols - first);
    forked([&] {
      launch_residual_norms(
          {reinterpret_cast<const Number*>(b.data + first * b.ld), b.ld,
           reinterpret_cast<const Number*>(x.data + first * x.ld), x.ld, nullptr, 0, static_cast<int>(columns)},
          reinterpret_cast<Number*>(work.data), orientation);
      GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(host_norms_.get(), norms_,
                                               sizeof(double) * norms_per_column * static_cast<std::size_t>(columns),
                                               cudaMemcpyDeviceToHost, streams_.main()));
      wait();
    });
    for (std::int64_t c = 0; c < columns; ++c) {
      const double* const of = found + norms_per_column * c;
      norms[static_cast<std::size_t>(first + c)] = {of[0], of[1], of[2], of[3]};
    }
  }
}

template <class T>
DenseView<T> CudaExecutor<T>::scratch(int slot, std::int64_t rows, std::int64_t cols) {
  const DeviceGuard guard(device_);
  const auto index = static_cast<std::size_t>(slot);
  if (scratch_.size() <= index) scratch_.resize(index + 1);
  if (scratch_[index].size() < rows * cols) {
    wait();
    scratch_[index] = Buffer<T>(allocator_, rows * cols, "a vector of refinement");
  }
  return DenseView<T>(scratch_[index].data(), rows, cols, std::max<std::int64_t>(rows, 1), MemorySpace::device);
}

/// A solve without steps copies between all memory spaces.
template <class T>
void CudaExecutor<T>::copy(const DenseView<const T>& from, const DenseView<T>& to) {
  solve(SolveSteps{false, false, false, false}, from, to);
}

template <class T>
void CudaExecutor<T>::axpy(T alpha, const DenseView<const T>& x, const DenseView<T>& y) {
  forked([&] {
    const Number factor = to_number(alpha);
    add_to<Number>(factor, reinterpret_cast<const Number*>(x.data), x.ld, static_cast<std::int32_t>(y.rows),
                   static_cast<int>(y.cols), reinterpret_cast<Number*>(y.data), y.ld, streams_.main());
    join();
  });
}

template <class T>
double CudaExecutor<T>::max_norm(const DenseView<const T>& x) {
  double norm = 0.0;
  forked([&] {
    cuda::max_norm<Number>(reinterpret_cast<const Number*>(x.data), static_cast<std::int32_t>(x.rows), norms_,
                           streams_.main());
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(&norm, norms_, sizeof(norm), cudaMemcpyDeviceToHost, streams_.main()));
    wait();
  });
  return norm;
}

#define INSTANTIATE(T)                                                                                                     \
  template void CudaExecutor<T>::residual_norms(const DenseView<const T>&, const DenseView<const T>&, const DenseView<T>&, \
                                                Span<ResidualNorms>, Orientation);                                         \
  template void CudaExecutor<T>::apply(const DenseView<const T>&, const DenseView<T>&, Orientation);                       \
  template ResidualNorms CudaExecutor<T>::residual(const DenseView<const T>&, const DenseView<const T>&,                   \
                                                   const DenseView<T>&, Orientation);                                      \
  template DenseView<T> CudaExecutor<T>::scratch(int, std::int64_t, std::int64_t);                                         \
  template void CudaExecutor<T>::copy(const DenseView<const T>&, const DenseView<T>&);                                     \
  template void CudaExecutor<T>::axpy(T, const DenseView<const T>&, const DenseView<T>&);                                  \
  template double CudaExecutor<T>::max_norm(const DenseView<const T>&);
GPUSUPERNODAL_FOR_EACH_SCALAR(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal::cuda
