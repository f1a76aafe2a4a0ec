#pragma once

/// \file
/// Sets up the preconditioners of PcgOptions for an engine.

#include <memory>
#include <type_traits>

#include "base/thread_team.hpp"
#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/pcg.hpp"
#include "gpusupernodal/solver.hpp"
#include "solver/backend/pcg_engine.hpp"
#include "solver/iterative/incomplete_cholesky.hpp"
#include "solver/iterative/sparse_inverses.hpp"
#include "solver/iterative/symmetric_rows.hpp"

namespace gpusupernodal {

/// A matrix, and where conjugate gradients work with it.
template <class S>
struct PcgProblem {
  const SymmetricRows& pattern;
  const SparseRows<S>& a;
  const PcgOptions& options;
  Backend backend;
  void* stream;
};

/// The preconditioner of the options; keeps a factorization's analysis for new values of the same pattern.
template <class S>
class PcgPreconditioner {
 public:
  /// Makes M for the values and gives it to the engine; fills in what the report says about it, with `bad_row` if M does not
  /// exist. Throws InvalidInput if ssor_ai's bound exceeds 1 or ic0 is wanted on CUDA, and what Solver throws.
  void make(const PcgProblem<S>& problem, PcgEngine<S>& engine, PcgReport& report);
  /// Sets the stream of a factor's solves.
  void set_stream(void* stream);

 private:
  template <class T>
  BadRow factorize(const PcgProblem<S>& problem, std::unique_ptr<Solver<T>>& solver, PcgReport& report);
  BadRow make_factor(const PcgProblem<S>& problem, PcgReport& report);
  BadRow make_sparse(const PcgProblem<S>& problem, PcgReport& report);

  /// The type of a factor in single precision; S in builds without it.
  using Single = std::conditional_t<built_with<SingleOf<S>>(), SingleOf<S>, S>;

  std::unique_ptr<Solver<S>> solver_;
  std::unique_ptr<Solver<Single>> single_;
  IncompleteCholesky<S> incomplete_;
  PcgInverse<S> inverse_;
  FactorizedInverse<S> sparse_;
  RawVector<S> blocks_;
};

}  // namespace gpusupernodal
