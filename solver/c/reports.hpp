#pragma once

/// \file
/// Fields of the reports by name: "analyze.n", "factor.shift", "solve.seconds".

#include <string>
#include <string_view>

#include "gpusupernodal/report.hpp"

namespace gpusupernodal::c {

/// All reports of a solver.
struct Reports {
  AnalyzeReport analyze;
  FactorReport factor;
  SolveReport solve;
};

/// These throw InvalidInput for an unknown name.
double report_number(const Reports& reports, std::string_view name);
std::string report_text(const Reports& reports, std::string_view name);
/// These return names counted from 0; null after the last.
const char* report_number_name(int i);
const char* report_text_name(int i);

}  // namespace gpusupernodal::c
