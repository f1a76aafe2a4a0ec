/// \file
/// What the cost model expects of several CUDA devices, without any: prints a JSON line for each matrix and number of
/// devices, with the expected time of a factorization as a part of that on one device, and the memory of each device.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpusupernodal/gpusupernodal.hpp"
#include "io/symmetric_matrix.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/cuda/plan/devices_plan.hpp"
#include "solver/plan/factor_plan.hpp"

namespace {

using namespace gpusupernodal;

nlohmann::json expectation(const FactorPlan& plan, Options options, int devices) {
  options.devices.assign(static_cast<std::size_t>(devices), 0);
  const std::shared_ptr<const DevicesPlan> divided = plan_devices(plan, options, ScalarType::real_double);
  const PartMap& map = divided->map->parts;
  const MemoryRequest request = memory_request(options, ScalarType::real_double);
  nlohmann::json line{{"devices", devices}, {"of_one", map.seconds / map.seconds_of_one}};
  for (const auto& of_device : divided->plans) line["bytes"].push_back(of_device->memory(request).total());
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What the cost model expects of several devices");
  std::vector<std::string> names;
  std::vector<int> counts{1, 2, 4, 8};
  std::string profile = "H200";
  app.add_option("matrices", names, "files, or generated matrices as lap3d:60")->required();
  app.add_option("--devices", counts, "numbers of devices (default 1,2,4,8)")->delimiter(',');
  app.add_option("--device-profile", profile, "kind of the devices (default H200)");
  CLI11_PARSE(app, argc, argv);
  Options options;
  options.backend = Backend::cuda;
  options.device_profile = profile;
  for (const std::string& name : names) {
    const io::SymmetricMatrix a = io::load(name);
    const Preview preview = Solver<double>::preview(a.view(), options);
    for (const int devices : counts) {
      nlohmann::json line = expectation(*preview.plan, options, devices);
      line["matrix"] = name;
      line["n"] = a.n;
      line["bytes_of_one"] = preview.report.memory.total();
      std::printf("%s\n", line.dump().c_str());
      std::fflush(stdout);
    }
  }
  return 0;
}
