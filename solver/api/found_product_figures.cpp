#include <functional>

#include "base/processor_name.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/api/cost_file.hpp"
#include "solver/api/product_figures_file.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/backend/executor.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

/// machine() is called only if a file is named: it reads files of the system, or asks a device.
FoundProductFigures found_figures(Backend backend, const std::function<std::string()>& machine) {
  const std::string built_in = built_in_figures_source(backend), path = cost_model_path();
  if (path.empty()) return {nullptr, built_in};
  try {
    return {std::make_shared<const ProductFigures>(read_product_figures(path, backend, machine())),
            fmt::format("the file {}", path)};
  } catch (const InvalidInput& error) {
    return {nullptr, fmt::format("{}, because {}", built_in, error.what())};
  }
}

/// The name without the device's number, which differs from machine to machine.
std::string without_number(const std::string& device) {
  const std::size_t colon = device.find(": ");
  return colon == std::string::npos ? device : device.substr(colon + 2);
}

const std::string& processor() {
  static const std::string name = processor_name();
  return name;
}

}  // namespace

std::string product_machine(Backend backend, int device) {
  if (backend != Backend::cuda) return processor();
  const std::vector<std::string> devices = cuda_availability().devices;
  const auto wanted = static_cast<std::size_t>(device < 0 ? current_device() : device);
  return wanted < devices.size() ? without_number(devices[wanted]) : "";
}

FoundProductFigures found_product_figures(Backend backend, int device) {
  return found_figures(backend, [&] { return product_machine(backend, device); });
}

FoundProductFigures found_product_figures(Backend backend, const std::string& device) {
  return found_figures(backend, [&] { return backend == Backend::cuda ? without_number(device) : processor(); });
}

}  // namespace gpusupernodal
