#pragma once

/// \file
/// A failed factorization in words.

#include <string>

#include "gpusupernodal/report.hpp"

namespace gpusupernodal {

/// Returns why the factorization of this report has no factor, with its numbers. Precondition: its status is not `success`.
std::string outcome_sentence(const FactorReport& report);

}  // namespace gpusupernodal
