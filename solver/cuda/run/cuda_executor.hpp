#pragma once

/// \file
/// The CUDA executor: values and indices stay on a device, and all work is asynchronous.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/general_residual.hpp"
#include "kernels/cuda/ldlt_values.hpp"
#include "kernels/cuda/lu_values.hpp"
#include "kernels/cuda/solve_kernels.hpp"
#include "kernels/cuda/vector_kernels.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/backend/executor.hpp"
#include "solver/cuda/plan/cuda_plan.hpp"
#include "solver/cuda/plan/memory.hpp"
#include "solver/cuda/run/block_runner.hpp"
#include "solver/cuda/run/column_runner.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/cuda/run/device_memory.hpp"
#include "solver/cuda/run/device_plan.hpp"
#include "solver/cuda/run/device_trace.hpp"
#include "solver/cuda/run/factor_replay.hpp"
#include "solver/cuda/run/factor_runner.hpp"
#include "solver/cuda/run/staged_panels.hpp"

namespace gpusupernodal::cuda {

template <class T>
class SeveralDevices;

/// Executes a CudaPlan: its LaunchPlan with the project's kernels and, for the *streams* schedule, a BlockRunner. Every
/// call forks from the caller's stream to internal streams and joins them back by events; factorize and solve with data
/// on the device neither wait nor allocate. The executor is its own context, factorization, matrix and vectors, which share
/// streams and memory. A factorization adds atomically: two of them agree up to rounding, and bit
/// by bit only with CudaPlanOptions::deterministic. Solves with the same factor agree bit by bit. A plan for LU makes
/// it factorize general matrices, and ExecutorOptions::ldlt symmetric indefinite ones. With a plan for one of several
/// devices (CudaPlan::share), SeveralDevices runs the steps of its factorizations and solves, in turn with those of others.
/// With CudaPlan::stages, panels pass through buffers on their way to host memory and back.
template <class T>
class CudaExecutor final : public Executor<T>,
                           public DeviceContext,
                           public Factorization<T>,
                           public LinearOperator<T>,
                           public VectorSpace<T> {
  using Real = typename ScalarTraits<T>::Real;
  using Number = DeviceScalar<T>;  ///< T as kernels take it.
  static constexpr bool is_complex = ScalarTraits<T>::is_complex;

 public:
  /// Precondition: `device` is the current device and usable. Throws OutOfMemory if memory is short.
  CudaExecutor(std::shared_ptr<const CudaPlan> plan, const ExecutorOptions& options, int device);
  ~CudaExecutor() override;

  DeviceContext& context() override { return *this; }
  Factorization<T>& factorization() override { return *this; }
  LinearOperator<T>& matrix() override { return *this; }
  LinearOperator<T>& transposed_matrix() override { return transposed_; }
  LinearOperator<T>& adjoint_matrix() override { return adjoint_; }
  VectorSpace<T>& vectors() override { return *this; }
  void copy_values(Span<T> host) override;

  std::string device_name() const override { return name_; }
  std::int64_t workspace_beyond_plan() const override {
    std::int64_t bytes = trace_ ? trace_->memory_bytes() : 0;
    if constexpr (!is_complex) bytes += blocks_ ? blocks_->bytes_beyond_plan() : 0;
    return bytes;
  }
  void set_stream(void* stream) override { caller_ = static_cast<cudaStream_t>(stream); }
  const std::shared_ptr<Allocator>& allocator() const override { return allocator_; }
  bool is_in_graph() const override { return in_graph_; }
  const char* reason_against_capture() const override {
    return staged_ ? "copies panels between the device and host memory" : nullptr;
  }
  const Trace* trace() override;

  void factorize(const FactorInput<T>& input) override;
  FactorOutcome outcome() override;
  bool outcome_known() const override;
  void solve(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) override;
  void reserve_right_hand_sides(std::int64_t columns) override;
  void copy_panels(Span<T> host) override;
  void copy_diagonal(Span<T> host) override;
  void copy_pivots(Span<T> diagonal, Span<T> beside) override;
  std::vector<SmallPivot> small_pivots(double magnitude) override;

  void apply(const DenseView<const T>& x, const DenseView<T>& y) override { apply(x, y, {}); }
  ResidualNorms residual(const DenseView<const T>& b, const DenseView<const T>& x, const DenseView<T>& r) override {
    return residual(b, x, r, {});
  }
  void residual_norms(const DenseView<const T>& b, const DenseView<const T>& x, const DenseView<T>& work,
                      Span<ResidualNorms> norms) override {
    residual_norms(b, x, work, norms, {});
  }

  MemorySpace space() const override { return MemorySpace::device; }
  DenseView<T> scratch(int slot, std::int64_t rows, std::int64_t cols) override;
  void copy(const DenseView<const T>& from, const DenseView<T>& to) override;
  void axpy(T alpha, const DenseView<const T>& x, const DenseView<T>& y) override;
  double max_norm(const DenseView<const T>& x) override;

 private:
  friend class SeveralDevices<T>;

  /// Fronts that a sweep of a solve goes over. On a single device, `all` are those of the plan; one of several devices has
  /// two kinds, and its `all` are those of its subtrees.
  enum class Fronts { all, top };

  /// Vectors of a solve for up to `columns` right-hand sides at once.
  struct Vectors {
    Slab slab;
    std::int64_t columns = 0;
    bool in_graph = false;  ///< A graph of the caller has captured a solve with them.
    Number* x = nullptr;
    Number* y = nullptr;
    Number* staging = nullptr;
    Number* sums = nullptr;   ///< Contributions, then partial sums.
    Number* unset = nullptr;  ///< One right-hand side: blocks' right-hand sides of both directions, solution, partial sums,
                              ///< and sums of wide fronts.
  };

  /// Norms of as many residuals as are computed at once.
  struct HostNorms {
    double of[norms_per_column * cuda_residual_columns];
  };

  /// Which of A, its transpose and their conjugates an operation takes.
  struct Orientation {
    bool transposed = false;
    bool conjugated = false;
  };

  /// Aᵀ, which differs from A for LU and for Hermitian A, or Aᴴ.
  class Oriented final : public LinearOperator<T> {
   public:
    Oriented(CudaExecutor& executor, Orientation orientation) : executor_(executor), orientation_(orientation) {}
    void apply(const DenseView<const T>& x, const DenseView<T>& y) override { executor_.apply(x, y, orientation_); }
    ResidualNorms residual(const DenseView<const T>& b, const DenseView<const T>& x, const DenseView<T>& r) override {
      return executor_.residual(b, x, r, orientation_);
    }
    void residual_norms(const DenseView<const T>& b, const DenseView<const T>& x, const DenseView<T>& work,
                        Span<ResidualNorms> norms) override {
      executor_.residual_norms(b, x, work, norms, orientation_);
    }

   private:
    CudaExecutor& executor_;
    Orientation orientation_;
  };

  void apply(const DenseView<const T>& x, const DenseView<T>& y, Orientation orientation);
  ResidualNorms residual(const DenseView<const T>& b, const DenseView<const T>& x, const DenseView<T>& r,
                         Orientation orientation);
  void residual_norms(const DenseView<const T>& b, const DenseView<const T>& x, const DenseView<T>& work,
                      Span<ResidualNorms> norms, Orientation orientation);
  void launch_residual(Real scale, Real shift, const ResidualVectors<Number>& vectors, Orientation orientation);
  void launch_residual_norms(const ResidualVectors<Number>& vectors, Number* work, Orientation orientation);
  /// Whether an operation takes the conjugate of what is factorized: of A, or of Aᵀ in LU. The transpose of a Hermitian
  /// matrix is its conjugate.
  bool takes_conjugate(bool transposed, bool conjugated) const {
    return is_complex && (is_hermitian() ? transposed != conjugated : conjugated);
  }
  void solve_by_columns(const SolveSteps& steps, int columns, int padded) const;
  /// Whether the other half of a complex A is the conjugate of the half that is read.
  bool is_hermitian() const { return is_complex && !is_lu() && !is_symmetric_; }
  bool is_lu() const { return plan_->structure->general != nullptr; }
  std::int64_t partner() const { return is_lu() ? plan_->structure->panels.values() : 0; }
  void prepare_lu();
  void prepare_ldlt();
  std::vector<T> found_pivots();
  Real smallest_allowed();
  void inspect_pivots_on(cudaStream_t stream);
  RowOrder<Number> order_in(const SolveSteps& steps) const;
  RowOrder<Number> order_out(const SolveSteps& steps) const;
  const Number* panels_of(const SolveSteps& steps, bool backward) const;
  Vectors make_vectors(std::int64_t columns) const;
  void fork() const;
  void join() const;
  void wait() const;
  void wait_after_failure() const noexcept;
  bool caller_captures() const { return is_captured(caller_); }
  template <class Work>
  void forked(const Work& work) const;
  Trace* calls() const { return trace_ ? &trace_->calls() : nullptr; }
  ResetArguments reset_arguments(const void* values, double scale) const;
  bool begins_early() const;
  void assemble_panels(Real shift);
  void assemble_stage(const Stage& stage, Real shift);
  void finish_stage(const Stage& stage);
  template <class Launched>
  void launch_levels(const Stage& stage, const Launched& launched);
  void launch_stages(Real shift, const ProgressCallback* report_progress);
  void launch_steps(Real shift, const ProgressCallback* report_progress);
  void finish_factor();
  void copy_status();
  void launch_factorization(const FactorInput<T>& input, const ProgressCallback* report_progress);
  const void* values_on_device(const FactorInput<T>& input);
  void solve_batch(const SolveSteps& steps, const DenseView<const T>& b, const DenseView<T>& x) const;
  void take_right_hand_sides(const SolveSteps& steps, const DenseView<const T>& b) const;
  bool sweeps_begin_early() const;
  template <class Launch>
  void sweep_stages(const SolveData<Number>& data, bool backward, int padded, const Launch& launch) const;
  template <class Visit>
  void for_each_staged_panel(const Visit& visit);
  void sweep_forward(const SolveSteps& steps, int padded, Fronts fronts) const;
  void sweep_backward(const SolveSteps& steps, int padded, Fronts fronts) const;
  Number* solution_of(const SolveSteps& steps, int padded) const;
  void give_solutions(const SolveSteps& steps, const DenseView<T>& x) const;
  SolveData<Number> solve_data(const SolveSteps& steps, bool backward, Fronts fronts) const;
  SolveData<Number> one_rhs_data(const SolveSteps& steps, bool backward, Fronts fronts) const;
  std::int64_t used_counters(int padded) const;
  UnsetEntries<Number> unset_entries(const SolveSteps& steps) const;
  EntryList<Number> entries_of_a(Real scale, Real shift, bool conjugated) const;
  void conjugate_for(const SolveSteps& steps, Number* entries, int padded) const;
  std::int32_t order() const { return plan_->structure->symbolic.order(); }
  /// Number of columns whose diagonal entries this device has.
  std::int32_t own_columns() const { return static_cast<std::int32_t>(plan_->own_columns()); }
  std::int64_t contributions() const { return static_cast<std::int64_t>(plan_->structure->symbolic.rows.size()); }

  std::shared_ptr<const CudaPlan> plan_;
  int device_;
  OnDevice on_device_;
  std::string name_;
  std::shared_ptr<Allocator> allocator_;
  bool check_finite_;
  bool keep_a_;
  bool is_ldlt_;
  bool is_symmetric_;    ///< LDLᵀ of a complex symmetric matrix.
  double perturbation_;  ///< LU and LDLᵀ.
  bool early_launches_;  ///< Whether launches of a solve may begin before the preceding one has ended.
  SolveGrids grids_;
  DevicePlan tasks_;
  Slab value_slab_;
  Slab work_slab_;
  Number* values_ = nullptr;
  Number* a_ = nullptr;
  double* residual_work_ = nullptr;
  double* norms_ = nullptr;
  DeviceStatus* status_ = nullptr;
  LuScaleArrays<Real> scales_;  ///< LDLᵀ uses those of the rows for the columns too.
  LdltScaleArrays<Real> ldlt_scales_;
  Number* pivots_ = nullptr;  ///< LDLᵀ: LdltData::pivots.
  Oriented transposed_{*this, {true, false}};
  Oriented adjoint_{*this, {true, true}};
  int* counters_ = nullptr;  ///< Counters of solves.
  Pinned<DeviceStatus> host_status_;
  Pinned<HostNorms> host_norms_;
  StreamSet streams_;
  FactorRunner<Number> runner_;  ///< All supernodes, or the leaf subtrees if blocks_ does the others.
  std::unique_ptr<BlockRunner<Number>> blocks_;
  std::unique_ptr<StagedPanels<Number>> staged_;   ///< With CudaPlan::stages.
  std::unique_ptr<ColumnRunner<Number>> columns_;  ///< LU by columns: factorizes and solves in the place of the others.
  Event fork_, join_, status_known_, eliminated_, inspected_;
  Vectors vectors_;
  std::vector<Vectors> vectors_of_graphs_;  ///< Vectors that vectors_ has replaced but graphs still use.
  std::vector<Buffer<T>> scratch_;
  cudaStream_t caller_ = nullptr;
  FactorReplay replay_;
  bool factorized_ = false;  ///< A factorization that a graph could replace has run at least once.
  bool captured_ = false;    ///< The last factorize() was captured into a graph of the caller.
  bool in_graph_ = false;    ///< Some call was captured into a graph of the caller.
  Real scale_ = Real(1);
  Real shift_ = Real(0);
  std::unique_ptr<DeviceTrace> trace_;
};

/// Throws BackendUnavailable if the current device has no kernels for scalars T and the form of the plan, or too little
/// shared memory for them.
template <class T>
void require_kernels_for(const CudaPlan& plan);

/// Runs `work` on the device after everything on the caller's stream. If it throws, this waits for what has been
/// launched: the next call must not overlap with it, and this call's arrays belong to the caller again.
template <class T>
template <class Work>
void CudaExecutor<T>::forked(const Work& work) const {
  const DeviceGuard guard(device_);
  try {
    fork();
    work();
  } catch (...) {
    wait_after_failure();
    throw;
  }
}

}  // namespace gpusupernodal::cuda
