#include "solver/api/cost_file.hpp"

#include "solver/api/cost_json.hpp"

namespace gpusupernodal {

CostFigures read_cost_file(const std::string& path, const CostFigures& defaults) {
  const nlohmann::json json = parse_cost_file(path);
  CostFigures figures = defaults;
  read_figures(path, json, "host", [&](const auto& visit) { for_each_host_figure(figures.host, visit); });
  read_figures(path, json, "cuda", [&](const auto& visit) { for_each_cuda_figure(figures.cuda, visit); });
  read_figures(path, json, "launch", [&](const auto& visit) { for_each_launch_figure(figures.launch, visit); });
  return figures;
}

}  // namespace gpusupernodal
