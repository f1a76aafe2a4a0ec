#pragma once

/// \file
/// Fields of the reports by name, "analyze.n", "factor.shift", "solve.seconds".

#include <string>
#include <string_view>

#include "gpusupernodal/report.hpp"

namespace gpusupernodal::c {

/// What a solver tells, in one.
struct Reports {
  AnalyzeReport analyze;
  FactorReport factor;
  SolveReport solve;
};

/// Throw InvalidInput for a name that is none.
double report_number(const Reports& reports, std::string_view name);
std::string report_text(const Reports& reports, std::string_view name);
/// From 0 on; null after the last.
const char* report_number_name(int i);
const char* report_text_name(int i);

}  // namespace gpusupernodal::c
