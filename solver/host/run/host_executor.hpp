#pragma once

/// \file
/// The host backend: values in host memory, tasks on the host's threads.

#include <memory>
#include <string>
#include <vector>

#include "solver/backend/buffer.hpp"
#include "solver/backend/executor.hpp"
#include "solver/backend/trace.hpp"
#include "solver/host/plan/host_plan.hpp"
#include "solver/host/run/graph_runner.hpp"
#include "solver/host/run/host_solve_runner.hpp"
#include "solver/host/run/pivot_monitor.hpp"

namespace gpusupernodal {

/// See Executor. Views must be in host memory: the host backend does not reach into devices.
template <class T>
class HostExecutor final : public Executor<T> {
 public:
  HostExecutor(std::shared_ptr<const HostPlan> plan, const ExecutorOptions& options);

  std::string device_name() const override;
  void set_stream(void*) override {}
  void factorize(const FactorInput<T>& input) override;
  FactorOutcome outcome() override { return outcome_; }
  bool outcome_known() const override { return true; }
  void solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) override;
  void reserve_right_hand_sides(std::int64_t columns) override;
  typename Executor<T>::ResidualNorms residual(const DenseView<const T>& b, const DenseView<const T>& x,
                                               const DenseView<T>& r) override;
  void add(const DenseView<const T>& d, const DenseView<T>& x) override;
  void copy_panels(Span<T> host) override;
  void copy_diagonal(Span<T> host) override;
  MemorySpace space() const override { return MemorySpace::host; }
  const Trace* trace() override { return trace_.get(); }
  DenseView<T> scratch(int slot, std::int64_t rows, std::int64_t cols) override;

 private:
  SolveVectors<T> solve_vectors(std::int32_t columns) const;
  void run_factorization(const FactorInput<T>& input);

  std::shared_ptr<const HostPlan> plan_;
  std::shared_ptr<Allocator> allocator_;
  int workers_;
  int factor_workers_;  ///< As many of them as a factorization of this size can use.
  bool check_finite_;
  WorkerTeam team_;
  GraphRunner runner_;
  PivotMonitor monitor_;
  FactorOutcome outcome_;
  T scale_ = T(1);  ///< Of the last factorization.
  T shift_ = T(0);
  std::int64_t reserved_columns_ = 1;
  Buffer<T> values_;
  Buffer<T> kept_a_;              ///< Values of A for residuals; empty unless asked for.
  Buffer<double> residual_work_;  ///< 2 n, where kept_a_ is.
  Buffer<T> vectors_;             ///< n × reserved_columns_, in elimination order.
  std::vector<Buffer<T>> scratch_;
  std::unique_ptr<Trace> trace_;  ///< A list a worker, the caller's calls in that of worker 0.
  HostSolveRunner<T> solves_;
};

}  // namespace gpusupernodal
