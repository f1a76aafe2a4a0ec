#pragma once

/// \file
/// What ran where and when: slices of time in lanes, which JSON for Perfetto is made of.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "solver/factor/regime.hpp"

namespace gpusupernodal {

/// Kinds of lanes: a process each in Perfetto.
enum class TraceGroup : std::uint8_t {
  calls,           ///< Calls of the solver, one lane.
  threads,         ///< Tasks of the host, a lane a worker.
  streams,         ///< Launches of CUDA, a lane a stream.
  multiprocessors  ///< Sampled CTAs, lanes_a_multiprocessor lanes each.
};

/// Lanes of one multiprocessor: CTAs that run at the same time are in different ones.
inline constexpr std::int32_t lanes_a_multiprocessor = 64;

/// Something that ran; times are nanoseconds since the trace's origin.
struct TraceSlice {
  const char* name = "";  ///< Lives as long as the program.
  TraceGroup group = TraceGroup::calls;
  Regime regime = Regime::none;
  std::int32_t lane = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t task = -1;       ///< Number of the task in its graph, or of tasks in a launch; −1: does not apply.
  std::int64_t supernode = -1;  ///< Likewise.
  double flops = 0.0;
};

/// Slices of the last factorization and of later calls. Each writer has a separate list, so writers need no lock. Other
/// members may be called only while no writer is active. Full lists drop later slices.
class Trace {
 public:
  /// Writers 0 … writers−1.
  explicit Trace(int writers) : lists_(static_cast<std::size_t>(writers)), origin_(Clock::now()) {}

  /// Nanoseconds since the construction.
  std::int64_t now() const { return std::chrono::nanoseconds(Clock::now() - origin_).count(); }
  void add(int writer, const TraceSlice& slice);
  void clear();
  /// All slices, by group, lane and begin.
  std::vector<TraceSlice> slices() const;
  std::int64_t left_out() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct alignas(128) List {  // A cache line and its neighbour each, so that writers do not share one.
    std::vector<TraceSlice> slices;
    std::int64_t left_out = 0;
  };
  std::vector<List> lists_;
  Clock::time_point origin_;
};

/// Runs `work` and adds a slice with its times to the trace, if there is one. `slice` has all but the times.
template <class Work>
void traced(Trace* trace, int writer, TraceSlice slice, const Work& work) {
  if (trace == nullptr) {
    work();
    return;
  }
  slice.begin = trace->now();
  work();
  slice.end = trace->now();
  trace->add(writer, slice);
}

/// The slice of a call of the solver, without its times.
inline TraceSlice call_slice(const char* name) {
  TraceSlice slice;
  slice.name = name;
  return slice;
}

/// Chrome's trace-event format: an object with complete events ("X") and the names of processes and lanes. Timestamps are
/// microseconds with three decimals, so slices that do not overlap in nanoseconds do not overlap in the text.
std::string trace_json(const Trace& trace);

/// Seconds in which at least one slice of `regime` ran.
double busy_seconds(const std::vector<TraceSlice>& slices, Regime regime);

/// Puts overlapping slices of one multiprocessor (their lane) into separate lanes: lane·lanes_a_multiprocessor + k with the
/// smallest free k. Slices without a free lane are dropped. Cost O(n log n).
std::vector<TraceSlice> spread_over_lanes(std::vector<TraceSlice> slices);

}  // namespace gpusupernodal
