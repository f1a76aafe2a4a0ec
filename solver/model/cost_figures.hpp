#pragma once

/// \file
/// Figures of a machine that the cost model counts with; bench/fit_cost_model measures them.

#include <string>
#include <string_view>

namespace gpusupernodal {

/// What the host takes. The defaults were fitted on 16 threads of an Intel Xeon (bench/notebook/cost-model.md).
struct HostFigures {
  double flops_per_second = 5.1e10;               ///< Of a thread, in large products of doubles; twice that of floats.
  double seconds_per_value = 1.7e-9;              ///< Of L, by a thread, beside its flops.
  double seconds_per_update = 2.2e-8;             ///< By a thread.
  double seconds_per_supernode = 9.0e-9;          ///< By a thread.
  double seconds_per_worker = 3.2e-5;             ///< To wake one more and wait for it.
  double shared_seconds_per_value = 4.1e-10;      ///< Of L, however many threads: the memory that they share.
  double seconds_fixed = 2.6e-7;                  ///< Of a factorization.
  double solve_bytes_per_second = 1.1e11;         ///< Of L, by a thread.
  double solve_shared_bytes_per_second = 1.8e11;  ///< Of L, by all threads.
  double solve_seconds_fixed = 8.2e-8;            ///< Of a solve.
  double solve_seconds_per_row = 1.9e-8;          ///< Of b and x, by a thread.
  double solve_seconds_per_doubling = 3.8e-5;     ///< To have twice as many threads.

  bool operator==(const HostFigures&) const = default;
};

/// What a CUDA device takes. The defaults were fitted on an NVIDIA H200.
struct CudaFigures {
  double flops_per_second = 5.3e13;                ///< In large products.
  double bytes_per_second = 3.4e11;                ///< Of L: zeroing, assembling, adding up.
  double seconds_per_level = 2.7e-6;               ///< Of a factorization: its launches, one after the other.
  double seconds_per_column = 2.7e-7;              ///< Of the longest path.
  double seconds_fixed = 2.9e-5;                   ///< Of a factorization.
  double solve_bytes_per_second = 5.7e12;          ///< Of L, which is read twice.
  double solve_seconds_per_step = 2.0e-6;          ///< One after the other.
  double solve_seconds_fixed = 3.4e-5;             ///< Of a solve.
  double transfer_bytes_per_second = 8.5e9;        ///< Of A's values, from pageable memory of the host.
  double solve_transfer_bytes_per_second = 4.8e9;  ///< Of b and x, from and to such memory.

  bool operator==(const CudaFigures&) const = default;
};

/// What a launch takes on a CUDA device: something however few tasks it has, and a share for each. The defaults were fitted
/// on an NVIDIA H200. A strip is 16 columns, of the widest front or block of a launch.
struct LaunchFigures {
  double tiny_seconds = 1.1e-5;  ///< Of fronts that a warp factorizes.
  double tiny_seconds_per_front = 4.2e-9;
  double small_seconds = 2.6e-6;  ///< Of fronts that a CTA factorizes.
  double small_seconds_per_strip = 2.9e-6;
  double small_seconds_per_front = 6.9e-8;
  double tasks_at_once = 264.0;  ///< As many blocks, or tiles of rows below them, take as long as one: two a multiprocessor.
  double diagonal_seconds = 5.6e-7;
  double diagonal_seconds_per_strip = 1.7e-6;
  double diagonal_seconds_per_block = 3.1e-8;
  double scale_seconds = 4.2e-6;
  double scale_seconds_per_strip = 3.8e-7;
  double scale_seconds_per_tile = 3.1e-8;
  double product_seconds = 3.0e-6;
  double product_seconds_per_column = 1.9e-8;  ///< Of the deepest tile.
  double product_seconds_per_tile = 1.5e-8;
  double product_columns_per_second = 6.6e9;  ///< Depths of all tiles added up.
  // What a value of L costs beside launches, by which merging pays for zeros. CudaFigures has such rates for whole
  // factorizations and solves; there they stand for the work of all launches, too, and for what lies in the cache.
  double bytes_per_second = 1.3e12;        ///< Of L: zeroing, assembling.
  double solve_bytes_per_second = 2.7e12;  ///< Of an L that is larger than the cache.

  bool operator==(const LaunchFigures&) const = default;
};

/// Of one device.
struct DeviceFigures {
  CudaFigures cuda;
  LaunchFigures launch;
};

/// The record of a device, by how it is described ("0: NVIDIA H200, compute capability 9.0, 139.7 GiB"): by its name, else
/// by its compute capability, and cautious figures for all others: a device that is taken for too slow costs less than one
/// that is taken for too fast.
DeviceFigures device_figures_of(std::string_view device);

/// Names of the devices that have been measured, for messages: "H200, H100".
std::string measured_devices();
/// Whether `name` is one of them.
bool is_measured_device(std::string_view name);
/// The device that plans are made for where none is found and none is named.
inline constexpr std::string_view default_device = "H200";

/// Of one machine.
struct CostFigures {
  HostFigures host;
  CudaFigures cuda;
  LaunchFigures launch;

  bool operator==(const CostFigures&) const = default;
};

/// Calls visit(name, value) for every figure: what files hold and what is fitted. `Figures` is HostFigures or CudaFigures,
/// constant or not.
template <class Figures, class Visit>
void for_each_host_figure(Figures& f, const Visit& visit) {
  visit("flops_per_second", f.flops_per_second);
  visit("seconds_per_value", f.seconds_per_value);
  visit("seconds_per_update", f.seconds_per_update);
  visit("seconds_per_supernode", f.seconds_per_supernode);
  visit("seconds_per_worker", f.seconds_per_worker);
  visit("shared_seconds_per_value", f.shared_seconds_per_value);
  visit("seconds_fixed", f.seconds_fixed);
  visit("solve_bytes_per_second", f.solve_bytes_per_second);
  visit("solve_shared_bytes_per_second", f.solve_shared_bytes_per_second);
  visit("solve_seconds_fixed", f.solve_seconds_fixed);
  visit("solve_seconds_per_row", f.solve_seconds_per_row);
  visit("solve_seconds_per_doubling", f.solve_seconds_per_doubling);
}
template <class Figures, class Visit>
void for_each_cuda_figure(Figures& f, const Visit& visit) {
  visit("flops_per_second", f.flops_per_second);
  visit("bytes_per_second", f.bytes_per_second);
  visit("seconds_per_level", f.seconds_per_level);
  visit("seconds_per_column", f.seconds_per_column);
  visit("seconds_fixed", f.seconds_fixed);
  visit("solve_bytes_per_second", f.solve_bytes_per_second);
  visit("solve_seconds_per_step", f.solve_seconds_per_step);
  visit("solve_seconds_fixed", f.solve_seconds_fixed);
  visit("transfer_bytes_per_second", f.transfer_bytes_per_second);
  visit("solve_transfer_bytes_per_second", f.solve_transfer_bytes_per_second);
}

template <class Figures, class Visit>
void for_each_launch_figure(Figures& f, const Visit& visit) {
  visit("tiny_seconds", f.tiny_seconds);
  visit("tiny_seconds_per_front", f.tiny_seconds_per_front);
  visit("small_seconds", f.small_seconds);
  visit("small_seconds_per_strip", f.small_seconds_per_strip);
  visit("small_seconds_per_front", f.small_seconds_per_front);
  visit("tasks_at_once", f.tasks_at_once);
  visit("diagonal_seconds", f.diagonal_seconds);
  visit("diagonal_seconds_per_strip", f.diagonal_seconds_per_strip);
  visit("diagonal_seconds_per_block", f.diagonal_seconds_per_block);
  visit("scale_seconds", f.scale_seconds);
  visit("scale_seconds_per_strip", f.scale_seconds_per_strip);
  visit("scale_seconds_per_tile", f.scale_seconds_per_tile);
  visit("product_seconds", f.product_seconds);
  visit("product_seconds_per_column", f.product_seconds_per_column);
  visit("product_seconds_per_tile", f.product_seconds_per_tile);
  visit("product_columns_per_second", f.product_columns_per_second);
  visit("bytes_per_second", f.bytes_per_second);
  visit("solve_bytes_per_second", f.solve_bytes_per_second);
}

}  // namespace gpusupernodal
