#include "cli/json.hpp"

#include <iostream>
#include <utility>

#include "base/fmt.hpp"
#include "base/output_file.hpp"
#include "cli/print.hpp"
#include "gpusupernodal/names.hpp"

namespace gpusupernodal::cli {
namespace {

Json from_one(std::int64_t zero_based) { return zero_based < 0 ? Json(nullptr) : Json(zero_based + 1); }

Json memory_json(const MemoryEstimate& memory) {
  return {{"factor", memory.factor},
          {"index", memory.index},
          {"workspace", memory.workspace},
          {"total", memory.total()},
          {"host", memory.host}};
}

}  // namespace

Json matrix_json(const io::SymmetricMatrix& matrix) {
  return {{"matrix", matrix.name}, {"n", matrix.n}, {"nnz", full_nonzeros(matrix)}, {"nnz_lower", matrix.indices.size()}};
}

Json matrix_json(const io::GeneralMatrix& matrix) {
  return {{"matrix", matrix.name}, {"n", matrix.n}, {"nnz", full_nonzeros(matrix)}};
}

Json matrix_json(const io::ComplexMatrix& matrix) {
  return {{"matrix", matrix.name}, {"n", matrix.n}, {"nnz", full_nonzeros(matrix)}, {"scalar", "complex"}};
}

Json to_json(const AnalyzeReport& r) {
  Json steps = Json::array();
  for (const AnalysisStep& step : r.steps)
    steps.push_back({{"step", step.name}, {"seconds", step.seconds}, {"bytes", step.bytes}});
  Json json{{"ordering", name_of(r.ordering)},
            {"ordering_reason", r.ordering_reason},
            {"lu_schedule", name_of(r.lu_schedule)},
            {"plan_source", name_of(r.plan_source)},
            {"nnz_l", r.nonzeros_l},
            {"stored_l", r.stored_l},
            {"flops", r.flops},
            {"stored_flops", r.stored_flops},
            {"supernodes", r.supernodes},
            {"largest_width", r.largest_width},
            {"largest_front", r.largest_front},
            {"tree_height", r.tree_height},
            {"critical_path_flops", r.critical_path_flops},
            {"tasks", r.tasks},
            {"backend", name_of(r.backend)},
            {"backend_reason", r.backend_reason},
            {"device", r.device},
            {"memory_bytes", memory_json(r.memory)},
            {"analyze_seconds", r.seconds_total},
            {"ordering_seconds", r.seconds_ordering},
            {"symbolic_seconds", r.seconds_symbolic},
            {"analyze_steps", std::move(steps)}};
  for (const DeviceUse& use : r.devices)
    json["devices"].push_back({{"device", use.device}, {"memory_bytes", memory_json(use.memory)}, {"share", use.share}});
  return json;
}

Json to_json(const FactorReport& r) {
  Json json{{"status", name_of(r.status)},
            {"smallest_pivot", r.smallest_pivot},
            {"largest_pivot", r.largest_pivot},
            {"failed_column", from_one(r.failed_column)}};
  if (r.status == Status::non_finite_input) json["failed_row"] = from_one(r.failed_row);
  for (const RegimeReport& regime : r.regimes) {
    if (regime.seconds <= 0.0) continue;
    json["regimes"].push_back({{"regime", regime.name},
                               {"flops", regime.flops},
                               {"busy_seconds", regime.seconds},
                               {"gflops", regime.flops_per_second() * 1e-9}});
  }
  // JSON has no infinity or NaN, so the failed value is a string.
  if (r.status != Status::success) json["failed_value"] = fmt::format("{:.17g}", r.failed_value);
  return json;
}

Json pivots_json(const FactorReport& r, Form form) {
  if (form == Form::llt) return Json::object();
  Json json = {{"form", name_of(form)},
               {"perturbed_pivots", r.perturbed_pivots},
               {"repivoted", r.repivoted},
               {"growth", r.growth},
               {"probe_iterations", r.probe_iterations}};
  if (form != Form::ldlt) return json;
  json["inertia"] = {{"positive", r.inertia.positive}, {"negative", r.inertia.negative}, {"zero", r.inertia.zero}};
  json["inertia_exact"] = r.inertia_exact;
  json["null_pivots"] = Json::array();
  for (const std::int64_t column : r.null_pivots) json["null_pivots"].push_back(column + 1);
  return json;
}

Json to_json(const Failure& failure) { return {{"error", failure.sentence}, {"kind", name_of(failure.code)}}; }

void print_json(const Json& json) {
  // File names may hold arbitrary bytes, but JSON must be UTF-8.
  std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

TextOutput::TextOutput(std::string path) : path_(std::move(path)) {
  if (path_ == "-") return;
  file_ = std::make_unique<OutputFile>(path_);
  require(file_->error());
}

TextOutput::~TextOutput() = default;

void TextOutput::write(const std::string& text) {
  if (path_ == "-") {
    std::cout << text << '\n';
    return;
  }
  file_->write(text);
  file_->write("\n");
  require(file_->commit());
}

void TextOutput::require(std::error_code error) const {
  if (error) throw io::FileError(fmt::format("{}: cannot be written: {}.", path_, error.message()), __FILE__, __LINE__);
}

void write_text(const std::string& path, const std::string& text) { TextOutput(path).write(text); }

}  // namespace gpusupernodal::cli
