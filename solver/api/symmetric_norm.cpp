#include "solver/api/symmetric_norm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal {

template <class S>
double symmetric_norm(const MatrixView<S>& a, const S* values, double scale, double shift) {
  using Traits = ScalarTraits<S>;
  std::vector<double> column_sums(static_cast<std::size_t>(a.n), 0.0);
  std::vector<bool> has_diagonal(static_cast<std::size_t>(a.n), false);
  const bool lower_by_columns = (a.compression == Compression::columns);
  for (std::int64_t outer = 0; outer < a.n; ++outer) {
    for (std::int64_t e = a.offsets[outer]; e < a.offsets[outer + 1]; ++e) {
      const std::int64_t inner = a.indices[e];
      const std::int64_t row = lower_by_columns ? inner : outer;
      const std::int64_t column = lower_by_columns ? outer : inner;
      if (a.part == StoredPart::full && row < column) continue;
      if (row == column) {
        column_sums[static_cast<std::size_t>(row)] += std::abs(scale * static_cast<double>(Traits::real(values[e])) + shift);
        has_diagonal[static_cast<std::size_t>(row)] = true;
      } else {
        const double value = std::abs(scale) * static_cast<double>(Traits::abs(values[e]));
        column_sums[static_cast<std::size_t>(row)] += value;
        column_sums[static_cast<std::size_t>(column)] += value;
      }
    }
  }
  double norm = 0.0;
  for (std::size_t i = 0; i < column_sums.size(); ++i) {
    norm = std::max(norm, column_sums[i] + (has_diagonal[i] ? 0.0 : std::abs(shift)));
  }
  return norm;
}

#define GPUSUPERNODAL_INSTANTIATE(T) template double symmetric_norm(const MatrixView<T>&, const T*, double, double);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
