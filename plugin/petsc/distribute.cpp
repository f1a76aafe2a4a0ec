#include "plugin/petsc/distribute.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "gpusupernodal/distribution.hpp"
#include "gpusupernodal/names.hpp"
#include "plugin/petsc/cores.hpp"
#include "plugin/petsc/factor_data.hpp"
#include "plugin/petsc/guard.hpp"

namespace gpusupernodal::petsc {
namespace {

MatFactorShiftType shift_of(const MatFactorInfo* info) {
  return info != nullptr ? static_cast<MatFactorShiftType>(static_cast<int>(info->shifttype)) : MAT_SHIFT_NONE;
}

/// An error for an option that only the first rank alone can follow, if there is one.
PetscErrorCode refuse(const std::string& option) {
  const bool may_be_of_petsc = option.find(MatFactorShiftTypes[MAT_SHIFT_INBLOCKS]) != std::string::npos;
  PetscFunctionBegin;
  PetscCheck(option.empty(), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "gpusupernodal: -mat_gpusupernodal_distribute all works only without %s, because only one rank alone can do "
             "that; leave out one of the two, or use -mat_gpusupernodal_distribute owner%s",
             option.c_str(),
             may_be_of_petsc ? " (PETSc sets this shift for coarse solvers; -pc_factor_shift_type none takes it back)" : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string shift_option(const MatFactorInfo* info) {
  if (shift_of(info) == MAT_SHIFT_NONE) return "";
  return std::string("-pc_factor_shift_type ") + MatFactorShiftTypes[shift_of(info)];
}

std::string devices_option(const std::vector<int>& devices) {
  std::string text = "-mat_gpusupernodal_devices ";
  for (std::size_t d = 0; d < devices.size(); ++d) text += (d == 0 ? "" : ",") + std::to_string(devices[d]);
  return text;
}

/// The environment variable GPUSUPERNODAL_BACKEND with its value, where the library follows it and it does not allow hosts.
std::string device_variable(Backend option) {
  const char* const variable = std::getenv("GPUSUPERNODAL_BACKEND");
  const std::string name = variable == nullptr ? "" : variable;
  if (option != Backend::automatic || name.empty()) return "";
  const auto named = backend_of(name);
  const bool allows_hosts = named.has_value() && *named != Backend::cuda;
  return allows_hosts ? "" : "GPUSUPERNODAL_BACKEND=" + name;
}

/// The option that only the first rank alone can follow; empty if there is none.
std::string needs_owner(const FactorData& data, const MatFactorInfo* info) {
  const Options& options = data.options;
  if (data.form == Form::lu) return "-pc_type lu";
  if (options.symmetry == Symmetry::symmetric) return "-mat_gpusupernodal_symmetry symmetric (or MAT_SYMMETRIC)";
  if (data.form != Form::llt) return std::string("-mat_gpusupernodal_form ") + name_of(data.form);
  if (options.backend == Backend::cuda) return "-mat_gpusupernodal_backend cuda";
  if (const std::string variable = device_variable(options.backend); !variable.empty()) return variable;
  if (options.devices.size() > 1) return devices_option(options.devices);
  if (options.refinement.max_steps > 0)
    return "-mat_gpusupernodal_refinement_steps " + std::to_string(options.refinement.max_steps);
  return shift_option(info);
}

/// On the owner, whose share of cores is `own`: whether all ranks together would be faster. Otherwise says why not.
bool is_faster(FactorData* data, const CoreShare& own, int exclusive, int fewest, Preview* preview) {
  std::string& reason = data->distribution_reason;
  if (exclusive == 0) {
    reason = "ranks share cores, or it is not known";
  } else if (fewest < own.cores) {
    reason = "the first rank has more cores than others";
  } else {
    *preview = Solver<PetscScalar>::preview(data->input.view(), data->options);
    if (preview->report.backend != Backend::host) {
      reason = "a device is used";
      return false;
    }
    DistributionOptions ranks;
    ranks.parts = data->ranks.size;
    const DistributionReport report = distribution<PetscScalar>(*preview->plan, ranks);
    const double gain = report.seconds > 0.0 ? report.seconds_of_one / report.seconds : 1.0;
    char text[120];
    std::snprintf(text, sizeof(text), "predicted: %.2g s with one thread, %.2f times as fast together",
                  report.seconds_of_one, gain);
    reason = text;
    return report.seconds_of_one >= min_seconds && gain >= min_gain;
  }
  return false;
}

}  // namespace

PetscErrorCode find_candidate(Mat f, Mat a, const MatFactorInfo* info, Candidate* candidate) {
  FactorData& data = factor_data(f);
  PetscBool known = PETSC_FALSE;
  PetscBool definite = PETSC_FALSE;
  PetscFunctionBegin;
  *candidate = Candidate::owner;
  data.distribution_reason.clear();
  if (data.ranks.alone()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatIsSPDKnown(a, &known, &definite));
  PetscCall(together(data.ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    if (data.distribute == Distribute::owner) return PETSC_SUCCESS;
    const std::string option = needs_owner(data, info);
    if (data.distribute == Distribute::all) {
      *candidate = Candidate::all;
      return refuse(option);
    }
    if (!option.empty()) {
      data.distribution_reason = option;
    } else if (data.may_take_ldlt && !(known == PETSC_TRUE && definite == PETSC_TRUE)) {
      data.distribution_reason = "LDLT may be needed: neither MAT_SPD nor -mat_gpusupernodal_form llt is set";
    } else {
      *candidate = Candidate::undecided;
    }
    return PETSC_SUCCESS;
  }));
  // Options may differ between ranks; those of the first rank count.
  PetscCall(broadcast(data.ranks, candidate, sizeof(*candidate)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode decide(Mat f, Preview* preview, bool* all) {
  FactorData& data = factor_data(f);
  CoreShare share;
  PetscFunctionBegin;
  *all = false;
  PetscCall(share_cores(data.ranks, &share));
  int smallest[] = {share.exclusive ? 1 : 0, share.cores};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, smallest, 2, MPI_INT, MPI_MIN, data.ranks.comm));
  PetscCall(together(data.ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    if (data.ranks.owner()) *all = is_faster(&data, share, smallest[0], smallest[1], preview);
    return PETSC_SUCCESS;
  }));
  PetscCall(broadcast(data.ranks, all, sizeof(*all)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode refuse_shift(const MatFactorInfo& info) { return refuse(shift_option(&info)); }

}  // namespace gpusupernodal::petsc
