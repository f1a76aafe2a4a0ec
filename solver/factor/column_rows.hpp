#pragma once

/// \file
/// What LU by columns on the host remembers of each row while it factorizes, and the memory for it.

#include <complex>
#include <cstdint>

#include "kernels/common/scalar_traits.hpp"
#include "kernels/common/scalar_type.hpp"
#include "solver/factor/factor_structure.hpp"

namespace gpusupernodal {

/// A row of U that is finished, for the rows below it.
template <class T>
struct RowOfU {
  std::int64_t begin = 0;  ///< Position of its entries right of the diagonal, in the values and columns.
  std::int32_t count = 0;
  typename ScalarTraits<T>::Real largest = 0;  ///< Largest magnitude, that of the diagonal included.
  T inverse = 0;                               ///< Inverse of the diagonal entry.
};

/// Bytes of a RowOfU for each row and of a copy of the scaled A.
inline std::int64_t column_factor_bytes(const FactorStructure& structure, ScalarType scalar) {
  const auto bytes_of_row = [scalar]() -> std::size_t {
    switch (scalar) {
      case ScalarType::real_single:
        return sizeof(RowOfU<float>);
      case ScalarType::real_double:
        return sizeof(RowOfU<double>);
      case ScalarType::complex_single:
        return sizeof(RowOfU<std::complex<float>>);
      case ScalarType::complex_double:
        return sizeof(RowOfU<std::complex<double>>);
    }
    return 0;
  };
  return structure.symbolic.order() * static_cast<std::int64_t>(bytes_of_row()) +
         static_cast<std::int64_t>(structure.assembly.source.size()) * bytes_of(scalar);
}

}  // namespace gpusupernodal
