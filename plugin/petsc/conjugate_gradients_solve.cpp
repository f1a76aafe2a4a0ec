/// \file
/// A solve of -ksp_type gpusupernodalcg in the library, in the terms of KSP.

#include <algorithm>
#include <cmath>
#include <limits>

#include "plugin/petsc/conjugate_gradients.hpp"

namespace gpusupernodal::petsc {
namespace {

/// Two products with A differ by c·n·eps·‖A‖‖x‖ at most, with this c.
constexpr double product_rounding = 4.0;

PetscErrorCode residual_of(KSP ksp, CgData* data, Mat a, PetscReal* norm) {
  PetscFunctionBegin;
  if (data->residual == nullptr) PetscCall(VecDuplicate(ksp->vec_rhs, &data->residual));
  PetscCall(MatMult(a, ksp->vec_sol, data->residual));
  PetscCall(VecAYPX(data->residual, -1.0, ksp->vec_rhs));
  PetscCall(VecNorm(data->residual, NORM_2, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Tells the history, the monitors and KSP itself of a residual.
PetscErrorCode show(KSP ksp, PetscInt iteration, PetscReal norm) {
  PetscFunctionBegin;
  PetscCall(PetscObjectSAWsTakeAccess(reinterpret_cast<PetscObject>(ksp)));
  ksp->its = iteration;
  ksp->rnorm = norm;
  PetscCall(PetscObjectSAWsGrantAccess(reinterpret_cast<PetscObject>(ksp)));
  PetscCall(KSPLogResidualHistory(ksp, norm));
  PetscCall(KSPMonitor(ksp, iteration, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

KSPConvergedReason reason_of(const IterationResult& result) {
  if (result.diverged) return KSP_DIVERGED_DTOL;
  switch (result.report.status) {
    case PcgStatus::converged:
      return KSP_CONVERGED_RTOL;
    case PcgStatus::max_iterations:
      return KSP_DIVERGED_ITS;
    case PcgStatus::breakdown:  // M is positive definite, or its set-up would have failed.
      return KSP_DIVERGED_INDEFINITE_MAT;
    case PcgStatus::stagnated:
      return KSP_DIVERGED_BREAKDOWN;
    case PcgStatus::not_finite:
      return KSP_DIVERGED_NANORINF;
  }
  return KSP_DIVERGED_BREAKDOWN;
}

/// The library read one triangle of A. Whether x solves the system with all entries, too.
PetscErrorCode check_all_entries(KSP ksp, CgData* data, Mat a, bool* solved) {
  PetscReal norm = 0;
  PetscReal a_norm = 0;
  PetscReal x_norm = 0;
  PetscFunctionBegin;
  PetscCall(residual_of(ksp, data, a, &norm));
  *solved = norm <= ksp->ttol;
  if (!*solved) {
    PetscCall(MatNorm(a, NORM_FROBENIUS, &a_norm));
    PetscCall(VecNorm(ksp->vec_sol, NORM_2, &x_norm));
    const double eps = static_cast<double>(std::numeric_limits<PetscReal>::epsilon());
    const double rounding = product_rounding * eps * std::sqrt(static_cast<double>(a->rmap->N)) *
                            static_cast<double>(a_norm) * static_cast<double>(x_norm);
    *solved = static_cast<double>(norm) <= static_cast<double>(ksp->ttol) + rounding;
  }
  if (!*solved) {
    PetscCall(PetscInfo(
        ksp, "The matrix is not symmetric: its upper triangle is solved, but with all entries the residual is %g\n",
        static_cast<double>(norm)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode finish(KSP ksp, CgData* data, Mat a, PetscInt shown) {
  const IterationResult& result = data->last;
  const auto iterations = static_cast<PetscInt>(result.report.iterations);
  const auto norm = static_cast<PetscReal>(result.report.residual);
  PetscFunctionBegin;
  if (!result.diverged) {
    // A device shows residuals now and then; the history ends with the last one.
    if (shown < iterations) PetscCall(show(ksp, iterations, static_cast<PetscReal>(result.report.recursive_residual)));
    ksp->its = iterations;
    ksp->rnorm = norm;
  }
  ksp->reason = reason_of(result);
  if (ksp->reason == KSP_CONVERGED_RTOL) {
    bool solved = false;
    PetscCall(check_all_entries(ksp, data, a, &solved));
    if (!solved) ksp->reason = KSP_DIVERGED_NONSYMMETRIC;
  }
  if (ksp->reason == KSP_CONVERGED_RTOL || ksp->reason == KSP_DIVERGED_ITS) {
    // PETSc's test knows whether that is rtol or atol, and whether to end at max_it is to converge.
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    PetscCall((*ksp->converged)(ksp, iterations, norm, &reason, ksp->cnvP));
    if (reason != KSP_CONVERGED_ITERATING) ksp->reason = reason;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

IterationRequest request_for(KSP ksp, PetscReal b_norm) {
  IterationRequest request;
  // The threshold is absolute, and the library takes 0 for "not given".
  request.threshold = std::max(static_cast<double>(ksp->ttol), std::numeric_limits<double>::min());
  request.divergence = static_cast<double>(ksp->divtol) * static_cast<double>(ksp->rnorm0);
  request.max_iterations = ksp->max_it;
  request.use_start = ksp->guess_zero == PETSC_FALSE;
  request.right_hand_side = static_cast<double>(b_norm);
  return request;
}

}  // namespace

PetscErrorCode solve_in_library(KSP ksp, CgData* data) {
  Mat a = nullptr;
  PreconditionerData* preconditioner = nullptr;
  PetscReal b_norm = 0;
  PetscReal norm = 0;
  PetscInt shown = 0;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &a, nullptr));
  PetscCall(preconditioner_data(ksp->pc, &preconditioner));
  ksp->its = 0;
  ksp->reason = KSP_CONVERGED_ITERATING;
  if (has_failed(*preconditioner)) {
    ksp->reason = KSP_DIVERGED_PC_FAILED;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecNorm(ksp->vec_rhs, NORM_2, &b_norm));
  norm = b_norm;
  if (ksp->guess_zero == PETSC_FALSE) PetscCall(residual_of(ksp, data, a, &norm));
  KSPCheckNorm(ksp, norm);
  PetscCall(show(ksp, 0, norm));
  PetscCall((*ksp->converged)(ksp, 0, norm, &ksp->reason, ksp->cnvP));  // Sets rnorm0 and ttol, too.
  if (ksp->reason != KSP_CONVERGED_ITERATING) PetscFunctionReturn(PETSC_SUCCESS);
  if (ksp->max_it <= 0) {
    ksp->reason = KSP_DIVERGED_ITS;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  IterationRequest request = request_for(ksp, b_norm);
  request.look = [ksp, &shown](std::int64_t iteration, double residual) -> PetscErrorCode {
    shown = static_cast<PetscInt>(iteration);
    return show(ksp, shown, static_cast<PetscReal>(residual));
  };
  data->last = IterationResult();
  PetscCall(preconditioner->system->iterate(ksp->vec_rhs, ksp->vec_sol, request, &data->last));
  data->has_report = true;
  PetscCall(finish(ksp, data, a, shown));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
