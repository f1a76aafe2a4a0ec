#pragma once

/// \file
/// A failed factorization in words.

#include <string>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/report.hpp"

namespace gpusupernodal {

/// Returns why the factorization of this report has no factor, with its numbers. LU that is unstable names what may help
/// with its schedule. Precondition: its status is not `success`.
std::string outcome_sentence(const FactorReport& report, LuSchedule schedule);

}  // namespace gpusupernodal
