#pragma once

/// \file
/// A complex square matrix in memory, read from a file, for the command line and tests.

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/views.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::io {

/// The file holds complex numbers, and was read as one of real numbers.
class HoldsComplexNumbers : public FileError {
 public:
  using FileError::FileError;
};

/// Compressed sparse columns with ascending rows and without duplicates: all entries (StoredPart::full), or the lower
/// triangle of a Hermitian or symmetric matrix (StoredPart::lower).
struct ComplexMatrix {
  std::string name;
  std::int64_t n = 0;
  StoredPart part = StoredPart::full;
  Symmetry symmetry = Symmetry::hermitian;  ///< Meaningful for a matrix with StoredPart::lower.
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<std::complex<double>> values;

  /// Returns a view of the matrix. It is valid until the matrix is changed or destroyed.
  MatrixView<std::complex<double>> view() const {
    MatrixView<std::complex<double>> v;
    v.n = n;
    v.offsets = offsets.data();
    v.indices = indices.data();
    v.values = values.data();
    v.part = part;
    return v;
  }
};

/// Reads Matrix Market `coordinate complex hermitian`, plain or gzip: the lower triangle; entries above the diagonal are
/// mirrored and conjugated. Throws FileError with file and line, NotSymmetric for another symmetry.
ComplexMatrix read_hermitian_matrix_market(const std::string& path);

/// Reads Matrix Market `coordinate complex hermitian|symmetric`, plain or gzip: the lower triangle; entries above the
/// diagonal are mirrored, and conjugated if the matrix is Hermitian. Throws as read_hermitian_matrix_market.
ComplexMatrix read_complex_half_matrix_market(const std::string& path);

/// Reads Matrix Market `coordinate complex general|symmetric|skew-symmetric|hermitian`, plain or gzip, with both halves.
/// Throws FileError as read_general_matrix_market (general_matrix.hpp).
ComplexMatrix read_complex_matrix_market(const std::string& path);

/// A dense complex matrix, column-major.
struct ComplexDense {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::complex<double>> values;
};
/// Reads right-hand sides: Matrix Market `array complex|real|integer general`. Throws as read_dense.
ComplexDense read_complex_dense(const std::string& path, std::int64_t rows_expected = any_rows);
/// Writes `array complex general` as write_dense does.
void write_dense(const std::string& path, const ComplexDense& matrix);

/// Returns A x. Precondition: x has n entries.
std::vector<std::complex<double>> multiply(const ComplexMatrix& a, Span<const std::complex<double>> x);
/// Returns ‖b − A x‖∞ / (‖A‖∞ ‖x‖∞ + ‖b‖∞), with the residual in long double; 0 for n = 0, NaN if x contains NaN.
double backward_error(const ComplexMatrix& a, Span<const std::complex<double>> x, Span<const std::complex<double>> b);

}  // namespace gpusupernodal::io
