#pragma once

/// \file
/// Refuses what the build leaves out (the build options GPUSUPERNODAL_SCALARS and GPUSUPERNODAL_FORMS), and names what it
/// has.

#include <string>
#include <string_view>
#include <vector>

#include "gpusupernodal/options.hpp"

namespace gpusupernodal {

/// Names of the scalar types and of the forms that the build has, as the build options name them.
std::vector<std::string> built_scalars();
std::vector<std::string> built_forms();

/// Throws InvalidInput if the build leaves the form out. Precondition: `form` is an enumerator.
void require_built(Form form);
/// Throws InvalidInput: `what` needs the scalar type called `scalar`, which the build leaves out.
[[noreturn]] void refuse_scalar(std::string_view what, std::string_view scalar);

}  // namespace gpusupernodal
