#include "solver/c/reports.hpp"

#include <optional>
#include <utility>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal::c {
namespace {

template <class Visit>
void for_each_number(const Reports& r, const Visit& visit) {
  const auto number = [&](const char* name, auto value) { visit(name, static_cast<double>(value)); };
  number("analyze.n", r.analyze.n);
  number("analyze.nonzeros_a", r.analyze.nonzeros_a);
  number("analyze.nonzeros_l", r.analyze.nonzeros_l);
  number("analyze.stored_l", r.analyze.stored_l);
  number("analyze.flops", r.analyze.flops);
  number("analyze.stored_flops", r.analyze.stored_flops);
  number("analyze.supernodes", r.analyze.supernodes);
  number("analyze.largest_width", r.analyze.largest_width);
  number("analyze.largest_front", r.analyze.largest_front);
  number("analyze.tree_height", r.analyze.tree_height);
  number("analyze.critical_path_flops", r.analyze.critical_path_flops);
  number("analyze.tasks", r.analyze.tasks);
  number("analyze.memory.factor", r.analyze.memory.factor);
  number("analyze.memory.index", r.analyze.memory.index);
  number("analyze.memory.workspace", r.analyze.memory.workspace);
  number("analyze.memory.total", r.analyze.memory.total());
  number("analyze.memory.host", r.analyze.memory.host);
  number("analyze.seconds_ordering", r.analyze.seconds_ordering);
  number("analyze.seconds_symbolic", r.analyze.seconds_symbolic);
  number("analyze.seconds_total", r.analyze.seconds_total);
  number("factor.failed_column", r.factor.failed_column);
  number("factor.failed_row", r.factor.failed_row);
  number("factor.failed_value", r.factor.failed_value);
  number("factor.smallest_pivot", r.factor.smallest_pivot);
  number("factor.largest_pivot", r.factor.largest_pivot);
  number("factor.perturbed_pivots", r.factor.perturbed_pivots);
  number("factor.repivoted", r.factor.repivoted);
  number("factor.growth", r.factor.growth);
  number("factor.probe_iterations", r.factor.probe_iterations);
  number("factor.probe_error", r.factor.probe_error);
  number("factor.inertia.positive", r.factor.inertia.positive);
  number("factor.inertia.negative", r.factor.inertia.negative);
  number("factor.inertia.zero", r.factor.inertia.zero);
  number("factor.inertia_exact", r.factor.inertia_exact);
  number("factor.shift", r.factor.shift);
  number("factor.seconds", r.factor.seconds);
  number("factor.factorizations", r.factor.factorizations);
  number("solve.refinement_steps", r.solve.refinement_steps);
  number("solve.fgmres_iterations", r.solve.fgmres_iterations);
  number("solve.backward_error", r.solve.backward_error);
  number("solve.seconds", r.solve.seconds);
  number("solve.bytes_of_l", r.solve.bytes_of_l);
}

template <class Visit>
void for_each_text(const Reports& r, const Visit& visit) {
  visit("analyze.ordering", std::string_view(name_of(r.analyze.ordering)));
  visit("analyze.ordering_reason", std::string_view(r.analyze.ordering_reason));
  visit("analyze.lu_schedule", std::string_view(name_of(r.analyze.lu_schedule)));
  visit("analyze.backend", std::string_view(name_of(r.analyze.backend)));
  visit("analyze.backend_reason", std::string_view(r.analyze.backend_reason));
  visit("analyze.device", std::string_view(r.analyze.device));
  visit("analyze.plan_source", std::string_view(name_of(r.analyze.plan_source)));
  visit("factor.form", std::string_view(name_of(r.factor.form)));
  visit("factor.status", std::string_view(name_of(r.factor.status)));
}

}  // namespace

double report_number(const Reports& reports, std::string_view name) {
  std::optional<double> found;
  for_each_number(reports, [&](const char* candidate, double value) {
    if (name == candidate) found = value;
  });
  if (!found) fail<InvalidInput>("the reports have no number '{}'", name);
  return *found;
}

std::string report_text(const Reports& reports, std::string_view name) {
  std::optional<std::string> found;
  for_each_text(reports, [&](const char* candidate, std::string_view value) {
    if (name == candidate) found = value;
  });
  if (!found) fail<InvalidInput>("the reports have no text '{}'", name);
  return *std::move(found);
}

const char* report_number_name(int i) {
  const char* found = nullptr;
  for_each_number(Reports(), [&](const char* name, double) {
    if (i-- == 0) found = name;
  });
  return found;
}

const char* report_text_name(int i) {
  const char* found = nullptr;
  for_each_text(Reports(), [&](const char* name, std::string_view) {
    if (i-- == 0) found = name;
  });
  return found;
}

}  // namespace gpusupernodal::c
