#include "gpusupernodal/options.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/names.hpp"
#include "plugin/petsc/factor_data.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/option_lists.hpp"

namespace gpusupernodal::petsc {
namespace {

constexpr auto backend_list = with_end<backend_names.size()>(backend_names, "Backend");
// Omits the last ordering, user, which PETSc's own ordering options select.
constexpr auto ordering_list = with_end<ordering_names.size() - 1>(ordering_names, "Ordering");
constexpr auto memory_list = with_end<factor_memory_names.size()>(factor_memory_names, "FactorMemory");
constexpr auto schedule_list = with_end<cuda_schedule_names.size()>(cuda_schedule_names, "CudaSchedule");
constexpr auto merging_list = with_end<merging_names.size()>(merging_names, "Merging");
constexpr auto repivot_list = with_end<repivot_names.size()>(repivot_names, "Repivot");
constexpr auto symmetry_list = with_end<symmetry_names.size()>(symmetry_names, "Symmetry");
constexpr auto lu_schedule_list = with_end<lu_schedule_names.size()>(lu_schedule_names, "LuSchedule");
constexpr auto matching_list = with_end<matching_names.size()>(matching_names, "MatchingRule");

// What -pc_type cholesky takes: `auto` is llt, and ldlt where that fails.
constexpr std::array<const char*, 6> cholesky_form_list{{"auto", "llt", "ldlt", "CholeskyForm", "", nullptr}};

constexpr const char* last_rows_name = "-mat_gpusupernodal_last_rows";
constexpr std::size_t most_devices = 64;  // No machine has more.

/// The option values in PETSc's types.
struct OptionValues {
  PetscEnum backend;
  PetscEnum ordering;
  PetscEnum merging;
  PetscEnum form;
  PetscEnum symmetry;
  PetscEnum matching;
  PetscEnum lu_schedule;
  PetscEnum repivot;
  PetscReal perturbation;
  std::vector<PetscInt> last_rows;  ///< Has one more element than the matrix has rows if the option is given, else empty.
  PetscInt no_row;
  PetscInt last_count;
  PetscBool has_last;
  PetscInt expected_factorizations;
  PetscInt merge_width;
  PetscInt block_width;
  PetscInt threads;
  PetscInt device;
  std::array<PetscInt, most_devices> devices;
  PetscInt device_count;
  PetscBool has_devices;
  PetscEnum memory;
  PetscReal memory_limit;  ///< No PetscInt: that may have 32 bits.
  PetscEnum schedule;
  PetscInt streams;
  PetscInt refinement_steps;
  PetscReal refinement_error;
  PetscBool check_finite;
  PetscBool deterministic;
  PetscBool plan_cache;
  PetscBool monitor;
  PetscEnum distribute;
};

OptionValues to_petsc(const Options& options) {
  OptionValues v;
  v.backend = static_cast<PetscEnum>(options.backend);
  v.ordering = static_cast<PetscEnum>(options.ordering == Ordering::user ? Ordering::automatic : options.ordering);
  v.merging = static_cast<PetscEnum>(options.merging);
  v.form = static_cast<PetscEnum>(0);
  v.symmetry = static_cast<PetscEnum>(options.symmetry);
  v.matching = static_cast<PetscEnum>(options.matching);
  v.lu_schedule = static_cast<PetscEnum>(options.lu_schedule);
  v.repivot = static_cast<PetscEnum>(options.repivot);
  v.perturbation = static_cast<PetscReal>(options.perturbation);
  v.no_row = -1;
  v.last_count = 1;
  v.has_last = PETSC_FALSE;
  v.expected_factorizations = options.expected_factorizations;
  v.merge_width = options.merge_width;
  v.block_width = options.block_width;
  v.threads = options.threads;
  v.device = options.device;
  v.devices.fill(-1);
  v.device_count = 1;
  v.has_devices = PETSC_FALSE;
  v.memory = static_cast<PetscEnum>(options.memory);
  v.memory_limit = static_cast<PetscReal>(options.device_memory_limit);
  v.schedule = static_cast<PetscEnum>(options.cuda_schedule);
  v.streams = options.streams;
  v.refinement_steps = options.refinement.max_steps;
  v.refinement_error = static_cast<PetscReal>(options.refinement.backward_error);
  v.check_finite = options.check_finite ? PETSC_TRUE : PETSC_FALSE;
  v.plan_cache = options.plan_cache ? PETSC_TRUE : PETSC_FALSE;
  v.deterministic = options.deterministic ? PETSC_TRUE : PETSC_FALSE;
  v.monitor = PETSC_FALSE;
  v.distribute = static_cast<PetscEnum>(Distribute::owner);
  return v;
}

void from_petsc(const OptionValues& v, Options* options) {
  options->backend = static_cast<Backend>(v.backend);
  options->ordering = static_cast<Ordering>(v.ordering);
  options->merging = static_cast<Merging>(v.merging);
  options->symmetry = static_cast<Symmetry>(v.symmetry);
  options->matching = static_cast<MatchingRule>(v.matching);
  options->lu_schedule = static_cast<LuSchedule>(v.lu_schedule);
  options->repivot = static_cast<Repivot>(v.repivot);
  options->perturbation = static_cast<double>(v.perturbation);
  if (v.has_last == PETSC_TRUE) options->last_rows = {{v.last_rows.begin(), v.last_rows.begin() + v.last_count}};
  options->expected_factorizations = to_int(v.expected_factorizations);
  options->merge_width = to_int(v.merge_width);
  options->block_width = to_int(v.block_width);
  options->threads = to_int(v.threads);
  options->device = to_int(v.device);
  options->devices.clear();
  for (PetscInt k = 0; v.has_devices == PETSC_TRUE && k < v.device_count; ++k)
    options->devices.push_back(to_int(v.devices[static_cast<std::size_t>(k)]));
  options->memory = static_cast<FactorMemory>(v.memory);
  options->device_memory_limit = to_bytes(v.memory_limit);
  options->cuda_schedule = static_cast<CudaSchedule>(v.schedule);
  options->streams = to_int(v.streams);
  options->refinement.max_steps = to_int(v.refinement_steps);
  options->refinement.backward_error = static_cast<double>(v.refinement_error);
  options->check_finite = v.check_finite == PETSC_TRUE;
  options->plan_cache = v.plan_cache == PETSC_TRUE;
  options->deterministic = v.deterministic == PETSC_TRUE;
}

/// Sizes `last_rows`, because PETSc reads at most as many numbers as the array holds. An allocation that fails on one rank
/// is an error on all ranks.
PetscErrorCode make_room_for_rows(Mat f, OptionValues* v) {
  PetscBool given = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(nullptr, reinterpret_cast<PetscObject>(f)->prefix, last_rows_name, &given));
  if (given == PETSC_TRUE) {
    v->last_count = f->rmap->N + 1;
    PetscCall(together(factor_data(f).ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
      v->last_rows.resize(static_cast<std::size_t>(v->last_count), -1);
      return PETSC_SUCCESS;
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads the list before PetscOptionsIntArray does, which shows as many values as there may be.
template <class Items>
PetscErrorCode read_devices(Items PetscOptionsObject, Mat f, OptionValues* v) {
  constexpr const char* name = "-mat_gpusupernodal_devices";
  PetscInt count = most_devices;
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetIntArray(reinterpret_cast<PetscObject>(f)->options, reinterpret_cast<PetscObject>(f)->prefix,
                                    name, v->devices.data(), &count, &v->has_devices));
  if (v->has_devices == PETSC_TRUE) v->device_count = count;
  PetscCall(PetscOptionsIntArray(name, "CUDA devices that factorize together, by Cholesky", "None", v->devices.data(),
                                 &v->device_count, &v->has_devices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The options of LU, which a factor of Cholesky does not have. PETSc's macros need the argument's name.
template <class Items>
PetscErrorCode read_lu_options(Items PetscOptionsObject, OptionValues* v) {
  PetscFunctionBegin;
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_matching", "Exchange of rows before LU", "None", matching_list.data(),
                             v->matching, &v->matching, nullptr));
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_lu_schedule",
                             "LU by supernodes, by columns of its own pattern, or on dense storage", "None",
                             lu_schedule_list.data(), v->lu_schedule, &v->lu_schedule, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The choice between Cholesky and LDLᵀ, which a factor of LU does not have.
template <class Items>
PetscErrorCode read_cholesky_options(Items PetscOptionsObject, OptionValues* v) {
  PetscFunctionBegin;
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_form", "Cholesky (llt), ldlt, or ldlt where Cholesky fails (auto)", "None",
                             cholesky_form_list.data(), v->form, &v->form, nullptr));
  if (!complex_scalars) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_symmetry", "Whether A equals its adjoint or its transpose", "None",
                             symmetry_list.data(), v->symmetry, &v->symmetry, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Follows the option of a factor of Cholesky. LDLᵀ with equal bits or the schedule streams runs on the host, so it is not
/// taken where CUDA was requested with these; nor is it with several devices or with hybrid memory, which do not have it.
void choose_form(const OptionValues& v, FactorData* data, Options* options) {
  const char* const name = cholesky_form_list[static_cast<std::size_t>(v.form)];
  const bool host_only = options->deterministic || options->cuda_schedule == CudaSchedule::streams;
  const bool refused = (host_only && options->backend == Backend::cuda) || options->devices.size() > 1 ||
                       options->memory == FactorMemory::hybrid;
  data->form_is_auto = std::string_view(name) == "auto";
  data->may_take_ldlt = data->form_is_auto && !refused && built_with(Form::ldlt);
  data->form = form_of(name).value_or(Form::llt);
  options->form = data->form;
}

}  // namespace

PetscErrorCode read_options(Mat f, Options* options, bool* monitor) {
  OptionValues v = to_petsc(*options);
  MPI_Comm comm = PETSC_COMM_SELF;
  const bool is_lu = factor_data(f).form == Form::lu;

  PetscFunctionBegin;
  PetscCall(make_room_for_rows(f, &v));
  PetscCall(PetscObjectGetComm(reinterpret_cast<PetscObject>(f), &comm));
  PetscOptionsBegin(comm, reinterpret_cast<PetscObject>(f)->prefix, "gpusupernodal sparse direct solver options", "Mat");
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_backend", "Where to factorize and solve", "None", backend_list.data(),
                             v.backend, &v.backend, nullptr));
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_ordering", "Ordering, where -pc_factor_mat_ordering_type gives none",
                             "None", ordering_list.data(), v.ordering, &v.ordering, nullptr));
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_merging", "Rule by which supernodes are merged", "None",
                             merging_list.data(), v.merging, &v.merging, nullptr));
  PetscCall(PetscOptionsInt("-mat_gpusupernodal_expected_factorizations",
                            "How many will follow, by which auto chooses an ordering", "None", v.expected_factorizations,
                            &v.expected_factorizations, nullptr));
  PetscCall(PetscOptionsIntArray(last_rows_name, "Rows of the matrix that are eliminated last", "None",
                                 v.last_rows.empty() ? &v.no_row : v.last_rows.data(), &v.last_count, &v.has_last));
  PetscCall(PetscOptionsInt("-mat_gpusupernodal_merge_width", "Width of merging narrow", "None", v.merge_width,
                            &v.merge_width, nullptr));
  PetscCall(PetscOptionsInt("-mat_gpusupernodal_block_width", "Columns of a block (0: the backend's default)", "None",
                            v.block_width, &v.block_width, nullptr));
  PetscCall(PetscOptionsInt("-mat_gpusupernodal_threads", "Host threads (0: all of this process)", "None", v.threads,
                            &v.threads, nullptr));
  PetscCall(PetscOptionsInt("-mat_gpusupernodal_device", "CUDA device (-1: the current one)", "None", v.device, &v.device,
                            nullptr));
  PetscCall(read_devices(PetscOptionsObject, f, &v));
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_memory", "Where CUDA keeps the factor: hybrid divides it with the host",
                             "None", memory_list.data(), v.memory, &v.memory, nullptr));
  PetscCall(PetscOptionsReal("-mat_gpusupernodal_device_memory_limit",
                             "Most bytes to take on the CUDA device (0: what is free)", "None", v.memory_limit,
                             &v.memory_limit, nullptr));
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_cuda_schedule", "How CUDA works on wide supernodes", "None",
                             schedule_list.data(), v.schedule, &v.schedule, nullptr));
  PetscCall(PetscOptionsInt("-mat_gpusupernodal_streams", "CUDA streams", "None", v.streams, &v.streams, nullptr));
  PetscCall(PetscOptionsInt("-mat_gpusupernodal_refinement_steps", "Steps of iterative refinement a solve, at most", "None",
                            v.refinement_steps, &v.refinement_steps, nullptr));
  PetscCall(PetscOptionsReal("-mat_gpusupernodal_refinement_backward_error",
                             "Backward error at which refinement stops (0: when a step no longer halves it)", "None",
                             v.refinement_error, &v.refinement_error, nullptr));
  PetscCall(PetscOptionsBool("-mat_gpusupernodal_check_finite", "Look for NaN and Inf in the matrix", "None", v.check_finite,
                             &v.check_finite, nullptr));
  PetscCall(PetscOptionsBool("-mat_gpusupernodal_plan_cache", "Take the plan of an earlier matrix of the same pattern",
                             "None", v.plan_cache, &v.plan_cache, nullptr));
  PetscCall(PetscOptionsBool("-mat_gpusupernodal_deterministic", "The same bits in every factorization on a CUDA device",
                             "None", v.deterministic, &v.deterministic, nullptr));
  PetscCall(PetscOptionsBool("-mat_gpusupernodal_monitor", "Tell of the progress of analyses and factorizations", "None",
                             v.monitor, &v.monitor, nullptr));
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_distribute", "Which ranks of a parallel matrix factorize and solve", "None",
                             distribute_list.data(), v.distribute, &v.distribute, nullptr));
  if (is_lu) PetscCall(read_lu_options(PetscOptionsObject, &v));
  if (!is_lu) PetscCall(read_cholesky_options(PetscOptionsObject, &v));
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_repivot", "Whether an unstable LU or LDLT is repeated with other pivots",
                             "None", repivot_list.data(), v.repivot, &v.repivot, nullptr));
  PetscCall(
      PetscOptionsReal("-mat_gpusupernodal_perturbation",
                       "LU, LDLT: smaller pivots of the scaled matrix are replaced (0: sqrt(eps); eps on dense storage)",
                       "None", v.perturbation, &v.perturbation, nullptr));
  PetscOptionsEnd();
  PetscCall(together(factor_data(f).ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    from_petsc(v, options);
    factor_data(f).distribute = static_cast<Distribute>(v.distribute);
    if (!is_lu) choose_form(v, &factor_data(f), options);
    return PETSC_SUCCESS;
  }));
  *monitor = v.monitor == PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
