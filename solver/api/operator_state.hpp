#pragma once

/// \file
/// SparseOperator<T>::Impl: what an operator holds.

#include <memory>
#include <vector>

#include "base/stopwatch.hpp"
#include "gpusupernodal/sparse_operator.hpp"
#include "solver/api/hermitian_diagonal.hpp"
#include "solver/api/product_figures_file.hpp"
#include "solver/sparse/sparse_apply.hpp"
#include "solver/sparse/triple_pattern.hpp"

namespace gpusupernodal {

/// Throws InvalidInput for options outside their range.
void check_operator_options(const OperatorOptions& options);

template <class T>
struct SparseOperator<T>::Impl {
  /// What an analysis makes.
  struct Analysis {
    OperatorReport report;
    bool is_half = false;       ///< A symmetric half was given, so that Aᵀ or Aᴴ is A.
    bool is_hermitian = false;  ///< It is of a complex Hermitian matrix: Aᴴ = A.
    bool has_values = false;
    std::int64_t input_values = 0;
    std::vector<DiagonalPlace> diagonal;  ///< Of a Hermitian half, whose diagonal must be real.
    TriplePattern triples;  ///< With sums: how values of triples become those of the pattern, which is moved out.
    std::vector<T> sums;
    std::unique_ptr<SparseApply<T>> plain;
    std::unique_ptr<SparseApply<T>> adjoint;  ///< Aᴴ. None without OperatorOptions::transposed, or of a half.
  };

  OperatorOptions options;
  Analysis now;
  void* stream = nullptr;

  void refuse_in_capture(const char* call, const char* reason) const;
  void require_analyzed(const char* call) const;
  /// Whether update waits until values are copied between host and device.
  bool waits_for_values(MemorySpace space) const;
  /// Makes an operator of the pattern, whose values are `values`, or come later.
  void finish(Analysis& made, RowPattern& pattern, StoredPart part, const T* values, MemorySpace space,
              const Stopwatch& watch);
  void take_values(Analysis& analysis, const T* values, MemorySpace space) const;
  void multiply(SparseApply<T>& apply, const char* call, const DenseView<const T>& x, const DenseView<T>& y, T alpha,
                T beta);
  /// A product with Aᵀ, or with Aᴴ if `wants_adjoint`.
  void multiply_other(const char* call, bool wants_adjoint, const DenseView<const T>& x, const DenseView<T>& y, T alpha,
                      T beta);

 private:
  /// Throws unless a product with these vectors is possible.
  void check_call(const SparseApply<T>& apply, const char* call, const DenseView<const T>& x, const DenseView<T>& y) const;
  std::unique_ptr<SparseApply<T>> make(const SparseLayout& layout, Backend backend) const;
  std::unique_ptr<SparseApply<T>> choose(const RowPattern& pattern, Backend backend, const FoundProductFigures& found,
                                         OperatorReport& report) const;
  void build(const RowPattern& pattern, Backend backend, Analysis& made) const;
  void build_complex(const RowPattern& pattern, Analysis& made) const;
  void build_on_backend(const RowPattern& pattern, Analysis& made) const;
};

}  // namespace gpusupernodal
