#pragma once

/// \file
/// The options of -pc_type gpusupernodal.

#include <array>

#include "gpusupernodal/pcg.hpp"
#include "gpusupernodal/system_solver.hpp"
#include "plugin/petsc/petsc_compat.hpp"

namespace gpusupernodal::petsc {

/// Values of -pc_gpusupernodal_kind: the library's preconditioners, then its methods (SystemSolver).
enum class Kind { fsai, none, jacobi, block_jacobi, ssor_ai, ic0, factor, automatic, direct, mixed, pcg };

/// Their names, in this order.
inline constexpr std::array<const char*, 11> kind_names{
    {"fsai", "none", "jacobi", "block_jacobi", "ssor_ai", "ic0", "factor", "automatic", "direct", "mixed", "pcg"}};

inline const char* name_of(Kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

/// Whether the kind solves A z = r by SystemSolver. The others apply a preconditioner of Pcg.
inline bool is_method(Kind kind) { return kind >= Kind::automatic; }
/// Whether z is a fixed linear function of r up to rounding. Otherwise an outer KSP must be flexible.
inline bool is_fixed(Kind kind) { return !is_method(kind) || kind == Kind::direct; }

/// The library's preconditioner of a kind that is not a method.
Preconditioner preconditioner_of(Kind kind);
/// The library's method of a kind that is one.
Method method_of(Kind kind);

struct PreconditionerSettings {
  Kind kind = Kind::fsai;
  PcgOptions pcg;        ///< For the kinds that are no methods.
  SystemOptions system;  ///< For methods.
};

/// Whether all that the options set is equal.
bool same_settings(const PreconditionerSettings& one, const PreconditionerSettings& other);

/// Reads -pc_gpusupernodal_* between the head and the end of an object's options.
PetscErrorCode read_preconditioner_items(OptionItems items, PreconditionerSettings* settings);

}  // namespace gpusupernodal::petsc
