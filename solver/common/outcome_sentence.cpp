#include "solver/common/outcome_sentence.hpp"

#include "solver/common/format.hpp"

namespace gpusupernodal {

namespace {

const char* what_was_tried(const FactorReport& report, LuSchedule schedule) {
  if (schedule == LuSchedule::dense) return "rows were exchanged by partial pivoting, so no other pivots are tried";
  return report.repivoted > 0 ? "other pivots were tried"
                              : "analyze the matrix with these values, or set the option repivot to auto";
}

}  // namespace

std::string outcome_sentence(const FactorReport& report, LuSchedule schedule) {
  switch (report.status) {
    case Status::singular:
      return fmt::format(
          "A is singular up to rounding; the smallest pivot of the scaled matrix is {}, in column {} (counted from 0)",
          report.failed_value, report.failed_column);
    case Status::unstable:
      if (report.form == Form::ldlt) {
        return fmt::format(
            "the LDLT factorization is unstable: {} pivots were replaced, the smallest was {} in column {} (counted from "
            "0), the factors grew by a factor of {:.3g}, and refined solves are not accurate (backward error {:.3g} after "
            "{} iterations of FGMRES); on a device, try the host backend, which exchanges pivots, otherwise the form lu "
            "with all entries of A",
            report.perturbed_pivots, report.failed_value, report.failed_column, report.growth, report.probe_error,
            report.probe_iterations);
      }
      return fmt::format(
          "the LU factorization is unstable: {} pivots were replaced, the smallest was {} in column {} (counted from 0), L "
          "and U grew by a factor of {:.3g}, and refined solves are not accurate (backward error {:.3g} after {} iterations "
          "of FGMRES); {}",
          report.perturbed_pivots, report.failed_value, report.failed_column, report.growth, report.probe_error,
          report.probe_iterations, what_was_tried(report, schedule));
    case Status::non_finite_input:
      return fmt::format("A has the value {} in row {}, column {} (counted from 0)", report.failed_value, report.failed_row,
                         report.failed_column);
    case Status::not_positive_definite:
    case Status::success:
      break;
  }
  return fmt::format("A is not positive definite; the pivot of column {} (counted from 0) is {}", report.failed_column,
                     report.failed_value);
}

}  // namespace gpusupernodal
