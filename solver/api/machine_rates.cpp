#include <algorithm>

#include "base/thread_team.hpp"
#include "gpusupernodal/info.hpp"
#include "solver/api/cost_file.hpp"
#include "solver/api/product_figures_file.hpp"
#include "solver/common/format.hpp"
#include "solver/sparse/format_model.hpp"

namespace gpusupernodal {
namespace {

/// MachineRates::source.
/// `is_built_in`: whether the figures of factorizations are built in, because there is no file or it has no others.
std::string source_of(const std::string& built_in, bool is_built_in, const FoundProductFigures& products) {
  const std::string source = is_built_in ? built_in : fmt::format("the file {}", cost_model_path());
  return source == products.source ? source : fmt::format("{}; for products, {}", source, products.source);
}

}  // namespace

MachineRates machine_rates(Backend backend, int threads, const std::string& device) {
  const CostFigures figures = cost_figures_for(device);
  const FoundProductFigures found = found_product_figures(backend, device);
  const MachineFigures products = found.figures ? found.figures->machine : machine_figures(backend);
  MachineRates rates;
  rates.product_bytes_per_second = products.memory_rate;
  rates.cache_bytes_per_second = products.cache_rate;
  rates.cache_bytes = products.cache_bytes;
  if (backend == Backend::cuda) {
    rates.flops_per_second = figures.cuda.flops_per_second;
    rates.solve_bytes_per_second = figures.cuda.solve_bytes_per_second;
    const CudaFigures built_in = device_figures_of(device).cuda;
    rates.source = source_of(built_in == CudaFigures() ? "an NVIDIA H200" : "low figures for a device that was not measured",
                             figures.cuda == built_in, found);
    return rates;
  }
  const int workers = worker_count(threads);
  rates.cache_bytes_per_second *= workers;
  if (products.thread_rate > 0.0)
    rates.product_bytes_per_second = std::min(products.memory_rate, products.thread_rate * workers);
  rates.flops_per_second = figures.host.flops_per_second * workers;
  rates.solve_bytes_per_second =
      std::min(figures.host.solve_shared_bytes_per_second, figures.host.solve_bytes_per_second * workers);
  rates.source = source_of("a server with 16 cores", figures.host == HostFigures(), found);
  return rates;
}

}  // namespace gpusupernodal
