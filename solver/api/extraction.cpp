#include "solver/api/extraction.hpp"

#include <complex>

#include "gpusupernodal/build_config.hpp"

namespace gpusupernodal {

template <class T>
FactorMatrix<T> factor_matrix(const FactorPlan& plan, Span<const T> panels) {
  const SymbolicFactor& factor = plan.symbolic;
  FactorMatrix<T> l;
  l.offsets.reserve(static_cast<std::size_t>(factor.order()) + 1);
  l.offsets.push_back(0);
  for (SupernodeId s : factor.supernode_ids()) {
    const std::int32_t width = factor.width(s);
    const std::int64_t first = factor.first_column[s].value;
    for (std::int32_t c = 0; c < width; ++c) {
      const T* const diagonal = panels.data() + plan.panels.index(s, c, c);
      for (std::int32_t i = c; i < width; ++i) l.rows.push_back(first + i);
      for (NewIndex row : factor.rows_of(s)) l.rows.push_back(row.value);
      l.values.insert(l.values.end(), diagonal, diagonal + (factor.front(s) - c));
      l.offsets.push_back(static_cast<std::int64_t>(l.rows.size()));
    }
  }
  return l;
}

#define GPUSUPERNODAL_INSTANTIATE(T) template FactorMatrix<T> factor_matrix(const FactorPlan&, Span<const T>);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
