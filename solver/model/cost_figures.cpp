#include "solver/model/cost_figures.hpp"

#include <algorithm>
#include <array>

namespace gpusupernodal {
namespace {

/// Figures of an unmeasured device: half the double-precision rate of small data-center devices, more than that of most
/// others. The fixed times of launches keep their measured values, because they differ less between devices.
DeviceFigures unknown_device() {
  DeviceFigures figures;
  figures.cuda.flops_per_second = 3e12;
  figures.cuda.bytes_per_second = 1e11;
  figures.cuda.solve_bytes_per_second = 4e11;
  constexpr double slower = 16.0;
  LaunchFigures& launch = figures.launch;
  launch.tasks_at_once /= 4.0;
  launch.run_ctas /= 4.0;
  launch.bytes_per_second = figures.cuda.bytes_per_second;
  launch.solve_bytes_per_second = figures.cuda.solve_bytes_per_second;
  for (double* share : {&launch.tiny_seconds_per_front, &launch.small_seconds_per_front, &launch.diagonal_seconds_per_block,
                        &launch.scale_seconds_per_tile, &launch.product_seconds_per_tile}) {
    *share *= slower;
  }
  launch.product_columns_per_second /= slower;
  return figures;
}

struct DeviceRecord {
  std::string_view part_of_name;
  DeviceFigures figures;
};

/// Searched in order for the first record whose `part_of_name` occurs in the device's description. Names precede compute
/// capabilities.
const std::array<DeviceRecord, 3>& device_records() {
  static const std::array<DeviceRecord, 3> records{
      {{"H200", DeviceFigures()},
       {"H100", DeviceFigures()},  // Has the chip of the H200, with slower memory.
       {"compute capability 9.0", DeviceFigures()}}};
  return records;
}

constexpr std::array<std::string_view, 2> measured_names{"H200", "H100"};

}  // namespace

std::string measured_devices() {
  std::string names;
  for (const std::string_view name : measured_names) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

bool is_measured_device(std::string_view name) {
  return std::find(measured_names.begin(), measured_names.end(), name) != measured_names.end();
}

DeviceFigures device_figures_of(std::string_view device) {
  const auto& records = device_records();
  const auto found = std::find_if(records.begin(), records.end(), [&](const DeviceRecord& record) {
    return device.find(record.part_of_name) != std::string_view::npos;
  });
  return found != records.end() ? found->figures : unknown_device();
}

}  // namespace gpusupernodal
