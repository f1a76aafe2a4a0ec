#pragma once

/// \file
/// DeviceBatch: a batch on a CUDA device.

#include <memory>
#include <optional>
#include <vector>

#include "solver/api/batch_engine.hpp"
#include "solver/api/obtained_plan.hpp"
#include "solver/api/own_systems.hpp"
#include "solver/api/solver_state.hpp"
#include "solver/backend/batch_factors.hpp"

namespace gpusupernodal {

/// All systems are factorized and solved on the device, and their records are read when an outcome is asked for. LU and LDLᵀ
/// that cannot be trusted there, because pivots were replaced or grew, get a SolverState on the host, which decides the
/// status and may exchange rows. If it did, the system stays there; else its next values go to the device again. A graph of
/// the caller cannot leave the device: systems then keep no state on the host.
template <class T>
class DeviceBatch final : public BatchEngine<T> {
 public:
  /// Throws as make_batch_program and make_cuda_batch.
  DeviceBatch(const ObtainedPlan& plan, const Options& options, std::int64_t count);

  const AnalyzeReport& analyze_report() const override { return report_; }
  void refactorize(const BatchValues<T>& values, const std::vector<unsigned char>& wanted) override;
  void start_solve(System part, const BatchView<const T>& b, const BatchView<T>& x,
                   const std::vector<unsigned char>& wanted) override;
  void finish_solve() override;
  void forget_factors(const std::vector<unsigned char>& wanted) override;
  void forget_solve(const std::vector<unsigned char>& wanted) override;
  void require_part(System part) const override { rules_.require_part(part); }
  void reserve_right_hand_sides(std::int64_t columns) override { factors_->reserve_right_hand_sides(columns); }
  MemorySpace space() const override { return MemorySpace::device; }
  void set_stream(void* stream) override;
  BatchOutcomes& outcomes() override;

 private:
  struct SolveCall {
    System part;
    BatchView<const T> b;
    BatchView<T> x;
    BatchSolveRules rules;
  };
  void describe(const BatchProgram& program, PlanSource source);
  std::size_t count() const { return factorizations_.size(); }
  void choose_for_device(const std::vector<unsigned char>& wanted);
  void begin_factors(const std::vector<unsigned char>& wanted);
  void factorize_on_host(std::size_t i, const T* values, MemorySpace space);
  void read_factors();
  void take_record(std::size_t i, const cuda::BatchFactorRecord& record);
  bool move_out(std::size_t i, Repivot repivot);
  void decide_on_host(std::size_t i, bool has_factor);
  void note(std::size_t i, const FactorReport& report);
  BatchSolveRules rules_for(System part) const;
  void refuse_solve_in_capture(const std::vector<unsigned char>& wanted) const;
  void begin_solve(const std::vector<unsigned char>& wanted);
  void skip_solve();
  void read_solves();
  BatchStatus status_of_record(std::size_t i, const cuda::BatchSolveRecord& record);
  BatchStatus solve_on_host(std::size_t i, const SolveCall& call);
  void repeat_unstable(const SolveCall& call);
  void refuse_wait_in_capture(const char* call) const;
  [[noreturn]] void refuse_host_system(const char* call, std::size_t i) const;
  bool has_other_pivots(std::size_t i) const;

  Options own_options_;   ///< Options of systems on the host.
  SolverState<T> rules_;  ///< Without an executor: it derives reports from the outcomes of the device.
  OwnSystems<T> own_;
  std::unique_ptr<BatchFactors<T>> factors_;
  bool may_repivot_ = false;
  std::vector<std::int64_t> factorizations_;  ///< By system.
  std::vector<unsigned char> has_values_;     ///< By system: its last refactorize was enqueued.
  std::vector<unsigned char> unread_factor_;  ///< By system: the device may have a record that outcomes_ lacks.
  std::vector<std::int64_t> taken_;          ///< By system: BatchFactorRecord::launches of the record in outcomes_, or −1.
  std::vector<unsigned char> has_factor_;    ///< By system: whether that record has a factor.
  std::vector<unsigned char> unread_solve_;  ///< By system, for the last solve.
  bool verified_ = false;                    ///< The last solve was verified.
  bool refined_ = false;                     ///< The last solve computed residuals.
  std::vector<unsigned char> mask_;          ///< Systems that a call computes on the device.
  std::optional<SolveCall> open_solve_;      ///< That of start_solve, until it is finished.
  void* stream_ = nullptr;
  AnalyzeReport report_;
  BatchOutcomes outcomes_;
};

extern template class DeviceBatch<float>;
extern template class DeviceBatch<double>;

}  // namespace gpusupernodal
