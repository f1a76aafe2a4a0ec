#include <algorithm>
#include <cstdlib>

#include "base/thread_team.hpp"
#include "gpusupernodal/info.hpp"
#include "solver/api/cost_file.hpp"
#include "solver/common/format.hpp"
#include "solver/sparse/format_model.hpp"

namespace gpusupernodal {
namespace {

/// The end of MachineRates::source. Products have figures in the code only.
std::string source_of(const std::string& defaults) {
  const char* const file = std::getenv("GPUSUPERNODAL_COST_MODEL");
  return file == nullptr || *file == '\0' ? defaults : fmt::format("the file {}; for products, {}", file, defaults);
}

}  // namespace

MachineRates machine_rates(Backend backend, int threads, const std::string& device) {
  const CostFigures figures = cost_figures_for(device);
  const MachineFigures products = machine_figures(backend);
  MachineRates rates;
  rates.product_bytes_per_second = products.memory_rate;
  rates.cache_bytes_per_second = products.cache_rate;
  rates.cache_bytes = products.cache_bytes;
  if (backend == Backend::cuda) {
    rates.flops_per_second = figures.cuda.flops_per_second;
    rates.solve_bytes_per_second = figures.cuda.solve_bytes_per_second;
    const bool known = device_figures_of(device).cuda == CudaFigures();
    rates.source = source_of(known ? "an NVIDIA H200" : "low figures for a device that was not measured");
    return rates;
  }
  const int workers = worker_count(threads);
  rates.flops_per_second = figures.host.flops_per_second * workers;
  rates.solve_bytes_per_second =
      std::min(figures.host.solve_shared_bytes_per_second, figures.host.solve_bytes_per_second * workers);
  rates.source = source_of("a server with 16 cores");
  return rates;
}

}  // namespace gpusupernodal
