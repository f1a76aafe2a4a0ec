#pragma once

/// \file
/// Several CUDA devices of one process that factorize together.

#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/check.hpp"
#include "solver/common/fail.hpp"
#include "solver/cuda/plan/devices_plan.hpp"
#include "solver/cuda/run/cuda_executor.hpp"

namespace gpusupernodal::cuda {

/// Copies between any two devices, or within one.
template <class T>
void transfer(T* to, const T* from, std::int64_t count, cudaStream_t stream) {
  GPUSUPERNODAL_CUDA_CHECK(
      cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDefault, stream));
}

/// Executes a DevicesPlan with a CudaExecutor for each device. One thread launches the work of all; devices wait for each
/// other by events only. From the second factorization on, one graph with the nodes of all devices is launched. The first
/// device has A for residuals and the vectors of refinement, and the caller's stream belongs to it. Solves with one factor
/// have the same bits as on a single device, because each sum has the same order.
template <class T>
class SeveralDevices final : public Executor<T>, public DeviceContext, public Factorization<T> {
  using Real = typename ScalarTraits<T>::Real;
  using Number = DeviceScalar<T>;
  using Fronts = typename CudaExecutor<T>::Fronts;

 public:
  /// Precondition: the devices are usable, one for each plan. Throws OutOfMemory, naming the device, and BackendUnavailable
  /// if one cannot access another's memory.
  SeveralDevices(std::shared_ptr<const DevicesPlan> plan, const ExecutorOptions& options, const std::vector<int>& devices);
  ~SeveralDevices() override;

  DeviceContext& context() override { return *this; }
  Factorization<T>& factorization() override { return *this; }
  LinearOperator<T>& matrix() override { return first().matrix(); }
  LinearOperator<T>& transposed_matrix() override { return first().transposed_matrix(); }
  LinearOperator<T>& adjoint_matrix() override { return first().adjoint_matrix(); }
  VectorSpace<T>& vectors() override { return first().vectors(); }
  void copy_values(Span<T> host) override { first().copy_values(host); }

  std::string device_name() const override;
  std::int64_t workspace_beyond_plan() const override { return 0; }
  void set_stream(void* stream) override { first().set_stream(stream); }
  const std::shared_ptr<Allocator>& allocator() const override { return first().allocator(); }
  bool is_in_graph() const override { return false; }
  const char* reason_against_capture() const override { return "uses several devices"; }
  const Trace* trace() override { return nullptr; }

  void factorize(const FactorInput<T>& input) override;
  FactorOutcome outcome() override;
  bool outcome_known() const override { return first().outcome_known(); }
  void solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) override;
  void reserve_right_hand_sides(std::int64_t columns) override;
  void copy_panels(Span<T> host) override;
  void copy_diagonal(Span<T> host) override;

 private:
  /// A device, and what the others wait for.
  struct Member {
    int device;
    std::unique_ptr<CudaExecutor<T>> executor;
    std::unique_ptr<Stream> copies;    ///< Sends factorized pieces of the top.
    std::unique_ptr<Event> ready;      ///< Recorded on its main stream.
    std::unique_ptr<Event> sent;       ///< Recorded on `copies`.
    std::unique_ptr<Event> assembled;  ///< Recorded on its main stream after the assembly: others may send it pieces.

    CudaExecutor<T>& operator*() const { return *executor; }
    CudaExecutor<T>* operator->() const { return executor.get(); }
    cudaStream_t main() const { return executor->streams_.main(); }
  };

  CudaExecutor<T>& first() const { return *members_.front(); }
  /// Calls work(member) with the member's device current.
  template <class Work>
  void each(const Work& work) const;
  template <class Work>
  void guarded(const Work& work) const;
  Number* top_of(PartId p) const {
    const auto m = static_cast<std::size_t>(p.value);
    return members_[m]->values_ + plan_->top_begin[m];
  }
  const Member& member(PartId p) const { return members_[static_cast<std::size_t>(p.value)]; }
  void add_member(const ExecutorOptions& options, int device);
  void record(const Member& of) const;
  void begin_all() const;
  void end_all() const;
  const void* take_values(const FactorInput<T>& input) const;
  void launch(const FactorInput<T>& input);
  void run(Real shift, const ProgressCallback* report_progress) const;
  void add_contributions() const;
  void send_pieces(std::int32_t level, std::vector<bool>& has_sent) const;
  void receive(std::size_t reader, const std::vector<bool>& has_sent) const;
  void solve_batch(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) const;
  void take_right_hand_sides(const SolveSteps& steps, const DenseView<const T>& b) const;
  void await_each_other() const;
  void exchange_contributions(int padded) const;
  void collect_solutions(const SolveSteps& steps, int padded) const;
  void wait_for_all() const;
  std::int64_t order() const { return plan_->plans.front()->structure->symbolic.order(); }

  std::shared_ptr<const DevicesPlan> plan_;
  std::vector<Member> members_;
  FactorReplay replay_;
  bool factorized_ = false;  ///< A factorization that the graph could replace has run.
};

template <class T>
template <class Work>
void SeveralDevices<T>::each(const Work& work) const {
  for (const Member& member : members_) {
    const DeviceGuard guard(member.device);
    work(member);
  }
}

/// Runs `work` after everything on the caller's stream. If it throws, this waits for what has been launched.
template <class T>
template <class Work>
void SeveralDevices<T>::guarded(const Work& work) const {
  const DeviceGuard guard(members_.front().device);
  try {
    first().fork();
    work();
  } catch (...) {
    for (const Member& member : members_) {
      OnDevice on_device(member.device);  // Throws nothing, even if a device is lost.
      on_device.enter();
      member->wait_after_failure();
      static_cast<void>(cudaStreamSynchronize(member.copies->get()));
    }
    throw;
  }
}

}  // namespace gpusupernodal::cuda
