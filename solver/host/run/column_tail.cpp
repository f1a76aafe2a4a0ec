/// \file
/// The dense tail of LU by columns on the host.

#include <algorithm>
#include <functional>

#include "gpusupernodal/build_config.hpp"
#include "solver/host/run/column_factor.hpp"

namespace gpusupernodal {
namespace {

/// Operations of the LU of a dense matrix of order m, as ColumnStructure::tail_flops has them.
double dense_lu_flops(double m) { return m * (m - 1.0) * (4.0 * m + 1.0) / 6.0; }

/// Columns of the tail that are eliminated together.
constexpr std::int32_t tail_strip = 32;

/// Threads get multiples of this number of rows, which is a multiple of the widths of the kernels' tiles. All rows are then
/// rounded as on one thread.
constexpr std::int64_t rows_together = 24;

std::size_t in_tail(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

/// Subtracts columns first … last−1 of L times these rows of U from rows row_begin … row_end−1 right of column `last`. The
/// kernel's matrices are column-major, so it sees the transposes.
template <class T>
void HostColumnFactor<T>::subtract_in_tail(std::int32_t first, std::int32_t last, std::int32_t row_begin,
                                           std::int32_t row_end) {
  const std::int64_t m = structure_.tail();
  T* const tail = system_->factor.data() + structure_.sparse_values();
  kernels_.subtract_times(static_cast<std::int32_t>(m) - last, last - first, row_end - row_begin, tail + first * m + last, m,
                          tail + row_begin * m + first, m, tail + row_begin * m + last, m);
}

/// Strips of columns: the strip, its rows right of it, then the rest, on all threads.
template <class T>
void HostColumnFactor<T>::factorize_tail(FactorProgress& progress) {
  const std::int32_t m = structure_.tail();
  T* const tail = system_->factor.data() + structure_.sparse_values();
  for (std::int32_t first = 0; first < m; first += tail_strip) {
    const std::int32_t last = std::min(m, first + tail_strip);
    for (std::int64_t i = first; i < m; ++i) {
      T* const row = tail + i * m;
      for (std::int64_t k = first; k < std::min<std::int64_t>(i, last); ++k) {
        const T* const source = tail + k * m;
        row[k] /= source[k];
        for (std::int64_t j = k + 1; j < last; ++j) row[j] -= row[k] * source[j];
      }
      if (i < last) accept_pivot(structure_.tail_begin + static_cast<std::int32_t>(i), 0);
    }
    for (std::int32_t i = first + 1; i < last; ++i) {
      T* const row = tail + std::int64_t{i} * m;
      for (std::int64_t k = first; k < i; ++k) {
        const T factor = row[k];
        const T* const source = tail + k * m;
        for (std::int64_t j = last; j < m; ++j) row[j] -= factor * source[j];
      }
    }
    const std::int32_t rest = m - last;
    if (rest == 0) {
      progress.done(0, dense_lu_flops(m - first));
      break;
    }
    const int workers = workers_for(2.0 * rest * rest * (last - first), rest);
    const auto work = [&](int worker) {
      const std::int64_t groups = (rest + rows_together - 1) / rows_together;
      const auto part = [&](std::int64_t w) {
        return last + static_cast<std::int32_t>(std::min<std::int64_t>(rest, groups * w / workers * rows_together));
      };
      subtract_in_tail(first, last, part(worker), part(worker + 1));
    };
    if (workers == 1) {
      work(0);
    } else {
      context_.team().run(workers, std::ref(work));
    }
    progress.done(0, dense_lu_flops(m - first) - dense_lu_flops(rest));
  }
}

/// The largest product of a column of L, whose diagonal is 1, with the row of U of the same number, in the tail.
template <class T>
double HostColumnFactor<T>::growth_of_tail() {
  const std::int64_t m = structure_.tail();
  const T* const tail = system_->factor.data() + structure_.sparse_values();
  double growth = 0.0;
  std::fill(largest_in_column_.begin(), largest_in_column_.end(), Real(1));
  for (std::int64_t i = m; i-- > 0;) {
    Real of_u = 0;
    for (std::int64_t j = i; j < m; ++j) of_u = std::max(of_u, ScalarTraits<T>::abs(tail[i * m + j]));
    growth = std::max(growth, static_cast<double>(of_u) * static_cast<double>(largest_in_column_[in_tail(i)]));
    for (std::int64_t k = 0; k < i; ++k) {
      Real& of_l = largest_in_column_[in_tail(k)];
      of_l = std::max(of_l, ScalarTraits<T>::abs(tail[i * m + k]));
    }
  }
  return growth;
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                                           \
  template void HostColumnFactor<T>::subtract_in_tail(std::int32_t, std::int32_t, std::int32_t, std::int32_t); \
  template void HostColumnFactor<T>::factorize_tail(FactorProgress&);                                          \
  template double HostColumnFactor<T>::growth_of_tail();
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
