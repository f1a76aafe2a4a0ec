#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gpusupernodal/built_with.hpp"
#include "plugin/petsc/factor_data.hpp"
#include "plugin/petsc/guard.hpp"
#include "plugin/petsc/joint_phases.hpp"
#include "plugin/petsc/logging.hpp"
#include "plugin/petsc/structure.hpp"

namespace gpusupernodal::petsc {
namespace {

/// Collects an index set on the owner: the indices of all ranks, or the owner's if the set is sequential, hence complete on
/// each rank.
PetscErrorCode collect_indices(const Ranks& ranks, IS set, std::vector<PetscInt>* all) {
  const PetscInt* indices = nullptr;
  PetscInt count = 0;
  PetscMPIInt sharing = 1;
  std::vector<std::int64_t> counts;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(set, &count));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(set)), &sharing));
  if (sharing == 1 && !ranks.owner()) count = 0;
  PetscCall(collect_number(ranks, count, &counts));
  PetscCall(together(ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    std::int64_t total = 0;
    for (const std::int64_t of_rank : counts) total += of_rank;
    all->resize(static_cast<std::size_t>(total));
    return PETSC_SUCCESS;
  }));
  PetscCall(ISGetIndices(set, &indices));
  PetscCall(collect(ranks, sizeof(PetscInt), indices, count, counts, all->data()));
  PetscCall(ISRestoreIndices(set, &indices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Expands PETSc's permutation to rows; PETSc's orderings permute block rows for block formats.
PetscErrorCode expand_permutation(const std::vector<PetscInt>& indices, PetscInt n, std::vector<std::int64_t>* permutation) {
  const auto count = static_cast<PetscInt>(indices.size());
  PetscFunctionBegin;
  PetscCheck(count > 0 ? n % count == 0 : n == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "gpusupernodal: the ordering has %" PetscInt_FMT " entries, the matrix %" PetscInt_FMT " rows", count, n);
  const PetscInt block = count > 0 ? n / count : 1;
  permutation->reserve(static_cast<std::size_t>(n));
  for (const PetscInt index : indices) {
    for (PetscInt row = 0; row < block; ++row) permutation->push_back(static_cast<std::int64_t>(index) * block + row);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode choose_options(Mat f, IS old_of_new, const MatFactorInfo* info, Options* options) {
  FactorData& data = factor_data(f);
  bool monitor = false;

  PetscFunctionBegin;
  options->form = data.form;
  options->check_right_hand_sides = false;  // KSP checks for NaN and Inf and reports them as its converged reason.
  if (info != nullptr && wants_host(*info)) options->backend = Backend::host;
  PetscCall(read_options(f, options, &monitor));
  data.monitor = Monitor();
  if (monitor && data.ranks.owner()) data.monitor.attach(options);
  if (old_of_new != nullptr) {
    std::vector<PetscInt> indices;
    PetscCall(collect_indices(data.ranks, old_of_new, &indices));
    PetscCall(together(data.ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
      return data.ranks.owner() ? expand_permutation(indices, f->rmap->N, &options->permutation) : PETSC_SUCCESS;
    }));
    options->ordering = Ordering::user;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A checksum of A's pattern where PETSc's counter does not count every change; 0 where it does. All ranks together.
PetscErrorCode structure_of(const FactorData& data, Mat a, std::uint64_t* structure) {
  bool counts = false;
  PetscFunctionBegin;
  *structure = 0;
  PetscCall(counts_changes(a, &counts));
  if (counts) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
      together(data.ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode { return hash_structure(a, structure); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The first rank alone analyzes the matrix whose arrays are borrowed; `plan` is for it, or null.
PetscErrorCode analyze_on_owner(Mat f, std::shared_ptr<const FactorPlan> plan, const MatFactorInfo* info) {
  FactorData& data = factor_data(f);
  PetscFunctionBegin;
  PetscCall(together(data.ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    if (!data.ranks.owner()) return PETSC_SUCCESS;
    data.solver.set_options(data.options);
    if (plan) {
      data.solver.analyze(data.input.view(), std::move(plan));
    } else {
      data.solver.analyze(data.input.view());
    }
    data.backend = data.solver.backend();
    describe_factor(&data, info);
    return PETSC_SUCCESS;
  }));
  PetscCall(broadcast(data.ranks, &data.backend, sizeof(data.backend)));
  PetscCall(broadcast(data.ranks, &data.info, sizeof(data.info)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Chooses who factorizes, and analyzes the matrix whose arrays are borrowed.
PetscErrorCode analyze_input(Mat f, Mat a, Candidate candidate, const MatFactorInfo* info) {
  FactorData& data = factor_data(f);
  bool all = candidate == Candidate::all;
  Preview preview;
  PetscFunctionBegin;
  const LogScope scope(log_events().analyze, f);
  data.monitor.begin("analyze");
  if (candidate == Candidate::undecided) PetscCall(decide(f, &preview, &all));
  if (all) {
    PetscCall(analyze_jointly(f, a, &preview, info));
  } else {
    PetscCall(analyze_on_owner(f, std::move(preview.plan), info));
  }
  data.monitor.end();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Analyzes A with data.options.
PetscErrorCode analyze(Mat f, Mat a, const MatFactorInfo* info) {
  FactorData& data = factor_data(f);
  Candidate candidate = Candidate::owner;
  PetscFunctionBegin;
  data.matrix_id = 0;
  data.takes_device_arrays = false;
  data.joint.reset();
  PetscCall(find_candidate(f, a, info, &candidate));
  bool reads_values = data.form == Form::lu && data.options.matching != MatchingRule::none;
  // Options may differ between ranks; all of them must make the same exchanges.
  PetscCall(broadcast(data.ranks, &reads_values, sizeof(reads_values)));
  PetscCall(
      data.input.open(data.ranks, a, entries_of(data.form), false, reads_values ? Wanted::host_values : Wanted::pattern));
  PetscCall(analyze_input(f, a, candidate, info));
  if (!data.joint) PetscCall(data.input.close());
  PetscCall(remember_pattern(&data, a));
  if (data.ranks.alone() && data.backend == Backend::cuda) {
    const std::vector<int>& devices = data.options.devices;  // The first has b and x.
    const int device = devices.empty() ? data.options.device : devices.front();
    DeviceStream current;
    PetscCall(current_stream(&current));
    data.takes_device_arrays = current.device >= 0 && (device < 0 || device == current.device);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What the program has declared of a complex A, of which one half is read, or else the option says: PETSc does not hand
/// declarations on to the matrices that bjacobi, redundant and telescope make. A matrix that equals its transpose gets LDLᵀ.
PetscErrorCode choose_symmetry(Mat f, Mat a, Options* options) {
  FactorData& data = factor_data(f);
  PetscBool is_set = PETSC_FALSE;
  PetscBool is_hermitian = PETSC_FALSE;
  PetscBool is_symmetric = PETSC_FALSE;
  PetscBool is_option = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(MatIsHermitianKnown(a, &is_set, &is_hermitian));
  PetscCall(PetscOptionsHasName(reinterpret_cast<PetscObject>(f)->options, reinterpret_cast<PetscObject>(f)->prefix,
                                "-mat_gpusupernodal_symmetry", &is_option));
  if (options->symmetry == Symmetry::hermitian && !is_option && (is_set == PETSC_FALSE || is_hermitian == PETSC_FALSE)) {
    PetscCall(MatIsSymmetricKnown(a, &is_set, &is_symmetric));
    PetscCheck(is_set && is_symmetric, PetscObjectComm(reinterpret_cast<PetscObject>(a)), PETSC_ERR_ARG_WRONGSTATE,
               "gpusupernodal: the Cholesky factorization of a complex matrix needs a Hermitian one, declared by "
               "MatSetOption(A, MAT_HERMITIAN, PETSC_TRUE), or a symmetric one, declared by MatSetOption(A, MAT_SYMMETRIC, "
               "PETSC_TRUE); -pc_type lu takes any matrix");
    options->symmetry = Symmetry::symmetric;
  }
  // A library without LDLᵀ refuses that form with a sentence that names the build option.
  const bool is_left_out = data.form_is_auto && !built_with(Form::ldlt);
  if (options->symmetry == Symmetry::symmetric && (data.may_take_ldlt || is_left_out)) {
    data.may_take_ldlt = false;
    data.form = Form::ldlt;
    options->form = Form::ldlt;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode read_options_and_analyze(Mat f, Mat a, IS old_of_new, const MatFactorInfo* info) {
  PetscFunctionBegin;
  const PetscErrorCode error = guarded_with_input(f, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    Options options;
    PetscErrorCode unread = choose_options(f, old_of_new, info, &options);
    if (unread == PETSC_SUCCESS && complex_scalars && factor_data(f).form != Form::lu)
      unread = choose_symmetry(f, a, &options);
    if (unread != PETSC_SUCCESS) return unread;
    factor_data(f).options = std::move(options);
    return analyze(f, a, info);
  });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

bool has_analyzed_pattern(const FactorData& data, Mat a) {
  return reinterpret_cast<PetscObject>(a)->id == data.matrix_id && a->nonzerostate == data.nonzero_state;
}

PetscErrorCode remember_pattern(FactorData* data, Mat a) {
  PetscFunctionBegin;
  PetscCall(structure_of(*data, a, &data->structure));
  data->matrix_id = reinterpret_cast<PetscObject>(a)->id;
  data->nonzero_state = a->nonzerostate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode follow_uncounted_changes(Mat f, Mat a, const MatFactorInfo* info) {
  FactorData& data = factor_data(f);
  std::uint64_t structure = 0;
  PetscFunctionBegin;
  bool counts = false;
  PetscCall(counts_changes(a, &counts));
  if (counts) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(structure_of(data, a, &structure));
  int changed = structure != data.structure ? 1 : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, data.ranks.comm));
  if (changed == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInfo(f, "The pattern has changed, though PETSc's counter of such changes has not: analyzing again\n"));
  PetscCall(analyze_again(f, a, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode analyze_again(Mat f, Mat a, const MatFactorInfo* info) {
  PetscFunctionBegin;
  PetscCall(analyze(f, a, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void describe_factor(FactorData* data, const MatFactorInfo* given) {
  const AnalyzeReport& report = data->solver.analyze_report();
  // L and U have the same pattern; the diagonal counts once.
  const std::int64_t nonzeros = data->form == Form::lu ? 2 * report.nonzeros_l - report.n : report.nonzeros_l;
  data->info = MatInfo();
  data->info.block_size = 1.0;
  data->info.nz_allocated = static_cast<PetscLogDouble>(report.stored_l);
  data->info.nz_used = static_cast<PetscLogDouble>(nonzeros);
  data->info.nz_unneeded = static_cast<PetscLogDouble>(report.stored_l - nonzeros);
  data->info.memory = static_cast<PetscLogDouble>(report.memory.total());
  data->info.fill_ratio_given = given != nullptr ? static_cast<PetscLogDouble>(given->fill) : 0.0;
  data->info.fill_ratio_needed =
      static_cast<PetscLogDouble>(nonzeros) / static_cast<PetscLogDouble>(std::max<std::int64_t>(report.nonzeros_a, 1));
}

PetscErrorCode factor_symbolic(Mat f, Mat a, IS old_of_new, const MatFactorInfo* info) {
  PetscFunctionBegin;
  PetscCall(read_options_and_analyze(f, a, old_of_new, info));
  f->ops->choleskyfactornumeric = factor_numeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode lu_factor_symbolic(Mat f, Mat a, IS rows, IS columns, const MatFactorInfo* info) {
  PetscBool equal = PETSC_TRUE;
  PetscFunctionBegin;
  if (rows != nullptr && columns != nullptr) PetscCall(ISEqual(rows, columns, &equal));
  if (!equal) PetscCall(PetscInfo(f, "The order of the columns is used; rows are exchanged by the solver's own matching\n"));
  PetscCall(read_options_and_analyze(f, a, columns, info));
  f->ops->lufactornumeric = factor_numeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
