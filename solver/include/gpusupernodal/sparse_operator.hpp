#pragma once

/// \file
/// SparseOperator: products y := alpha·A x + beta·y with a sparse matrix, on host threads or on one CUDA device.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/export.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// How a matrix is stored for products; docs/operators.md describes each. `automatic` takes what Tuning says.
enum class Format { automatic, coo, csr, dia, ell, hyb, sell, block };

/// How Format::automatic decides. `model`: by predicted times. `measured`: by the times of the candidates that are predicted
/// to be fast, measured in analyze.
enum class Tuning { model, measured };

/// Names of Format, in the order of its enumerators.
inline constexpr std::array<const char*, 8> format_names{{"auto", "coo", "csr", "dia", "ell", "hyb", "sell", "block"}};
/// Names of Tuning.
inline constexpr std::array<const char*, 2> tuning_names{{"model", "measured"}};

/// Returns the name of a format; "unknown" for a number outside the enumeration.
constexpr const char* name_of(Format value) noexcept {
  const auto position = static_cast<std::size_t>(value);
  return position < format_names.size() ? format_names[position] : "unknown";
}
/// Returns the name of a way of tuning; "unknown" for a number outside the enumeration.
constexpr const char* name_of(Tuning value) noexcept {
  const auto position = static_cast<std::size_t>(value);
  return position < tuning_names.size() ? tuning_names[position] : "unknown";
}
/// Returns the format with exactly this name, or nothing.
constexpr std::optional<Format> format_of(std::string_view name) noexcept {
  for (std::size_t k = 0; k < format_names.size(); ++k) {
    if (name == format_names[k]) return static_cast<Format>(k);
  }
  return std::nullopt;
}
/// Returns the way of tuning with exactly this name, or nothing.
constexpr std::optional<Tuning> tuning_of(std::string_view name) noexcept {
  for (std::size_t k = 0; k < tuning_names.size(); ++k) {
    if (name == tuning_names[k]) return static_cast<Tuning>(k);
  }
  return std::nullopt;
}

/// A compressed sparse matrix of `rows` × `columns` in host memory, whose values may lie on a device. Indices are zero-based
/// and may be unsorted within a row (column). With `part` lower or upper the matrix is symmetric (if T is complex,
/// Hermitian, or symmetric with OperatorOptions::symmetry) and only that half is stored; with `full` the matrix is exactly
/// what is stored, symmetric or not. Duplicates are refused.
template <class T>
struct SparseView {
  std::int64_t rows = 0;                        ///< Number of rows; below 2³¹ − 2²⁰ − 1.
  std::int64_t columns = 0;                     ///< Number of columns; below 2³¹ − 2²⁰ − 1.
  IndexArray offsets;                           ///< Start of each row (CSR) or column (CSC) in `indices`, then their number.
  IndexArray indices;                           ///< Column numbers (CSR) or row numbers (CSC).
  const T* values = nullptr;                    ///< One for each index; nullptr: update brings them.
  StoredPart part = StoredPart::full;           ///< Stored part; lower and upper mean a half.
  Compression compression = Compression::rows;  ///< Rows (CSR) or columns (CSC).
  MemorySpace value_space = MemorySpace::host;  ///< Memory that holds `values`.
  /// Memory that holds `offsets` and `indices`; an operator takes the host's only, a SparseProduct either.
  MemorySpace pattern_space = MemorySpace::host;

  SparseView() noexcept = default;  ///< A matrix of no rows and columns.
  /// The matrix that a solver takes.
  SparseView(const MatrixView<T>& a) noexcept
      : rows(a.n),
        columns(a.n),
        offsets(a.offsets),
        indices(a.indices),
        values(a.values),
        part(a.part),
        compression(a.compression),
        value_space(a.value_space),
        pattern_space(a.pattern_space) {}
};

/// Aᵀ with the arrays of A: rows become columns. Nothing is copied.
template <class T>
SparseView<T> transposed(SparseView<T> a) noexcept {
  const std::int64_t rows = a.rows;
  a.rows = a.columns;
  a.columns = rows;
  a.compression = a.compression == Compression::rows ? Compression::columns : Compression::rows;
  if (a.part != StoredPart::full) a.part = a.part == StoredPart::lower ? StoredPart::upper : StoredPart::lower;
  return a;
}

/// A matrix given by triples (row, column, value) in any order, in host memory; its values may lie on a device. Values of
/// one row and column are added in the given order. If `part` is lower or upper, only that half is given, and it means the
/// matrix that such a half of a SparseView means.
template <class T>
struct SparseTriples {
  std::int64_t rows = 0;                        ///< Number of rows; below 2³¹ − 2²⁰ − 1.
  std::int64_t columns = 0;                     ///< Number of columns; below 2³¹ − 2²⁰ − 1.
  std::int64_t count = 0;                       ///< Number of triples; below 2³¹ − 2²⁰.
  IndexArray row_indices;                       ///< `count` zero-based row numbers.
  IndexArray column_indices;                    ///< `count` zero-based column numbers.
  const T* values = nullptr;                    ///< `count` values; nullptr: update brings them.
  StoredPart part = StoredPart::full;           ///< Given part; lower and upper mean a half.
  MemorySpace value_space = MemorySpace::host;  ///< Memory that holds `values`.
};

/// Options of an operator. Changes act from the next analyze on.
struct OperatorOptions {
  /// Where the matrix is kept; `automatic` takes CUDA if a device is found. Complex matrices are kept on the host.
  Backend backend = Backend::automatic;
  Format format = Format::automatic;  ///< How the matrix is stored.
  Tuning tuning = Tuning::model;      ///< How Format::automatic decides.
  /// What a half of a complex matrix means: A = Aᴴ, whose diagonal must be real, or A = Aᵀ. No effect on others.
  Symmetry symmetry = Symmetry::hermitian;
  /// Keep Aᵀ, too, for multiply_transposed and multiply_adjoint; a half needs no second matrix.
  bool transposed = false;
  int threads = 0;                              ///< Host threads; 0: all that the process may use.
  int device = -1;                              ///< CUDA device; −1: the calling thread's current device.
  std::shared_ptr<Allocator> host_allocator;    ///< nullptr: aligned operator new.
  std::shared_ptr<Allocator> device_allocator;  ///< nullptr: cudaMalloc.
};

/// A way to store the analyzed matrix, as Format::automatic saw it.
struct FormatCandidate {
  Format format = Format::csr;     ///< The format.
  std::string kernel;              ///< The format with its parameters, such as "csr, 8 lanes".
  std::string refusal;             ///< Why the matrix cannot be stored so; empty if it can.
  double padding = 0.0;            ///< Stored zeros that A does not have, in entries of A.
  std::int64_t product_bytes = 0;  ///< Bytes of matrix and vectors that a product moves at least.
  double predicted_seconds = 0.0;  ///< Predicted time of a product.
  double measured_seconds = 0.0;   ///< Measured time, 0 if it was not measured.
};

/// What analyze decided.
struct OperatorReport {
  Backend backend = Backend::host;          ///< Backend that holds the matrix.
  std::string backend_reason;               ///< Why.
  std::string device;                       ///< Device or threads.
  Format format = Format::csr;              ///< Format taken.
  std::string kernel;                       ///< The format with its parameters.
  std::int64_t rows = 0;                    ///< Rows of A.
  std::int64_t columns = 0;                 ///< Columns of A.
  std::int64_t entries = 0;                 ///< Entries of A, both halves if it is symmetric.
  std::int64_t stored_values = 0;           ///< Values kept, padding included, without those of Aᵀ.
  double padding = 0.0;                     ///< (stored_values − entries) / entries.
  std::int64_t memory_bytes = 0;            ///< Memory that the operator holds on the backend.
  std::int64_t product_bytes = 0;           ///< Bytes of matrix and vectors that a product moves at least.
  double predicted_seconds = 0.0;           ///< Predicted time of a product.
  double analyze_seconds = 0.0;             ///< Time of analyze.
  std::string figures;                      ///< Where the figures of predictions come from; names a file that was ignored.
  std::vector<FormatCandidate> candidates;  ///< The formats that were compared, the chosen one first.
};

/// A sparse matrix, prepared for products. T is float, double, std::complex<float> or std::complex<double>. All members
/// throw typed exceptions (error.hpp) on wrong input and leave the operator as it was. One thread at a time uses an
/// operator; several operators are independent.
template <class T>
class GPUSUPERNODAL_API SparseOperator {
  static_assert(detail::CheckScalar<T>::value);

 public:
  SparseOperator();                                  ///< An operator with default options.
  explicit SparseOperator(OperatorOptions options);  ///< Throws InvalidInput for options outside their range.
  ~SparseOperator();
  SparseOperator(SparseOperator&&) noexcept;             ///< Leaves an object that can only be assigned to or destroyed.
  SparseOperator& operator=(SparseOperator&&) noexcept;  ///< As the constructor.

  const OperatorOptions& options() const;     ///< The options of the next analyze.
  void set_options(OperatorOptions options);  ///< Throws InvalidInput for options outside their range.

  /// Checks the pattern, chooses a format, takes all memory, and takes the values if the view has some. The arrays of the
  /// view may be freed afterwards. Throws InvalidInput for a wrong pattern or a format that the matrix would pad too much,
  /// BackendUnavailable, also if CUDA is requested for a complex matrix, OutOfMemory. Throws InvalidInput, as update, for a
  /// Hermitian half with an imaginary part on the diagonal above 100·n·eps times the real part. Cost: a few passes over the
  /// entries on the host. Not possible during a graph capture.
  void analyze(const SparseView<T>& a);

  /// As above, for triples. If places occur twice, later calls of update sum on the host: values in device memory, or for a
  /// device, are copied, and the call waits. Cost: O(rows + columns + count) more on the host. If places occur twice, the
  /// host keeps 4 bytes for each triple and 4 + sizeof(T) for each distinct place, and update copies values from a device to
  /// it.
  void analyze(const SparseTriples<T>& a);

  /// Takes new values, in the order of the analyzed arrays. From device memory a gather on the stream, without waiting and
  /// capturable; from host memory to a device it waits. Throws InvalidInput if the count differs, or for the diagonal of a
  /// Hermitian half.
  void update(Span<const T> values, MemorySpace space = MemorySpace::host);

  /// y := alpha·A x + beta·y for all columns. x has columns() rows, y has rows() rows; both are column-major, lie in the
  /// memory of the backend, or in host memory (then the call copies and waits). y must not overlap x. With beta = 0, y is
  /// not read. On a device: asynchronous on the stream, capturable, nothing is allocated. Equal input gives equal bits.
  /// Throws InvalidInput for wrong shapes, and InvalidState before analyze or while the values are missing.
  void multiply(const DenseView<const T>& x, const DenseView<T>& y, T alpha = T(1), T beta = T(0));

  /// y := alpha·Aᵀ x + beta·y, as multiply. Throws InvalidState unless OperatorOptions::transposed was set or a half was
  /// given. Complex: takes memory for copies of x and y, unless A is a symmetric half.
  void multiply_transposed(const DenseView<const T>& x, const DenseView<T>& y, T alpha = T(1), T beta = T(0));

  /// y := alpha·Aᴴ x + beta·y, as multiply_transposed, to which it is equal for real T. Complex: takes memory for copies of
  /// x and y if A is a symmetric half.
  void multiply_adjoint(const DenseView<const T>& x, const DenseView<T>& y, T alpha = T(1), T beta = T(0));

  /// Enqueues the work of later calls on this cudaStream_t, which must live until the next set_stream; the host ignores it.
  /// Does not order the two streams. Calls may share memory of the operator, so before the next call the caller makes the
  /// new stream wait for the calls on the earlier one (cudaStreamWaitEvent), or waits for the earlier one itself.
  void set_stream(void* cuda_stream);

  bool is_analyzed() const;              ///< Whether analyze has succeeded.
  std::int64_t rows() const;             ///< Rows of A; 0 before analyze.
  std::int64_t columns() const;          ///< Columns of A; 0 before analyze.
  const OperatorReport& report() const;  ///< What analyze decided.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// \cond
#define GPUSUPERNODAL_INSTANTIATE(T) extern template class GPUSUPERNODAL_API SparseOperator<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE
/// \endcond

}  // namespace gpusupernodal
