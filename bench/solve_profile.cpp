/// \file
/// Profiles a solve on a CUDA device from a trace, which makes the solve somewhat slower. Prints per kind of task the bytes
/// read and the times spent running and waiting, and the composition of the critical path.

#include <cuda_runtime_api.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "gpusupernodal/gpusupernodal.hpp"
#include "io/symmetric_matrix.hpp"
#include "solver/backend/executor.hpp"
#include "solver/backend/trace.hpp"
#include "solver/plan/factor_plan.hpp"

namespace {

using namespace gpusupernodal;

constexpr std::array<const char*, 10> kind_names{"whole_by_warp", "whole",           "diagonal",     "rows",
                                                 "columns",       "partial_columns", "last_columns", "warps",
                                                 "teams_of_two",  "teams_of_four"};

/// A task of a CTA with the times of its trace slice in ns; begin < 0 if the trace lacks it.
struct Timed {
  double bytes = 0.0;
  std::int64_t begin = -1;
  std::int64_t end = -1;
  std::int64_t ready = -1;    ///< End of the last predecessor.
  std::int64_t last_of = -1;  ///< The predecessor that ended last.
  std::int64_t before = -1;   ///< The previous task of the same lane.
};

double bytes_of(const SymbolicFactor& factor, const CudaSolveTask& task) {
  const double rows = task.row_end - task.row_begin;
  switch (task.kind) {
    case cuda::SolveKind::whole_by_warp:
    case cuda::SolveKind::whole:
      return 8.0 * factor.width(SupernodeId(task.supernode)) * factor.front(SupernodeId(task.supernode));
    case cuda::SolveKind::diagonal:
      return 8.0 * rows * task.width / 2.0;
    default:
      return 8.0 * rows * task.width;
  }
}

class Profile {
 public:
  Profile(const FactorPlan& plan, const CudaSolveSweep& sweep, const Trace& trace, const char* name)
      : sweep_(sweep), timed_(sweep.tasks.size()) {
    for (std::size_t t = 0; t < timed_.size(); ++t) {
      for_each_part(t, [&](const CudaSolveTask& part) { timed_[t].bytes += bytes_of(plan.symbolic, part); });
    }
    std::int64_t lane = -1;
    std::int64_t before = -1;
    for (const TraceSlice& slice : trace.slices()) {
      if (std::strcmp(slice.name, name) != 0 || slice.group != TraceGroup::multiprocessors) continue;
      if (slice.lane != lane) before = -1;
      lane = slice.lane;
      Timed& timed = timed_[static_cast<std::size_t>(slice.task)];
      timed.begin = slice.begin;
      timed.end = slice.end;
      timed.before = before;
      before = slice.task;
    }
    find_ready();
  }

  void print(const char* name) const {
    std::int64_t first = -1, last = 0, end_task = -1;
    double bytes = 0.0;
    for (std::size_t t = 0; t < timed_.size(); ++t) {
      const Timed& task = timed_[t];
      if (task.begin < 0) continue;
      if (first < 0 || task.begin < first) first = task.begin;
      if (task.end > last) {
        last = task.end;
        end_task = static_cast<std::int64_t>(t);
      }
      bytes += task.bytes;
    }
    const double span = static_cast<double>(last - first);
    fmt::print("{}: {} tasks, longest path {}, {:.1f} us, {:.1f} MB, {:.0f} GB/s\n", name, timed_.size(),
               sweep_.longest_path, span * 1e-3, bytes * 1e-6, bytes / span);
    print_kinds();
    print_timeline(first, last);
    print_chain(end_task);
  }

 private:
  template <class F>
  void for_each_part(std::size_t t, F f) const {
    const CudaSolveTask& task = sweep_.tasks[t];
    if (!is_group(task.kind)) return f(task);
    const auto [first, count] = group_of(task);
    for (std::int32_t i = first; i < first + count; ++i) f(sweep_.warp_tasks[static_cast<std::size_t>(i)]);
  }

  void find_ready() {
    std::vector<std::int64_t> reached(static_cast<std::size_t>(sweep_.counters), -1);
    std::vector<std::int64_t> by(reached.size(), -1);
    for (std::size_t t = 0; t < timed_.size(); ++t) {
      const auto wait_for = [&](std::int32_t counter) {
        if (counter < 0 || reached[static_cast<std::size_t>(counter)] <= timed_[t].ready) return;
        timed_[t].ready = reached[static_cast<std::size_t>(counter)];
        timed_[t].last_of = by[static_cast<std::size_t>(counter)];
      };
      for_each_part(t, [&](const CudaSolveTask& part) {
        wait_for(part.wait);
        wait_for(second_wait(part).also);
      });
      for_each_part(t, [&](const CudaSolveTask& part) {
        if (part.arrive < 0 || timed_[t].end <= reached[static_cast<std::size_t>(part.arrive)]) return;
        reached[static_cast<std::size_t>(part.arrive)] = timed_[t].end;
        by[static_cast<std::size_t>(part.arrive)] = static_cast<std::int64_t>(t);
      });
    }
  }

  void print_kinds() const {
    fmt::print("| kind | tasks | MB | run us | waited us | late us |\n|---|---|---|---|---|---|\n");
    for (std::size_t k = 0; k < kind_names.size(); ++k) {
      double count = 0, bytes = 0, run = 0, waited = 0, late = 0;
      for (std::size_t t = 0; t < timed_.size(); ++t) {
        const Timed& task = timed_[t];
        if (static_cast<std::size_t>(sweep_.tasks[t].kind) != k || task.begin < 0) continue;
        ++count;
        bytes += task.bytes;
        run += static_cast<double>(task.end - std::max(task.begin, task.ready));
        waited += static_cast<double>(std::max<std::int64_t>(0, task.ready - task.begin));
        late += task.ready >= 0 ? static_cast<double>(std::max<std::int64_t>(0, task.begin - task.ready)) : 0.0;
      }
      if (count > 0) {
        fmt::print("| {} | {} | {:.1f} | {:.2f} | {:.2f} | {:.2f} |\n", kind_names[k], count, bytes * 1e-6,
                   run / count * 1e-3, waited / count * 1e-3, late / count * 1e-3);
      }
    }
  }

  void print_timeline(std::int64_t first, std::int64_t last) const {
    constexpr int bins = 24;
    std::array<double, bins> bytes{};
    std::array<double, bins> running{};
    const double step = static_cast<double>(last - first) / bins;
    for (const Timed& task : timed_) {
      if (task.begin < 0) continue;
      const double begin = static_cast<double>(std::max(task.begin, task.ready) - first);
      const double end = std::max(begin + 1.0, static_cast<double>(task.end - first));
      for (int b = 0; b < bins; ++b) {
        const double inside = std::min(end, (b + 1) * step) - std::max(begin, b * step);
        if (inside <= 0.0) continue;
        bytes[static_cast<std::size_t>(b)] += task.bytes * inside / (end - begin);
        running[static_cast<std::size_t>(b)] += inside;
      }
    }
    fmt::print("GB/s over time:");
    for (const double b : bytes) fmt::print(" {:.0f}", b / step);
    fmt::print("\nrunning tasks:");
    for (const double r : running) fmt::print(" {:.0f}", r / step);
    fmt::print("\n");
  }

  /// Prints the critical path, followed backward from `task` to the task whose end let each one begin.
  void print_chain(std::int64_t task) const {
    std::array<double, kind_names.size()> run{};
    std::array<int, kind_names.size()> count{};
    double gap = 0.0;
    int by_lane = 0;
    while (task >= 0) {
      const Timed& timed = timed_[static_cast<std::size_t>(task)];
      const auto kind = static_cast<std::size_t>(sweep_.tasks[static_cast<std::size_t>(task)].kind);
      const bool waited = timed.ready >= timed.begin;
      const std::int64_t start = std::max(timed.begin, timed.ready);
      run[kind] += static_cast<double>(timed.end - start);
      ++count[kind];
      if (!waited) ++by_lane;
      const std::int64_t next = waited ? timed.last_of : timed.before;
      if (next >= 0)
        gap += static_cast<double>(std::max<std::int64_t>(0, start - timed_[static_cast<std::size_t>(next)].end));
      task = next;
    }
    fmt::print("chain:");
    for (std::size_t k = 0; k < run.size(); ++k) {
      if (count[k] > 0) fmt::print(" {} {} ({:.1f} us)", count[k], kind_names[k], run[k] * 1e-3);
    }
    fmt::print("; {} of them began when their CTA was free; gaps {:.1f} us\n\n", by_lane, gap * 1e-3);
  }

  const CudaSolveSweep& sweep_;
  std::vector<Timed> timed_;
};

void profile(const std::string& spec, int columns) {
  const io::SymmetricMatrix a = io::load(spec);
  Options options;
  options.backend = Backend::cuda;
  options.plan_cache = false;
  std::shared_ptr<const FactorPlan> plan;
  {
    Solver<double> solver(options);
    solver.analyze(a.view());
    plan = solver.plan();
  }
  ExecutorOptions settings;
  settings.trace = true;
  const auto executor = make_cuda_executor<double>(plan->cuda_plan(), settings);
  executor->factorization().reserve_right_hand_sides(columns);
  FactorInput<double> values;
  values.values = a.values.data();
  executor->factorization().factorize(values);
  const DenseView<double> x = executor->vectors().scratch(0, a.n, columns);
  const DenseView<const double> b(x.data, x.rows, x.cols, x.ld, x.space);
  cudaMemset2D(x.data, static_cast<std::size_t>(x.ld) * sizeof(double), 0, static_cast<std::size_t>(a.n) * sizeof(double),
               static_cast<std::size_t>(columns));
  executor->factorization().solve(SolveSteps(), b, x);
  const Trace* trace = executor->context().trace();
  fmt::print("{} with {} right-hand sides\n", spec, columns);
  const CudaSolvePlan& solve = plan->cuda().solve;
  Profile(*plan, columns == 1 ? solve.forward_one_rhs : solve.forward, *trace, "forward").print("forward");
  Profile(*plan, columns == 1 ? solve.backward_one_rhs : solve.backward, *trace, "backward").print("backward");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Where the time of a solve on a CUDA device goes");
  std::vector<std::string> matrices;
  int columns = 1;
  app.add_option("matrices", matrices, "Matrix Market files or generators")->required();
  app.add_option("--rhs", columns, "Right-hand sides")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  for (const std::string& matrix : matrices) profile(matrix, columns);
  return 0;
}
