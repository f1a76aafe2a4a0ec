#include "plugin/petsc/preconditioner_kinds.hpp"

#include <tuple>

#include "plugin/petsc/option_lists.hpp"

namespace gpusupernodal::petsc {
namespace {

constexpr auto kind_list = with_end<kind_names.size()>(kind_names, "Kind");
constexpr auto precision_list = with_end<factor_precision_names.size()>(factor_precision_names, "FactorPrecision");
constexpr auto renewal_list = with_end<renewal_names.size()>(renewal_names, "Renewal");
constexpr auto backend_list = with_end<backend_names.size()>(backend_names, "Backend");
// Omits the last ordering, user: there is no order to take it from.
constexpr auto ordering_list = with_end<ordering_names.size() - 1>(ordering_names, "Ordering");
constexpr auto preconditioner_list = with_end<preconditioner_names.size() - 1>(preconditioner_names, "Preconditioner");

/// The options of the kinds that are preconditioners of Pcg. PETSc's macros need the argument's name.
PetscErrorCode read_pcg_items(OptionItems PetscOptionsObject, PcgOptions* options) {
  auto precision = static_cast<PetscEnum>(options->factor_precision);
  auto renewal = static_cast<PetscEnum>(options->renewal);
  PetscInt block_size = options->block_size;
  auto renewal_iterations = static_cast<PetscInt>(options->renewal_iterations);

  PetscFunctionBegin;
  PetscCall(PetscOptionsInt("-pc_gpusupernodal_block_size", "Order of the blocks of block_jacobi (0: by the pattern)",
                            "None", block_size, &block_size, nullptr));
  PetscCall(PetscOptionsEnum("-pc_gpusupernodal_factor_precision", "Precision of the kind factor", "None",
                             precision_list.data(), precision, &precision, nullptr));
  PetscCall(PetscOptionsEnum("-pc_gpusupernodal_renewal", "When new values renew the preconditioner", "None",
                             renewal_list.data(), renewal, &renewal, nullptr));
  PetscCall(PetscOptionsInt("-pc_gpusupernodal_renewal_iterations",
                            "Iterations of gpusupernodalcg beyond which after_iterations renews", "None", renewal_iterations,
                            &renewal_iterations, nullptr));
  options->block_size = to_int(block_size);
  options->factor_precision = static_cast<FactorPrecision>(precision);
  options->renewal = static_cast<Renewal>(renewal);
  options->renewal_iterations = renewal_iterations;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The options of methods.
PetscErrorCode read_system_items(OptionItems PetscOptionsObject, SystemOptions* options) {
  auto preconditioner = static_cast<PetscEnum>(options->preconditioner);
  auto ordering = static_cast<PetscEnum>(options->ordering);
  auto tolerance = static_cast<PetscReal>(options->tolerance);
  auto max_it = static_cast<PetscInt>(options->max_iterations);
  auto solves = static_cast<PetscInt>(options->expected_solves);
  PetscInt factorizations = options->expected_factorizations;

  PetscFunctionBegin;
  PetscCall(PetscOptionsReal("-pc_gpusupernodal_tolerance", "Relative residual of methods (0: the library's default)",
                             "None", tolerance, &tolerance, nullptr));
  PetscCall(PetscOptionsInt("-pc_gpusupernodal_max_it", "Limit on the iterations of methods (0: 10 n)", "None", max_it,
                            &max_it, nullptr));
  PetscCall(PetscOptionsInt("-pc_gpusupernodal_expected_solves", "Right-hand sides for one set of values, for automatic",
                            "None", solves, &solves, nullptr));
  PetscCall(PetscOptionsInt("-pc_gpusupernodal_expected_factorizations", "Sets of values for one pattern", "None",
                            factorizations, &factorizations, nullptr));
  PetscCall(PetscOptionsEnum("-pc_gpusupernodal_preconditioner", "Preconditioner of the kinds pcg and automatic", "None",
                             preconditioner_list.data(), preconditioner, &preconditioner, nullptr));
  PetscCall(PetscOptionsEnum("-pc_gpusupernodal_ordering", "Ordering of factorizations of methods", "None",
                             ordering_list.data(), ordering, &ordering, nullptr));
  options->tolerance = static_cast<double>(tolerance);
  options->max_iterations = max_it;
  options->expected_solves = solves;
  options->expected_factorizations = to_int(factorizations);
  options->preconditioner = static_cast<Preconditioner>(preconditioner);
  options->ordering = static_cast<Ordering>(ordering);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

Preconditioner preconditioner_of(Kind kind) { return *gpusupernodal::preconditioner_of(name_of(kind)); }
Method method_of(Kind kind) { return *gpusupernodal::method_of(name_of(kind)); }

bool same_settings(const PreconditionerSettings& one, const PreconditionerSettings& other) {
  const auto all = [](const PreconditionerSettings& s) {
    return std::make_tuple(s.kind, s.pcg.block_size, s.pcg.factor_precision, s.pcg.renewal, s.pcg.renewal_iterations,
                           s.pcg.backend, s.pcg.threads, s.pcg.device, s.system.tolerance, s.system.max_iterations,
                           s.system.expected_solves, s.system.expected_factorizations, s.system.preconditioner,
                           s.system.ordering);
  };
  return all(one) == all(other);
}

PetscErrorCode read_preconditioner_items(OptionItems PetscOptionsObject, PreconditionerSettings* settings) {
  auto kind = static_cast<PetscEnum>(settings->kind);
  auto backend = static_cast<PetscEnum>(settings->pcg.backend);
  PetscInt threads = settings->pcg.threads;
  PetscInt device = settings->pcg.device;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEnum("-pc_gpusupernodal_kind", "Preconditioner, or method that solves", "None", kind_list.data(),
                             kind, &kind, nullptr));
  PetscCall(PetscOptionsEnum("-pc_gpusupernodal_backend", "Where to compute", "None", backend_list.data(), backend, &backend,
                             nullptr));
  PetscCall(PetscOptionsInt("-pc_gpusupernodal_threads", "Host threads (0: all of this process)", "None", threads, &threads,
                            nullptr));
  PetscCall(
      PetscOptionsInt("-pc_gpusupernodal_device", "CUDA device (-1: the current one)", "None", device, &device, nullptr));
  PetscCall(read_pcg_items(PetscOptionsObject, &settings->pcg));
  PetscCall(read_system_items(PetscOptionsObject, &settings->system));
  settings->kind = static_cast<Kind>(kind);
  settings->pcg.backend = settings->system.backend = static_cast<Backend>(backend);
  settings->pcg.threads = settings->system.threads = to_int(threads);
  settings->pcg.device = settings->system.device = to_int(device);
  if (is_method(settings->kind)) {
    settings->system.method = method_of(settings->kind);
  } else {
    settings->pcg.preconditioner = preconditioner_of(settings->kind);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
