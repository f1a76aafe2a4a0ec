#include <cstdlib>

#include "solver/api/cost_file.hpp"

namespace gpusupernodal {

std::string cost_model_path() {
  const char* const path = std::getenv("GPUSUPERNODAL_COST_MODEL");
  return path == nullptr ? "" : path;
}

CostFigures cost_figures_for(const std::string& device) {
  CostFigures figures;
  const DeviceFigures of_device = device_figures_of(device);
  figures.cuda = of_device.cuda;
  figures.launch = of_device.launch;
  const std::string path = cost_model_path();
  return path.empty() ? figures : read_cost_file(path, figures);
}

}  // namespace gpusupernodal
