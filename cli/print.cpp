#include "cli/print.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "base/fmt.hpp"
#include "cli/terminal.hpp"
#include "gpusupernodal/names.hpp"

namespace gpusupernodal::cli {

namespace {

/// Nonzeros of a matrix whose lower triangle is stored.
template <class Matrix>
std::int64_t mirrored_nonzeros(const Matrix& matrix) {
  std::int64_t diagonal = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(matrix.n); ++j) {
    const bool empty = matrix.offsets[j] == matrix.offsets[j + 1];
    if (!empty && matrix.indices[static_cast<std::size_t>(matrix.offsets[j])] == static_cast<std::int32_t>(j)) ++diagonal;
  }
  return 2 * static_cast<std::int64_t>(matrix.indices.size()) - diagonal;
}

std::string memory_text(const MemoryEstimate& memory) {
  const std::string parts = fmt::format("(factor {}, index {}, workspace {})", bytes_text(memory.factor),
                                        bytes_text(memory.index), bytes_text(memory.workspace));
  if (memory.host == 0) return fmt::format("{} {}", bytes_text(memory.total()), parts);
  return fmt::format("{} on the device {}, {} in host memory", bytes_text(memory.total()), parts, bytes_text(memory.host));
}

}  // namespace

std::int64_t full_nonzeros(const io::SymmetricMatrix& matrix) { return mirrored_nonzeros(matrix); }
std::int64_t full_nonzeros(const io::ComplexMatrix& matrix) {
  return matrix.part == StoredPart::lower ? mirrored_nonzeros(matrix) : static_cast<std::int64_t>(matrix.indices.size());
}

std::int64_t full_nonzeros(const io::GeneralMatrix& matrix) { return static_cast<std::int64_t>(matrix.indices.size()); }

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t place = digits.size(); place > sign + 3;) {
    place -= 3;
    digits.insert(place, 1, ',');
  }
  return digits;
}

std::string counted(std::int64_t number, const char* one, const char* several) {
  return fmt::format("{} {}", grouped(number), number == 1 ? one : several);
}

std::string bytes_text(std::int64_t bytes) {
  constexpr std::array<const char*, 5> units{"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes) / 1000.0;
  std::size_t unit = 0;
  while (amount >= 1000.0 && unit + 1 < units.size()) {
    amount /= 1000.0;
    ++unit;
  }
  return fmt::format("{:.3g} {}", amount, units[unit]);
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  if (seconds < 1.0) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

void print_line(const char* label, const std::string& text) {
  if (text.empty()) return;
  // Padded before it is styled: control sequences have no width.
  print_to(stdout, "{} {}\n", styled(stdout, Style::label, fmt::format("{:<15}", label)), text);
}

void print_matrix(const std::string& name, std::int64_t n, std::int64_t nonzeros) {
  print_line("matrix", fmt::format("{}, n = {}, {}", name, grouped(n), counted(nonzeros, "nonzero", "nonzeros")));
}

void print_analysis(const AnalyzeReport& r) {
  const std::string reason =
      r.ordering_reason.empty() ? "" : styled(stdout, Style::aside, fmt::format(" ({})", r.ordering_reason));
  print_line("ordering", name_of(r.ordering) + reason);
  if (r.plan_source != PlanSource::analyzed) print_line("plan", fmt::format("from the {}", name_of(r.plan_source)));
  print_line("factor", fmt::format("nnz(L) = {}, {:.3g} flops; stored {} with {:.3g} flops", grouped(r.nonzeros_l), r.flops,
                                   grouped(r.stored_l), r.stored_flops));
  if (r.lu_schedule == LuSchedule::columns) {
    print_line("schedule",
               fmt::format("columns, {} of rows, dense tail of {}; {}", counted(r.tree_height, "level", "levels"),
                           grouped(r.largest_width), counted(r.tasks, "task", "tasks")));
  } else if (r.lu_schedule == LuSchedule::dense) {
    print_line("schedule", fmt::format("dense storage of order {}; {}", grouped(r.n), counted(r.tasks, "task", "tasks")));
  } else {
    print_line("supernodes", fmt::format("{}, widest {}, largest front {}, tree height {}; {}", grouped(r.supernodes),
                                         grouped(r.largest_width), grouped(r.largest_front), grouped(r.tree_height),
                                         counted(r.tasks, "task", "tasks")));
  }
  print_line("memory", memory_text(r.memory));
  for (const DeviceUse& use : r.devices) {
    print_line(fmt::format("  device {}", use.device).c_str(),
               fmt::format("{}, {:.1f} % of the work", memory_text(use.memory), 100.0 * use.share));
  }
  print_line("backend", fmt::format("{}{}{}", name_of(r.backend), r.device.empty() ? "" : ": ", r.device));
  print_line("  reason", styled(stdout, Style::aside, r.backend_reason));
}

void print_analyze_time(const AnalyzeReport& r) {
  print_line("analyze", fmt::format("{} (ordering {}, symbolic {})", seconds_text(r.seconds_total),
                                    seconds_text(r.seconds_ordering), seconds_text(r.seconds_symbolic)));
}

void print_analysis_steps(const AnalyzeReport& r) {
  for (const AnalysisStep& step : r.steps) {
    print_to(stdout, "  {:<17} {}{}\n", step.name, seconds_text(step.seconds),
             step.bytes > 0 ? ", " + bytes_text(step.bytes) : "");
  }
}

void print_regimes(const FactorReport& r) {
  for (const RegimeReport& regime : r.regimes) {
    if (regime.seconds <= 0.0) continue;
    print_line(fmt::format("  {}", regime.name).c_str(),
               fmt::format("{} busy, {:.3g} flops, {:.3g} Gflop/s", seconds_text(regime.seconds), regime.flops,
                           regime.flops_per_second() * 1e-9));
  }
}

void print_pivots(const FactorReport& r, Form form) {
  if (form == Form::llt) return;
  print_line("status", name_of(r.status));
  print_line("pivots", fmt::format("{} replaced; growth {:.3g}", grouped(r.perturbed_pivots), r.growth));
  if (r.repivoted > 0) print_line("repeated", fmt::format("{} with other pivots", counted(r.repivoted, "time", "times")));
  if (r.probe_iterations > 0) {
    print_line("probe", fmt::format("{} of FGMRES, backward error {:.2e}",
                                    counted(r.probe_iterations, "iteration", "iterations"), r.probe_error));
  }
  if (form != Form::ldlt) return;
  print_line("inertia",
             fmt::format("{} positive, {} negative, {} zero{}", grouped(r.inertia.positive), grouped(r.inertia.negative),
                         grouped(r.inertia.zero), r.inertia_exact ? "" : "; not certain"));
}

std::string failure_sentence(const FactorReport& r) {
  if (r.status == Status::non_finite_input) {
    return fmt::format("the entry in row {}, column {} (counted from 1) is {} in the precision used.", r.failed_row + 1,
                       r.failed_column + 1, r.failed_value);
  }
  if (r.status == Status::singular) {
    return fmt::format(
        "the matrix is singular up to rounding: the smallest pivot of the scaled matrix is {:.6g}, in column {} (counted "
        "from 1).",
        r.failed_value, r.failed_column + 1);
  }
  if (r.status == Status::unstable) {
    return fmt::format(
        "the {} factorization is unstable: {} replaced, {} grew by a factor of {:.3g}, and refinement and {} of FGMRES did "
        "not make the backward error small: it is {:.3g}.",
        r.form == Form::ldlt ? "LDLT" : "LU", counted(r.perturbed_pivots, "pivot was", "pivots were"),
        r.form == Form::ldlt ? "the factors" : "L and U", r.growth, counted(r.probe_iterations, "iteration", "iterations"),
        r.probe_error);
  }
  return fmt::format("the matrix is not positive definite: the pivot of row and column {} (counted from 1) is {:.6g}.",
                     r.failed_column + 1, r.failed_value);
}

Failure factor_failure(const std::string& name, const FactorReport& r) {
  return {exit_code(r.status), fmt::format("{}: {}", name, failure_sentence(r))};
}

void finish_output() {
  errno = 0;
  const bool lost = std::ferror(stdout) != 0 || !std::cout;  // An earlier write failed; its errno is no longer known.
  if (std::fflush(stdout) == 0 && !lost) return;
  const char* const why = errno != 0 ? std::strerror(errno) : "an earlier part was refused";
  throw io::FileError(fmt::format("{}: cannot be written: {}.", "standard output", why), __FILE__, __LINE__);
}

}  // namespace gpusupernodal::cli
