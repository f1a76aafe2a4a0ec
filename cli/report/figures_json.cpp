#include "cli/report/figures_json.hpp"

#include <cmath>

#include "gpusupernodal/names.hpp"

namespace gpusupernodal::cli {
namespace {

Json part_json(const Part& part) { return {{"complete", part.is_complete}, {"note", part.note}}; }

Json matrix_part(const ReportFigures& f) {
  const MatrixFigures& m = f.matrix;
  return {{"name", m.name},         {"n", m.n}, {"nnz", m.entries}, {"symmetric", m.is_symmetric}, {"kind", m.kind},
          {"form", name_of(m.form)}};
}

Json machine_json(const ReportFigures& f) {
  const MachineDescription& m = f.machine;
  Json backends = Json::array();
  for (const BackendInfo& b : m.backends)
    backends.push_back({{"name", b.name}, {"available", b.available}, {"reason", b.reason}, {"devices", b.devices}});
  return {{"processor", m.processor}, {"threads", m.threads}, {"memory_bytes", m.memory_bytes},
          {"backends", backends},     {"version", version()}, {"date", m.date}};
}

Json pattern_json(const PatternFigures& f) {
  Json json = part_json(f);
  json["cells"] = f.cells;
  json["largest"] = f.largest;
  json["given"] = f.given;
  json["eliminated"] = f.eliminated;
  Json bins = Json::array();
  for (const RowLengthBin& bin : f.rows.bins) bins.push_back({{"from", bin.from}, {"to", bin.to}, {"rows", bin.rows}});
  json["rows"] = {{"shortest", f.rows.shortest}, {"longest", f.rows.longest}, {"mean", f.rows.mean}, {"bins", bins}};
  return json;
}

Json tree_json(const TreeLevels& tree) {
  Json levels = Json::array(), largest = Json::array();
  for (const TreeLevel& level : tree.levels) {
    levels.push_back({{"supernodes", level.supernodes},
                      {"columns", level.columns},
                      {"smallest_front", level.smallest_front},
                      {"largest_front", level.largest_front},
                      {"flops", level.flops}});
  }
  for (const Front& front : tree.largest) {
    largest.push_back({{"supernode", front.supernode},
                       {"level", front.level},
                       {"columns", front.columns},
                       {"rows", front.rows()},
                       {"flops", front.flops}});
  }
  return {{"levels", levels}, {"largest", largest}};
}

Json analysis_json(const AnalysisFigures& f) {
  Json json = part_json(f);
  if (!f.is_complete) return json;
  json.update(to_json(f.report));
  json["tree"] = tree_json(f.tree);
  return json;
}

Json orderings_json(const OrderingsFigures& f) {
  Json json = part_json(f);
  json["candidates"] = Json::array();
  for (const OrderingFigures& o : f.candidates) {
    json["candidates"].push_back({{"ordering", name_of(o.ordering)},
                                  {"chosen", o.is_chosen},
                                  {"nnz_l", o.nonzeros_l},
                                  {"flops", o.flops},
                                  {"memory_bytes", o.memory_bytes},
                                  {"seconds", o.seconds}});
  }
  return json;
}

Json direct_json(const ReportFigures& f) {
  const DirectFigures& d = f.direct;
  Json json = part_json(d);
  json["status"] = name_of(d.factor.status);
  if (!d.is_complete) return json;
  json.update({{"analyze_seconds", d.analyze_seconds},
               {"factorize_seconds", d.factorize_seconds},
               {"refactorize_seconds", d.refactorize_seconds},
               {"solve_seconds", d.solve_seconds},
               {"backward_error", d.backward_error}});
  if (d.reciprocal_condition >= 0.0) json["reciprocal_condition"] = d.reciprocal_condition;
  json.update(pivots_json(d.factor, f.matrix.form));
  json["regimes"] = Json::array();
  for (const RegimeReport& regime : d.factor.regimes) {
    if (regime.seconds <= 0.0) continue;
    json["regimes"].push_back({{"regime", regime.name}, {"flops", regime.flops}, {"busy_seconds", regime.seconds}});
  }
  return json;
}

Json spectrum_json(const SpectrumFigures& f) {
  Json json = part_json(f);
  if (!f.is_complete) return json;
  const RitzPair& last = f.steps.back();
  json["of"] = f.of;
  json["smallest"] = last.smallest;
  json["largest"] = last.largest;
  json["condition"] = last.smallest > 0.0 ? Json(last.largest / last.smallest) : Json(nullptr);
  json["steps"] = Json::array();
  for (const RitzPair& step : f.steps) json["steps"].push_back({step.smallest, step.largest});
  return json;
}

Json formats_json(const FormatFigures& f) {
  Json json = part_json(f);
  if (!f.is_complete) return json;
  json.update({{"backend", name_of(f.report.backend)},
               {"kernel", f.report.kernel},
               {"padding", f.report.padding},
               {"memory_bytes", f.report.memory_bytes},
               {"product_bytes", f.report.product_bytes},
               {"product_seconds", f.product_seconds},
               {"analyze_seconds", f.report.analyze_seconds}});
  json["candidates"] = Json::array();
  for (const FormatCandidate& c : f.report.candidates) {
    json["candidates"].push_back({{"kernel", c.kernel},
                                  {"refusal", c.refusal},
                                  {"product_bytes", c.product_bytes},
                                  {"predicted_seconds", c.predicted_seconds},
                                  {"measured_seconds", c.measured_seconds}});
  }
  return json;
}

Json convergence_json(const ConvergenceFigures& f) {
  Json json = part_json(f);
  json["tolerance"] = f.tolerance;
  json["runs"] = Json::array();
  for (const PcgFigures& run : f.runs) {
    Json one = {{"preconditioner", run.preconditioner}};
    one.update(part_json(run));
    one.update({{"status", name_of(run.report.status)},
                {"iterations", run.report.iterations},
                {"analyze_seconds", run.analyze_seconds},
                {"setup_seconds", run.setup_seconds},
                {"again_seconds", run.again_seconds},
                {"solve_seconds", run.solve_seconds},
                {"backward_error", run.backward_error}});
    one["residuals"] = Json::array();
    for (const auto& [iteration, residual] : run.residuals) one["residuals"].push_back({iteration, residual});
    json["runs"].push_back(std::move(one));
  }
  return json;
}

Json roofline_json(const RooflineFigures& f) {
  Json json = part_json(f);
  if (!f.is_complete) return json;
  json["model"] = {{"flops_per_second", f.model.flops_per_second},
                   {"solve_bytes_per_second", f.model.solve_bytes_per_second},
                   {"product_bytes_per_second", f.model.product_bytes_per_second},
                   {"source", f.model.source}};
  json["measured"] = {{"flops_per_second", f.measured_flops_per_second}, {"bytes_per_second", f.measured_bytes_per_second}};
  json["points"] = Json::array();
  for (const RooflinePoint& p : f.points)
    json["points"].push_back({{"what", p.what}, {"flops", p.flops}, {"bytes", p.bytes}, {"seconds", p.seconds}});
  return json;
}

Json methods_json(const ReportFigures& f) {
  Json methods = Json::array();
  for (const MethodFigures& m : f.methods) {
    methods.push_back({{"method", m.method},
                       {"preconditioner", m.preconditioner},
                       {"analyze_seconds", m.analyze_seconds},
                       {"first_seconds", m.first_seconds},
                       {"again_seconds", m.again_seconds},
                       {"solve_seconds", m.solve_seconds},
                       {"backward_error", m.backward_error},
                       {"paste",
                        {{"petsc", m.paste.petsc},
                         {"eigen", m.paste.eigen},
                         {"cpp", m.paste.cpp},
                         {"python", m.paste.python},
                         {"command", m.paste.command}}}});
  }
  return methods;
}

Json choices_json(const ReportFigures& f) {
  Json choices = Json::array();
  for (const bool new_values : {false, true}) {
    for (const double solves : {1.0, 10.0, 100.0, 1000.0, 10000.0}) {
      const std::size_t best = fastest(f.methods, solves, new_values);
      if (best == f.methods.size()) continue;
      const MethodFigures& method = f.methods[best];
      choices.push_back({{"solves", static_cast<std::int64_t>(solves)},
                         {"new_values", new_values},
                         {"method", method.method},
                         {"preconditioner", method.preconditioner},
                         {"seconds", method.total(solves, new_values)}});
    }
  }
  return choices;
}

}  // namespace

Json to_json(const ReportFigures& f) {
  Json memory = Json::array();
  for (const MemoryFigure& m : f.memory) memory.push_back({{"what", m.what}, {"bytes", m.bytes}});
  return {{"format", 1},
          {"matrix", matrix_part(f)},
          {"machine", machine_json(f)},
          {"pattern", pattern_json(f.pattern)},
          {"analysis", analysis_json(f.analysis)},
          {"orderings", orderings_json(f.orderings)},
          {"direct", direct_json(f)},
          {"spectrum", spectrum_json(f.spectrum)},
          {"formats", formats_json(f.formats)},
          {"convergence", convergence_json(f.convergence)},
          {"roofline", roofline_json(f.roofline)},
          {"memory", memory},
          {"methods", methods_json(f)},
          {"choices", choices_json(f)},
          {"limit_seconds", f.limit_seconds},
          {"read_seconds", f.read_seconds},
          {"total_seconds", f.total_seconds}};
}

}  // namespace gpusupernodal::cli
