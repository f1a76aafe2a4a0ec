#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "gpusupernodal/build_config.hpp"
#include "kernels/cuda/batch_kernels.hpp"
#include "kernels/cuda/check.hpp"
#include "solver/backend/batch_factors.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/common/fail.hpp"
#include "solver/cuda/run/batch_lists.hpp"
#include "solver/cuda/run/batch_mask.hpp"
#include "solver/cuda/run/batch_shape.hpp"
#include "solver/cuda/run/batch_values.hpp"
#include "solver/cuda/run/batch_vectors.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/cuda/run/device_memory.hpp"
#include "solver/cuda/run/factor_replay.hpp"

namespace gpusupernodal {
namespace cuda {
namespace {

/// Columns of a solve that are computed side by side; more take more workspace and are not faster.
constexpr std::int64_t columns_at_once = 8;

template <class T>
class CudaBatch final : public BatchFactors<T> {
 public:
  /// Precondition: `device` is usable and current.
  CudaBatch(const BatchProgram& program, const BatchFactorsOptions& options, int device)
      : device_(device),
        on_device_(device),
        name_(describe_device(device)),
        allocator_(options.allocator ? options.allocator : make_device_allocator(device)),
        n_(program.n),
        count_(options.count),
        entries_of_a_(program.entries_of_a),
        vectors_(options.refined ? batch_vectors_refined : batch_vectors_plain),
        threads_(threads_for(program, lane_bits_for<T>(options.count, device))),
        lists_(program, allocator_),
        slab_(allocator_, slab_bytes(program), "the factors of a batch"),
        values_(allocator_, program.entries_of_a),
        b_(allocator_, "the right-hand sides of a batch"),
        x_(allocator_, "the solutions of a batch"),
        mask_(allocator_, options.count),
        factor_records_(static_cast<std::size_t>(options.count)),
        solve_records_(factor_records_.size()) {
    prepare_batch_factor<T>();
    prepare_batch_solve<T>();
    prepare_batch_checks<T>();
    take_arrays(program);
    input_.check_finite = options.check_finite;
    input_.pivots = program.form == Form::llt ? BatchPivots::positive : BatchPivots::replaced;
    input_.perturbation = options.perturbation > 0.0 ? options.perturbation
                                                     : std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon()));
    memory_.factor = (program.values() + n_) * static_cast<std::int64_t>(sizeof(T));
    memory_.index = program.list_bytes();
    memory_.workspace = program.workspace_bytes(scalar_type_of<T>) + vectors_ * n_ * static_cast<std::int64_t>(sizeof(T));
    reserve_right_hand_sides(1);
  }

  /// A graph of the caller may run on any stream; the caller's stream may be gone.
  ~CudaBatch() override {
    on_device_.enter();
    static_cast<void>(in_graph_ ? synchronize_device() : cudaEventSynchronize(done_.get()));
  }

  std::string device_name() const override { return name_; }
  MemoryEstimate memory() const override { return memory_; }
  /// Later work waits for earlier work. In a capture the host waits, because a graph cannot wait for work outside.
  void set_stream(void* stream) override {
    const auto next = static_cast<cudaStream_t>(stream);
    if (next == stream_) return;
    const DeviceGuard guard(device_);
    if (is_captured(next)) {
      const RelaxedCapture relaxed;
      GPUSUPERNODAL_CUDA_CHECK(cudaEventSynchronize(done_.get()));
    } else {
      done_.make_wait(next);
    }
    stream_ = next;
  }
  bool is_in_graph() const override { return in_graph_; }

  void factorize(const BatchValues<T>& values, const std::vector<unsigned char>& wanted) override {
    const DeviceGuard guard(device_);
    if (count_ == 0 || n_ == 0) return;
    refuse_in_capture("refactorize", values.space == MemorySpace::host || values.data == nullptr, wanted);
    begin_call(wanted);
    values_.put(values, mask_, stream_, input_);
    factor_batch<T>(lists_.factor, systems_, input_, threads_, stream_);
    end_call();
  }

  void solve(const BatchSolveRules& rules, const BatchView<const T>& b, const BatchView<T>& x,
             const std::vector<unsigned char>& wanted) override {
    const DeviceGuard guard(device_);
    if (count_ == 0 || n_ == 0 || b.cols == 0) return;
    refuse_in_capture("solve", b.space == MemorySpace::host || x.space == MemorySpace::host, wanted);
    reserve_right_hand_sides(b.cols);
    begin_call(wanted);
    BatchSolve<T> solve;
    solve.b = b.space == MemorySpace::host ? b_.take(b, stream_, done_) : BatchVectors<const T>{b.data, b.ld, b.stride};
    solve.x = x.space == MemorySpace::host ? x_.room(x, done_) : BatchVectors<T>{x.data, x.ld, x.stride};
    set_rules(rules, b.cols, solve);
    launch(rules, solve);
    end_call();
  }

  void copy_solutions(const BatchSolveRules& rules, const BatchView<T>& x) override {
    const DeviceGuard guard(device_);
    if (x.space == MemorySpace::device || count_ == 0 || n_ == 0 || x.cols == 0) return;
    const Span<const BatchSolveRecord> found = solve_records();
    const Span<const BatchFactorRecord> factors = factor_records();
    x_.give(x, stream_, [&](std::int64_t s) {
      const auto i = static_cast<std::size_t>(s);
      return mask_.includes(i) && factors[i].has_factor() && !(rules.check_right && found[i].has_bad_right != 0);
    });
  }

  void reserve_right_hand_sides(std::int64_t columns) override {
    const DeviceGuard guard(device_);
    const std::int64_t at_once = std::min(columns, columns_at_once);
    if (at_once <= columns_ || n_ == 0 || count_ == 0) return;
    if (is_captured(stream_)) {
      fail<InvalidState>(
          "a solve with {} columns was called while a graph is captured, but workspace was taken for {}; call "
          "reserve_right_hand_sides before",
          columns, columns_);
    }
    Buffer<T> work(allocator_, vectors_ * n_ * padded_count() * at_once, "the workspace of a batch");
    if (in_graph_) kept_.push_back(std::move(work_));
    if (!in_graph_) GPUSUPERNODAL_CUDA_CHECK(cudaEventSynchronize(done_.get()));
    work_ = std::move(work);
    columns_ = at_once;
  }

  Span<const BatchFactorRecord> factor_records() override {
    copy_records(factor_records_, systems_.factor_records);
    return factor_records_;
  }
  Span<const BatchSolveRecord> solve_records() override {
    copy_records(solve_records_, device_solve_records_);
    return solve_records_;
  }

  /// Copies the interleaved values of a group, and picks those of the system.
  void copy_values(std::int64_t system, Span<T> host) override {
    const DeviceGuard guard(device_);
    if (host.size() == 0) return;
    wait_for_all();
    const std::int64_t lanes = std::int64_t{1} << systems_.lane_bits;
    const T* const from = systems_.a + system / lanes * lanes * entries_of_a_ + system % lanes;
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy2D(host.data(), sizeof(T), from, static_cast<std::size_t>(lanes) * sizeof(T),
                                          sizeof(T), host.size(), cudaMemcpyDeviceToHost));
  }

 private:
  std::int64_t padded_count() const { return std::int64_t{systems_.groups()} << systems_.lane_bits; }

  std::int64_t slab_bytes(const BatchProgram& program) const {
    constexpr std::int64_t arrays = 8;
    const std::int64_t lanes = std::int64_t{1} << lane_bits_for<T>(count_, device_);
    const std::int64_t padded = (count_ + lanes - 1) / lanes * lanes;
    return padded * ((program.values() + n_) * static_cast<std::int64_t>(sizeof(T)) +
                     program.workspace_bytes(scalar_type_of<T>)) +
           count_ * static_cast<std::int64_t>(sizeof(BatchFactorRecord) + sizeof(BatchSolveRecord)) +
           arrays * Slab::alignment;
  }

  void take_arrays(const BatchProgram& program) {
    systems_.count = static_cast<std::int32_t>(count_);
    systems_.lane_bits = lane_bits_for<T>(count_, device_);
    const std::int64_t padded = padded_count();
    systems_.factor = slab_.take<T>(padded * program.values());
    systems_.inverse = slab_.take<T>(padded * n_);
    systems_.a = slab_.take<T>(padded * entries_of_a_);
    if (program.is_scaled()) {
      systems_.row_scale = slab_.take<std::int32_t>(padded * 2 * n_);
      systems_.column_scale = program.is_symmetric() ? systems_.row_scale : slab_.take<std::int32_t>(padded * 2 * n_);
    }
    for (BatchFactorRecord& record : factor_records_) record.failed_column = n_ > 0 ? 0 : no_batch_column;  // No factor yet.
    systems_.factor_records = slab_.take<BatchFactorRecord>(count_);
    copy_to_device(systems_.factor_records, factor_records_.data(), factor_records_.size() * sizeof(BatchFactorRecord));
    device_solve_records_ = slab_.take<BatchSolveRecord>(count_);
    copy_to_device(device_solve_records_, solve_records_.data(), solve_records_.size() * sizeof(BatchSolveRecord));
    systems_.wanted = mask_.device();
  }

  void wait() const { GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream_)); }
  /// A graph may run on any stream.
  void wait_for_all() const {
    if (!in_graph_) return wait();
    GPUSUPERNODAL_CUDA_CHECK(synchronize_device());
  }

  template <class Record>
  void copy_records(std::vector<Record>& host, const Record* device) const {
    const DeviceGuard guard(device_);
    if (host.empty()) return;
    if (in_graph_) wait_for_all();
    GPUSUPERNODAL_CUDA_CHECK(
        cudaMemcpyAsync(host.data(), device, host.size() * sizeof(Record), cudaMemcpyDeviceToHost, stream_));
    wait();
  }

  /// Refuses what a graph cannot repeat. Precondition: nothing of the call has been done.
  void refuse_in_capture(const char* call, bool uses_host, const std::vector<unsigned char>& wanted) const {
    if (!is_captured(stream_)) return;
    if (uses_host)
      fail<InvalidState>(
          "{} of a batch was called while a graph is captured, with data in host memory or values by pointers; pass values "
          "at a stride, b and x in device memory",
          call);
    if (wanted != mask_.wanted())
      fail<InvalidState>(
          "{} of a batch was called while a graph is captured, but for other systems than the last call, because of "
          "set_wanted or of systems that were computed on the host; call refactorize once right before the capture",
          call);
  }

  /// Brings the mask to the device. Precondition: refuse_in_capture has not thrown.
  void begin_call(const std::vector<unsigned char>& wanted) {
    // Drops an error that the caller left unread: launches are checked by the last error.
    static_cast<void>(cudaGetLastError());
    if (is_captured(stream_)) {
      in_graph_ = true;
      mask_.note_capture();
    }
    mask_.set(wanted, stream_);
    systems_.wanted = mask_.device();
  }

  /// An event that is recorded into a graph cannot be waited for.
  void end_call() const {
    if (!is_captured(stream_)) done_.record(stream_);
  }

  void set_rules(const BatchSolveRules& rules, std::int64_t columns, BatchSolve<T>& solve) const {
    solve.work = work_.data();
    solve.records = device_solve_records_;
    solve.columns = columns;
    solve.permute_in = rules.steps.permute_in;
    solve.forward = rules.steps.forward;
    solve.backward = rules.steps.backward;
    solve.permute_out = rules.steps.permute_out;
    solve.check_right = rules.check_right;
    solve.refined = rules.refined;
    solve.verified = rules.verified;
    solve.is_single = columns == 1;
    solve.max_steps = rules.refinement.max_steps;
    solve.backward_error = rules.refinement.backward_error;
    solve.trusted = rules.trusted;
  }

  void launch(const BatchSolveRules& rules, const BatchSolve<T>& solve) const {
    const BatchSolveLists& lists = rules.steps.transposed ? lists_.transposed : lists_.solve;
    if (solve.is_single) return solve_batch<T>(lists, systems_, solve, threads_, stream_);
    begin_batch_solve<T>(lists, systems_, solve, threads_, stream_);
    for (std::int64_t first = 0; first < solve.columns; first += columns_)
      solve_batch<T>(lists, systems_, solve.part(first, std::min(columns_, solve.columns - first)), threads_, stream_);
    if (rules.verified) reject_batch_solutions<T>(lists, systems_, solve, threads_, stream_);
  }

  int device_;
  OnDevice on_device_;
  std::string name_;
  std::shared_ptr<Allocator> allocator_;
  std::int64_t n_;
  std::int64_t count_;
  std::int64_t entries_of_a_;
  std::int64_t vectors_;
  int threads_;
  BatchLists lists_;
  Slab slab_;
  BatchSystems<T> systems_;
  BatchValuesInput<T> input_;
  BatchSolveRecord* device_solve_records_ = nullptr;
  Buffer<T> work_;
  std::vector<Buffer<T>> kept_;  ///< Earlier workspace that graphs of the caller use.
  std::int64_t columns_ = 0;     ///< Columns that the workspace holds.
  BatchValueStaging<T> values_;
  BatchStaging<T> b_;
  BatchStaging<T> x_;
  BatchMask mask_;
  std::vector<BatchFactorRecord> factor_records_;
  std::vector<BatchSolveRecord> solve_records_;
  MemoryEstimate memory_;
  cudaStream_t stream_ = nullptr;
  Event done_;  ///< The last call's work.
  bool in_graph_ = false;
};

}  // namespace
}  // namespace cuda

template <class S>
std::unique_ptr<BatchFactors<S>> make_cuda_batch(const BatchProgram& program, const BatchFactorsOptions& options) {
  const int device = cuda::choose_device(options.device);
  const cuda::DeviceGuard guard(device);
  static_cast<void>(cudaGetLastError());  // As in make_cuda_executor.
  const std::int64_t largest = std::max({program.values(), program.entries_of_a, 2 * std::int64_t{program.n}});
  constexpr std::int64_t supported = std::numeric_limits<std::int32_t>::max() / cuda::max_batch_lanes;
  if (largest > supported) {
    fail<BackendUnavailable>("a system has {} values, but a batch on the CUDA backend supports at most {}", largest,
                             supported);
  }
  return std::make_unique<cuda::CudaBatch<S>>(program, options, device);
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template std::unique_ptr<BatchFactors<T>> make_cuda_batch(const BatchProgram&, const BatchFactorsOptions&);
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
