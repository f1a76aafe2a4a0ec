#pragma once

/// \file
/// A symmetric positive definite matrix on its first rank, with the object of the library that preconditions or solves.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "plugin/petsc/known_pattern.hpp"
#include "plugin/petsc/matrix_input.hpp"
#include "plugin/petsc/preconditioner_kinds.hpp"
#include "plugin/petsc/ranks.hpp"

namespace gpusupernodal::petsc {

/// What is known after a set-up or a solve. Broadcast to all ranks as bytes.
struct SystemOutcome {
  Backend backend = Backend::host;
  PcgReport setup;                                 ///< Report on the set-up of kinds that are not methods.
  SystemStatus status = SystemStatus::not_solved;  ///< Status of the last solve by a method.
  Method method = Method::automatic;               ///< Which computed the last solution.
  std::int64_t iterations = 0;                     ///< Iterations of the last solve by a method.
  std::int64_t failed_column = -1;                 ///< Column of A with a pivot that is not positive.
};

/// How conjugate gradients end, and who watches them.
struct IterationRequest {
  double threshold = 0.0;           ///< ‖b − Ax‖₂ at which they converge.
  double divergence = 0.0;          ///< ‖r‖₂ at which they are given up; 0: never.
  std::int64_t max_iterations = 0;  ///< At least 1.
  bool use_start = false;           ///< Whether x has a start value.
  double right_hand_side = 0.0;     ///< ‖b‖₂.
  /// Called with each ‖r‖₂ and its iteration. On one rank during the iteration, on several after it, on all of them.
  std::function<PetscErrorCode(std::int64_t, double)> look;
};

/// What they did. Broadcast as bytes.
struct IterationResult {
  PcgReport report;
  bool diverged = false;  ///< Given up at `divergence`; x is what it was.
};

/// Reads AIJ, BAIJ and SBAIJ matrices, of which the upper triangle is taken. Collective: all ranks call the members
/// together; an error on one rank is an error on all.
class CollectedSystem {
 public:
  /// Takes the pattern, unless it is known, and the values of A; makes the preconditioner of a kind that is no method.
  /// `user` is the object that uses it, on the ranks of A.
  PetscErrorCode set_up(PetscObject user, Mat a, const PreconditionerSettings& settings, bool settings_changed);
  /// z := M⁻¹ r, or a solution of A z = r. z is not written if a method fails (outcome().status).
  PetscErrorCode apply(Vec r, Vec z);
  /// Solves A x = b by conjugate gradients. Precondition: the kind is no method, and its set-up has succeeded.
  PetscErrorCode iterate(Vec b, Vec x, const IterationRequest& request, IterationResult* result);

  /// Whether iterate would solve with the values that A has now.
  PetscErrorCode has_values_of(Mat a, bool* has) const;
  /// Takes new values of the known pattern for iterate, but keeps the preconditioner. Preconditions: those of iterate;
  /// knows_pattern_of(a).
  PetscErrorCode take_values(Mat a);
  PetscErrorCode knows_pattern_of(Mat a, bool* knows) const { return pattern_.recognizes(ranks_, a, knows); }

  /// The kind of the last set-up. The options may already say another one, for the next.
  Kind kind() const { return kind_; }
  const SystemOutcome& outcome() const { return outcome_; }
  const Ranks& ranks() const { return ranks_; }
  /// On the owner, for a view; nullptr before a solve by a method.
  const SystemReport* system_report() const { return system_ ? &system_->report() : nullptr; }

 private:
  /// A residual, with the iteration that it belongs to.
  struct Look {
    std::int64_t iteration = 0;
    double residual = 0.0;
  };
  void set_up_owner(const PreconditionerSettings& settings, bool same_pattern);
  /// Calls body(in, out) on the owner with views of all rows of both vectors; `out` is written back, and has its values
  /// before only with `keep`. All ranks together.
  template <class Body>
  PetscErrorCode with_rows(Vec in, Vec out, bool keep, Body&& body);
  template <class Body>
  PetscErrorCode with_own_rows(Vec in, Vec out, Body&& body);
  template <class Body>
  PetscErrorCode with_collected_rows(Vec in, Vec out, bool keep, Body&& body);
  PetscErrorCode run(const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, const IterationRequest& request,
                     IterationResult* result);
  PetscErrorCode show_looks(const IterationRequest& request);
  PetscErrorCode follow_stream();

  Ranks ranks_;
  bool has_ranks_ = false;
  MatrixInput input_;
  KnownPattern pattern_;
  MatrixState values_;
  Kind kind_ = Kind::fsai;
  bool takes_device_arrays_ = false;
  std::unique_ptr<Pcg<PetscScalar>> pcg_;              // On the owner, for kinds that are no methods.
  std::unique_ptr<SystemSolver<PetscScalar>> system_;  // On the owner, for methods.
  SystemOutcome outcome_;
  std::vector<Look> looks_;      // At an iteration on several ranks.
  std::vector<PetscScalar> in_;  // On the owner of several ranks: all rows.
  std::vector<PetscScalar> out_;
  std::vector<std::int64_t> counts_;  // On the owner of several ranks: rows of each.
};

}  // namespace gpusupernodal::petsc
