#pragma once

/// \file
/// Conjugate gradients on the host with A where it is, for one right-hand side.

#include <memory>

#include "gpusupernodal/pcg.hpp"
#include "solver/backend/pcg_engine.hpp"
#include "solver/iterative/symmetric_rows.hpp"

namespace gpusupernodal {

/// Iterates with products by A's rows. Pcg copies A and chooses a format for its products first, which costs as much as
/// dozens of iterations: too much where a factorization may follow after a few.
template <class S>
class RowIteration {
 public:
  /// Takes memory for vectors from PcgOptions::host_allocator. `rows` and `values`, those of the rows, must outlive the
  /// object. Precondition: the preconditioner of `options` is jacobi or none. Throws OutOfMemory.
  RowIteration(const SymmetricRows& rows, const S* values, const PcgOptions& options);

  /// Whether the diagonal has only positive entries, as jacobi needs. If not, solve must not be called.
  bool has_preconditioner() const { return positive_; }
  /// Solves for b and writes x, n entries each in host memory. The report has no times. Throws what `options.progress`
  /// throws.
  PcgReport solve(const S* b, S* x, const PcgOptions& options);

 private:
  std::int32_t n_;
  Preconditioner preconditioner_;
  std::unique_ptr<PcgEngine<S>> engine_;
  bool positive_ = true;
};

}  // namespace gpusupernodal
