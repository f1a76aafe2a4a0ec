#pragma once

/// \file
/// HostSystem: what one system of equations keeps on the host between calls.

#include <memory>
#include <optional>

#include "gpusupernodal/built_with.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/backend/executor.hpp"
#include "solver/backend/factorization.hpp"
#include "solver/host/plan/host_plan.hpp"
#include "solver/host/run/ldlt_data.hpp"
#include "solver/host/run/lu_scales.hpp"

namespace gpusupernodal {

/// The factor of one matrix, what belongs to it, and a copy of the matrix. Workspace is not here: HostFactor and
/// HostOperator have it, and work on the system that they are attached to.
template <class T>
struct HostSystem {
  using Real = typename ScalarTraits<T>::Real;

  /// `plan` must outlive this. Throws OutOfMemory.
  HostSystem(const HostPlan& plan, const ExecutorOptions& options, const std::shared_ptr<Allocator>& allocator);

  Buffer<T> factor;                       ///< Panels: FactorStructure::factor_values() values.
  std::optional<LuScales<T>> scales;      ///< For LU.
  Buffer<Real> largest;                   ///< For LU, not by columns: the largest magnitudes of L's columns and of U's rows.
  Buffer<std::int32_t> row_order;         ///< For LU on dense storage: the row of the plan that was eliminated k-th.
  std::optional<LdltData<T>> ldlt;        ///< For LDLᵀ.
  FactorOutcome outcome;                  ///< Outcome of the last factorization.
  Buffer<T> a;                            ///< A's values in the caller's order, with ExecutorOptions::keep_a.
  std::optional<double> norm;             ///< ‖A‖∞ of what was factorized, once it is known; not with a shift.
  std::optional<double> transposed_norm;  ///< ‖Aᵀ‖∞ of a general A, likewise.
  double scale = 1.0;                     ///< What was factorized is scale·A + shift·I.
  double shift = 0.0;                     ///< See scale.
};

template <class T>
HostSystem<T>::HostSystem(const HostPlan& plan, const ExecutorOptions& options, const std::shared_ptr<Allocator>& allocator)
    : factor(allocator, plan.structure->factor_values(), "the values of the factor") {
  if constexpr (built_with(Form::ldlt)) {
    if (options.ldlt) ldlt.emplace(plan, options.symmetric, allocator);
  }
  if constexpr (built_with(Form::lu)) {
    if (plan.structure->general) {
      scales.emplace(plan, allocator);
      if (!plan.structure->columns)
        largest = Buffer<Real>(allocator, 2 * plan.structure->symbolic.order(), "the growth of L and U");
      if (plan.structure->dense)
        row_order = Buffer<std::int32_t>(allocator, plan.structure->symbolic.order(), "the order of rows");
    }
  }
  if (options.keep_a) a = Buffer<T>(allocator, plan.structure->assembly.entries_of_a, "a copy of A's values");
}

}  // namespace gpusupernodal
