#include "solver/api/cost_file.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

using Json = nlohmann::json;

constexpr const char* format_name = "gpusupernodal cost model 1";

Json parse_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail<InvalidInput>("the cost model {} cannot be opened", path);
  Json json = Json::parse(file, nullptr, false);
  if (!json.is_object()) fail<InvalidInput>("the cost model {} is not a JSON object", path);
  if (json.value("format", Json()) != format_name)
    fail<InvalidInput>("the cost model {} has not the format '{}'", path, format_name);
  return json;
}

/// Reads one object's figures by `visit_all`, and refuses what is left over.
template <class VisitAll>
void read_figures(const std::string& path, const Json& json, const std::string& group, const VisitAll& visit_all) {
  if (!json.contains(group)) return;
  const Json& figures = json[group];
  if (!figures.is_object()) fail<InvalidInput>("the cost model {}: '{}' is not an object", path, group);
  std::set<std::string> known;
  visit_all([&](const std::string& name, double& value) {
    known.insert(name);
    if (!figures.contains(name)) return;
    const Json& found = figures[name];
    if (!found.is_number() || !(found.get<double>() > 0.0) || found.get<double>() > 1e300)
      fail<InvalidInput>("the cost model {}: '{}' of '{}' is not a positive number", path, name, group);
    value = found.get<double>();
  });
  for (const auto& item : figures.items()) {
    if (known.count(item.key()) == 0)
      fail<InvalidInput>("the cost model {}: '{}' has no figure '{}'", path, group, item.key());
  }
}

}  // namespace

CostFigures read_cost_file(const std::string& path, const CostFigures& defaults) {
  const Json json = parse_file(path);
  CostFigures figures = defaults;
  read_figures(path, json, "host", [&](const auto& visit) { for_each_host_figure(figures.host, visit); });
  read_figures(path, json, "cuda", [&](const auto& visit) { for_each_cuda_figure(figures.cuda, visit); });
  read_figures(path, json, "launch", [&](const auto& visit) { for_each_launch_figure(figures.launch, visit); });
  return figures;
}

}  // namespace gpusupernodal
