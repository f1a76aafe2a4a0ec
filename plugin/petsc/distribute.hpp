#pragma once

/// \file
/// Whether the first rank of a matrix factorizes alone, or all ranks together.

#include <array>
#include <string>

#include "gpusupernodal/solver.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

struct FactorData;

/// Values of -mat_gpusupernodal_distribute.
enum class Distribute { automatic, owner, all };
inline constexpr std::array<const char*, 6> distribute_list{{"auto", "owner", "all", "Distribute", "", nullptr}};

/// `auto` lets all ranks factorize only if the cost model predicts at least this ratio of times …
inline constexpr double min_gain = 1.2;
/// … and if one thread would take at least this many seconds: the model does not count transfers.
inline constexpr double min_seconds = 0.1;

/// What is known of the choice before the pattern is.
enum class Candidate { owner, all, undecided };

/// Follows the option -mat_gpusupernodal_distribute. It is an error if it says `all` and another option needs the first
/// rank alone. Collective; the same on all ranks.
PetscErrorCode find_candidate(Mat f, Mat a, const MatFactorInfo* info, Candidate* candidate);
/// Decides for an undecided candidate by the cost model. The first rank has the pattern in data.input, and keeps its plan in
/// `preview`. Collective; the same on all ranks.
PetscErrorCode decide(Mat f, Preview* preview, bool* all);
/// PETSC_ERR_SUP if a factorization with this `info` needs a shift, which the ranks cannot add together. Not collective.
PetscErrorCode refuse_shift(const MatFactorInfo& info);

}  // namespace gpusupernodal::petsc
