#include "io/complex_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/fmt.hpp"
#include "io/matrix_market_entries.hpp"

namespace gpusupernodal::io {
namespace {

using Complex = std::complex<double>;

/// Entries whose values are the places of their numbers in `values`.
struct ComplexEntries {
  std::vector<Entry> entries;
  std::vector<Complex> values;
};

Complex value_of(const ComplexEntries& file, const Entry& entry) {
  return file.values[static_cast<std::size_t>(entry.value)];
}

ComplexEntries read_complex_entries(LineReader& reader, const CoordinateSizes& sizes) {
  ComplexEntries file;
  file.entries = read_entries(reader, sizes, [&](std::string_view& line) {
    const double real = take_value(reader, line, false);
    file.values.emplace_back(real, take_value(reader, line, false));
    return static_cast<double>(file.values.size() - 1);
  });
  return file;
}

void require_enough(const LineReader& reader, const CoordinateSizes& sizes, bool each_is_two) {
  if (sizes.entries >= sizes.n - (each_is_two ? sizes.entries : 0)) return;
  reader.fail(fmt::format("{} entries are too few for a nonsingular matrix of order {}: a row would be empty.",
                          sizes.entries, sizes.n));
}

ComplexMatrix compressed(const LineReader& reader, std::int64_t n, const ComplexEntries& file, const char* also) {
  CompressedEntries columns = compress_unique(reader, n, file.entries, also);
  ComplexMatrix matrix;
  matrix.n = n;
  matrix.offsets = std::move(columns.offsets);
  matrix.indices.reserve(columns.entries.size());
  matrix.values.reserve(columns.entries.size());
  for (const Entry& entry : columns.entries) {
    matrix.indices.push_back(entry.row);
    matrix.values.push_back(value_of(file, entry));
  }
  return matrix;
}

/// Throws FileError for an entry on the diagonal that the symmetry does not allow.
void check_diagonal(const LineReader& reader, const Entry& entry, Complex value, FileSymmetry symmetry) {
  if (symmetry == FileSymmetry::skew_symmetric) {
    reader.fail_at(entry.line,
                   fmt::format("the entry ({}, {}) is on the diagonal of a skew-symmetric matrix, which is zero.",
                               entry.row + 1, entry.column + 1));
  }
  if (symmetry == FileSymmetry::hermitian && value.imag() != 0.0) {
    reader.fail_at(entry.line,
                   fmt::format("the entry ({}, {}) on the diagonal of a Hermitian matrix has the imaginary part {}.",
                               entry.row + 1, entry.column + 1, value.imag()));
  }
}

/// The mirror image of an entry with this value.
Complex mirrored(Complex value, FileSymmetry symmetry) {
  if (symmetry == FileSymmetry::hermitian) return std::conj(value);
  return symmetry == FileSymmetry::skew_symmetric ? -value : value;
}

/// Adds the mirror images of the entries beside the diagonal.
void add_mirrored(const LineReader& reader, ComplexEntries& file, FileSymmetry symmetry) {
  const std::size_t count = file.entries.size();
  file.entries.reserve(2 * count);
  for (std::size_t e = 0; e < count; ++e) {
    const Entry entry = file.entries[e];
    const Complex value = value_of(file, entry);
    if (entry.row == entry.column) {
      check_diagonal(reader, entry, value, symmetry);
      continue;
    }
    file.entries.push_back({entry.column, entry.row, static_cast<double>(file.values.size()), entry.line});
    file.values.push_back(mirrored(value, symmetry));
  }
}

[[noreturn]] void refuse_symmetry(const LineReader& reader, bool may_be_symmetric) {
  try {
    reader.fail(may_be_symmetric ? "the matrix is neither Hermitian nor symmetric: such matrices have the header 'complex "
                                   "hermitian' or 'complex symmetric'."
                                 : "the matrix is not Hermitian: a Hermitian positive definite matrix has the header "
                                   "'complex hermitian'.");
  } catch (const FileError& e) {
    throw NotSymmetric(e.what(), __FILE__, __LINE__);
  }
}

/// Calls visit(i, j, value) for each entry of A, including the mirrored ones.
template <class Visit>
void for_each_entry(const ComplexMatrix& a, const Visit& visit) {
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j) {
    for (auto k = static_cast<std::size_t>(a.offsets[j]); k < static_cast<std::size_t>(a.offsets[j + 1]); ++k) {
      const auto i = static_cast<std::size_t>(a.indices[k]);
      visit(i, j, a.values[k]);
      if (a.part != StoredPart::lower || i == j) continue;
      visit(j, i, a.symmetry == Symmetry::hermitian ? std::conj(a.values[k]) : a.values[k]);
    }
  }
}

/// Largest magnitude, or NaN if any value is NaN.
template <class Values>
double largest_magnitude(const Values& values) {
  double largest = 0.0;
  for (const auto& value : values) {
    const auto magnitude = static_cast<double>(std::abs(value));
    if (std::isnan(magnitude)) return magnitude;
    largest = std::max(largest, magnitude);
  }
  return largest;
}

ComplexMatrix read_half(const std::string& path, bool may_be_symmetric) {
  LineReader reader(path);
  const CoordinateHeader header = read_coordinate_header(reader, Numbers::any);
  const bool symmetric = may_be_symmetric && header.is_complex && header.symmetry == FileSymmetry::symmetric;
  if (header.symmetry != FileSymmetry::hermitian && !symmetric) refuse_symmetry(reader, may_be_symmetric);
  const CoordinateSizes sizes = read_coordinate_sizes(reader, header.symmetry);
  require_enough(reader, sizes, false);
  ComplexEntries file = read_complex_entries(reader, sizes);
  for (Entry& entry : file.entries) {
    Complex& value = file.values[static_cast<std::size_t>(entry.value)];
    if (entry.row == entry.column) check_diagonal(reader, entry, value, header.symmetry);
    if (entry.row >= entry.column) continue;
    std::swap(entry.row, entry.column);
    value = mirrored(value, header.symmetry);
  }
  ComplexMatrix matrix = compressed(reader, sizes.n, file, ", as itself or as its mirror image");
  matrix.name = matrix_name(path);
  matrix.part = StoredPart::lower;
  matrix.symmetry = symmetric ? Symmetry::symmetric : Symmetry::hermitian;
  return matrix;
}

}  // namespace

ComplexMatrix read_hermitian_matrix_market(const std::string& path) { return read_half(path, false); }

ComplexMatrix read_complex_half_matrix_market(const std::string& path) { return read_half(path, true); }

ComplexMatrix read_complex_matrix_market(const std::string& path) {
  LineReader reader(path);
  const CoordinateHeader header = read_coordinate_header(reader, Numbers::any);
  if (!header.is_complex) reader.fail("the file holds real numbers, where complex ones are needed.");
  const CoordinateSizes sizes = read_coordinate_sizes(reader, header.symmetry);
  const bool general = header.symmetry == FileSymmetry::general;
  require_enough(reader, sizes, !general);
  ComplexEntries file = read_complex_entries(reader, sizes);
  if (!general) add_mirrored(reader, file, header.symmetry);
  ComplexMatrix matrix = compressed(reader, sizes.n, file, general ? "" : ", as itself or as its mirror image");
  matrix.name = matrix_name(path);
  return matrix;
}

std::vector<Complex> multiply(const ComplexMatrix& a, Span<const Complex> x) {
  std::vector<Complex> y(static_cast<std::size_t>(a.n));
  for_each_entry(a, [&](std::size_t i, std::size_t j, Complex value) { y[i] += value * x[j]; });
  return y;
}

double backward_error(const ComplexMatrix& a, Span<const Complex> x, Span<const Complex> b) {
  using Long = std::complex<long double>;
  std::vector<Long> residual(b.begin(), b.end());
  std::vector<double> row_sums(static_cast<std::size_t>(a.n), 0.0);
  for_each_entry(a, [&](std::size_t i, std::size_t j, Complex value) {
    residual[i] -= static_cast<Long>(value) * static_cast<Long>(x[j]);
    row_sums[i] += std::abs(value);
  });
  const double error = largest_magnitude(residual);
  return error == 0.0 ? 0.0 : error / (largest_magnitude(row_sums) * largest_magnitude(x) + largest_magnitude(b));
}

}  // namespace gpusupernodal::io
