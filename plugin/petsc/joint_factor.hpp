#pragma once

/// \file
/// A Cholesky factor that all ranks of a matrix compute and keep together (-mat_gpusupernodal_distribute all).

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gpusupernodal/distributed_solver.hpp"
#include "plugin/petsc/local_rows.hpp"
#include "plugin/petsc/part_exchange.hpp"
#include "plugin/petsc/ranks.hpp"
#include "plugin/petsc/ranks_fabric.hpp"

namespace gpusupernodal::petsc {

/// Each rank is a part of a DistributedSolver. The first rank gets the pattern and analyzes it. A value of A goes straight
/// from the rank that has its row to the part that it belongs to, and so do entries of b and x.
///
/// **Who calls what.** analyze, take_values, factorize and solve are collective: all ranks call them, in the same order,
/// and all return an error if one does. Between two exchanges each rank only works on its own data. What happens if
/// a step fails on one rank depends on the kind of the step:
///
/// - together(), which reads PETSc's arrays, takes memory or compares: all ranks return an error; nothing has been sent.
/// - A call of DistributedSolver, in guarded(): it begins with an agreement, so it throws on all ranks; then no rank waits.
/// - Calls of PetscSF and MPI have their own errors: a broken connection, or no memory inside PETSc. These may leave other
///   ranks waiting.
///
/// A branch that leads to other exchanges is taken on all ranks or on none: it depends on broadcast or reduced values
/// (`same_pattern`, the choice between owner and all, the outcome of a factorization) and never on what one rank knows.
///
/// The steps of each member, in this order:
///
/// - analyze: together, for the local pattern; DistributedSolver::analyze, where the first rank plans; exchange of entries;
///   DistributedSolver::set_entries; exchange of rows.
/// - take_values: together, for the pattern if it may have changed; together, for local values; exchange of values.
/// - factorize: DistributedSolver::factorize, which gives all ranks the same outcome.
/// - solve: together, for memory; then for each 64 columns exchange of b, DistributedSolver::solve, exchange of x.
///
/// After an error, the calls may be repeated: after one in analyze only analyze, or another object.
class JointFactor {
 public:
  /// Does not communicate. `tag` is a message tag that no other object on the communicator uses.
  JointFactor(const Ranks& ranks, PetscMPIInt tag);

  /// Divides the factorization of a plan, which only the first rank has: `make_plan` is called there, does not communicate,
  /// and may throw. Precondition: `options` have a form and settings that several ranks support.
  PetscErrorCode analyze(Mat a, const std::function<std::shared_ptr<const FactorPlan>()>& make_plan, const Options& options);
  /// Brings the values of A to the parts. `same_pattern`, equal on all ranks, says that A is known to have the pattern of
  /// analyze; if not, the ranks compare it, and it is an error if it differs.
  PetscErrorCode take_values(Mat a, bool same_pattern);
  /// Factorizes with the values that were taken last; solver().factor_report() has the outcome.
  PetscErrorCode factorize();
  /// Solves A x = b, or Aᵀ x = b. `b` and `x` are this rank's rows in host memory, and may be the same array.
  PetscErrorCode solve(const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, bool transposed);

  const DistributedSolver<PetscScalar>& solver() const { return solver_; }
  /// Whether factorize has ended since the last analyze, with a factor or with a failed pivot.
  bool is_factorized() const { return factorized_; }
  const Options& options() const { return options_; }
  /// What this rank holds and does.
  const PartReport& own_part() const { return solver_.distribution().parts[static_cast<std::size_t>(ranks_.rank)]; }

 private:
  PetscErrorCode exchange_entries();
  PetscErrorCode name_entries(std::vector<std::int64_t>* rows, std::vector<std::int64_t>* columns,
                              std::vector<PetscMPIInt>* parts) const;
  PetscErrorCode compare_pattern(Mat a);
  PetscErrorCode solve_columns(const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, bool transposed);

  Ranks ranks_;
  RanksFabric fabric_;
  DistributedSolver<PetscScalar> solver_;
  Options options_;
  bool factorized_ = false;
  PetscInt first_row_ = 0;
  std::unique_ptr<LocalRows> local_;
  EntryExchange entry_exchange_;
  RowExchange row_exchange_;
  std::vector<PetscScalar> values_;   // of this part's entries
  std::vector<PetscScalar> columns_;  // of this part's rows of vectors
};

}  // namespace gpusupernodal::petsc
