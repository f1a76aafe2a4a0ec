#include <cstdlib>

#include "solver/api/cost_file.hpp"

namespace gpusupernodal {

CostFigures cost_figures_for(const std::string& device) {
  CostFigures figures;
  const DeviceFigures of_device = device_figures_of(device);
  figures.cuda = of_device.cuda;
  figures.launch = of_device.launch;
  const char* const path = std::getenv("GPUSUPERNODAL_COST_MODEL");
  return path == nullptr || *path == '\0' ? figures : read_cost_file(path, figures);
}

}  // namespace gpusupernodal
