#pragma once

/// \file
/// The cost model's figures of a machine; bench/fit_cost_model measures them.

#include <string>
#include <string_view>

namespace gpusupernodal {

/// Rates of the host. The defaults were fitted on 16 threads of an Intel Xeon (bench/notebook/cost-model.md).
struct HostFigures {
  double flops_per_second = 5.1e10;               ///< Per thread, in large products of doubles; floats are twice as fast.
  double seconds_per_value = 1.7e-9;              ///< Thread time per value of L, besides its flops.
  double seconds_per_update = 2.2e-8;             ///< Thread time per update of a supernode by another.
  double seconds_per_supernode = 9.0e-9;          ///< Thread time per supernode.
  double seconds_per_worker = 3.2e-5;             ///< To wake an additional worker and wait for it.
  double shared_seconds_per_value = 4.1e-10;      ///< Per double of L on any number of threads: the shared memory bandwidth.
  double seconds_fixed = 2.6e-7;                  ///< Per factorization.
  double solve_bytes_per_second = 1.1e11;         ///< Bytes of L that one thread reads.
  double solve_shared_bytes_per_second = 1.8e11;  ///< Bytes of L that all threads read together.
  double solve_seconds_fixed = 8.2e-8;            ///< Per solve.
  double solve_seconds_per_row = 1.9e-8;          ///< Thread time per row of b and x.
  double solve_seconds_per_doubling = 3.8e-5;     ///< For each doubling of the number of workers.

  bool operator==(const HostFigures&) const = default;
};

/// Rates of a CUDA device. The defaults were fitted on an NVIDIA H200.
struct CudaFigures {
  double flops_per_second = 5.3e13;                ///< In large products.
  double bytes_per_second = 3.4e11;                ///< Bytes of L: zeroing, assembly, adding updates.
  double seconds_per_level = 2.7e-6;               ///< Per level of a factorization: its sequential launches.
  double seconds_per_column = 2.7e-7;              ///< Per column of the longest path.
  double seconds_fixed = 2.9e-5;                   ///< Per factorization.
  double solve_bytes_per_second = 5.7e12;          ///< Bytes of L, which a solve reads twice.
  double solve_seconds_per_step = 2.0e-6;          ///< Per task on the longest chain of dependent tasks.
  double solve_seconds_fixed = 3.4e-5;             ///< Per solve.
  double transfer_bytes_per_second = 8.5e9;        ///< A's values from pageable host memory.
  double solve_transfer_bytes_per_second = 4.8e9;  ///< b from and x to pageable host memory.

  bool operator==(const CudaFigures&) const = default;
};

/// Time of a launch on a CUDA device: a fixed part, and a part per task. The defaults were fitted on an NVIDIA H200. A strip
/// is 16 columns of the widest front or block of the launch.
struct LaunchFigures {
  double tiny_seconds = 1.1e-5;  ///< Launch of tiny fronts, each factorized by one warp.
  double tiny_seconds_per_front = 4.2e-9;
  double small_seconds = 2.6e-6;  ///< Launch of small fronts, each factorized by one CTA.
  double small_seconds_per_strip = 2.9e-6;
  double small_seconds_per_front = 6.9e-8;
  double tasks_at_once = 264.0;  ///< Diagonal blocks or row tiles that run concurrently: two per multiprocessor.
  double diagonal_seconds = 5.6e-7;
  double diagonal_seconds_per_strip = 1.7e-6;
  double diagonal_seconds_per_block = 3.1e-8;
  double scale_seconds = 4.2e-6;
  double scale_seconds_per_strip = 3.8e-7;
  double scale_seconds_per_tile = 3.1e-8;
  double product_seconds = 3.0e-6;
  double product_seconds_per_column = 1.9e-8;  ///< Per column of depth of the deepest tile.
  double product_seconds_per_tile = 1.5e-8;
  double product_columns_per_second = 6.6e9;  ///< Sum of the depths of all tiles.
  double run_seconds = 1.0e-5;                ///< Launch of a run of levels, in which fronts wait for their children.
  double run_seconds_per_front = 4.5e-6;      ///< For each front on the longest path of the run.
  double run_seconds_per_strip = 2.5e-6;      ///< For each strip on that path; a narrow front has half a strip.
  double run_ctas = 90.0;                     ///< CTAs that run concurrently, each as fast as one alone.
  // Rates by which merging prices explicit zeros: the cost of a value of L besides launches. The rates of the same names in
  // CudaFigures are for whole factorizations and solves; they include the work of all launches and the effect of the cache.
  double bytes_per_second = 1.3e12;        ///< Bytes of L: zeroing, assembly.
  double solve_bytes_per_second = 2.7e12;  ///< Bytes of an L that is larger than the cache.

  bool operator==(const LaunchFigures&) const = default;
};

/// Figures of one device.
struct DeviceFigures {
  CudaFigures cuda;
  LaunchFigures launch;
};

/// Figures of a device, looked up in its description ("0: NVIDIA H200, compute capability 9.0, 139.7 GiB") by name, else by
/// compute capability. Other devices get low figures, because underestimating a device costs less than overestimating it.
DeviceFigures device_figures_of(std::string_view device);

/// Names of the measured devices, for messages: "H200, H100".
std::string measured_devices();
/// Whether `name` is the name of a measured device.
bool is_measured_device(std::string_view name);
/// The device that plans assume if none is found and none is named.
inline constexpr std::string_view default_device = "H200";

/// Figures of one machine.
struct CostFigures {
  HostFigures host;
  CudaFigures cuda;
  LaunchFigures launch;

  bool operator==(const CostFigures&) const = default;
};

/// Calls visit(name, value) for every host figure, to write, read or fit figures. `Figures` is HostFigures, const or not.
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
  visit("run_seconds", f.run_seconds);
  visit("run_seconds_per_front", f.run_seconds_per_front);
  visit("run_seconds_per_strip", f.run_seconds_per_strip);
  visit("run_ctas", f.run_ctas);
  visit("bytes_per_second", f.bytes_per_second);
  visit("solve_bytes_per_second", f.solve_bytes_per_second);
}

}  // namespace gpusupernodal
