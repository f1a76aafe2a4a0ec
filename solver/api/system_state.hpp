#pragma once

/// \file
/// SystemSolver<S>::Impl: what an object of SystemSolver holds.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "base/raw_vector.hpp"
#include "gpusupernodal/solver.hpp"
#include "gpusupernodal/system_solver.hpp"
#include "solver/api/background_plan.hpp"
#include "solver/api/kept_columns.hpp"
#include "solver/api/system_prices.hpp"
#include "solver/iterative/lanczos.hpp"
#include "solver/iterative/symmetric_rows.hpp"

namespace gpusupernodal {

/// Throws InvalidInput naming the option that is out of its range.
void check_system_options(const SystemOptions& options);

/// Why the x of an iteration is no solution: "max_iterations after 30 iterations with …".
std::string failure_of(const PcgReport& done);

/// Norms ‖a_i‖₁ of A's rows.
struct RowNorms {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0.0;  ///< ‖A‖₁.
  double besides = 0.0;  ///< Largest sum of a row's magnitudes beside its diagonal entry, divided by that.
};

/// Cost O(nnz). Precondition: the values are finite.
template <class S>
RowNorms row_norms(const SymmetricRows& rows, const RawVector<S>& values, int threads);

/// Seconds and iterations that were measured; −1: not yet.
struct SystemTimes {
  double factorize = -1.0;         ///< Factorization of `direct`; once measured, of new values in existing memory.
  double direct_solve = -1.0;      ///< One right-hand side, with its verification.
  double mixed_setup = -1.0;       ///< Factorization in single precision.
  double mixed_solve = -1.0;       ///< One right-hand side, with success.
  double mixed_iterations = -1.0;  ///< With a factor of the same values.
  double iteration = -1.0;         ///< One iteration of `pcg`; before one ran on a device, an estimate.
  double product = -1.0;           ///< One iteration of a trial on the host, about a product.
  double pcg_iterations = -1.0;    ///< One right-hand side: measured, or the last forecast.
};

template <class S>
struct SystemSolver<S>::Impl {
  /// The views of a call of solve, b in host memory, and x before iterations write to it.
  struct Call {
    DenseView<const S> b;
    DenseView<S> x;
    DenseView<const S> host_b;
    KeptColumns<S>* before;
  };
  /// What happens to the x of an iteration that failed: it is returned, or another method replaces it.
  enum class Unsolved { is_returned, is_replaced };
  /// What belongs to one analyzed pattern.
  struct Analyzed {
    SystemOptions options;                      ///< As analyze took them.
    std::shared_ptr<const SymmetricRows> rows;  ///< Rows of the pattern; the other thread reads them too.
    RawVector<S> values;                        ///< All entries of A by rows.
    RowNorms norms;                             ///< Of the present values, if they are finite.
    bool has_values = false;
    bool finite = true;
    std::unique_ptr<Pcg<S>> pcg;
    std::unique_ptr<Pcg<S>> mixed;
    std::unique_ptr<Solver<S>> direct;
    bool looked_for_plan = false;       ///< Whether start_kept_plan has looked since the values were given.
    bool iterated = false;              ///< Whether an iteration of `automatic` was begun.
    bool tries_on_host = false;         ///< Whether only the host has iterated so far, on trial, in place of a device.
    bool pcg_current = false;           ///< Whether `pcg` has the current values.
    bool mixed_current = false;         ///< Whether `mixed` has them.
    bool direct_current = false;        ///< Whether `direct` has them.
    bool direct_failed = false;         ///< Whether memory for a factor was refused.
    bool pcg_failed = false;            ///< Whether `pcg` gave no accurate x for some values.
    bool mixed_failed = false;          ///< Whether `mixed` gave no accurate x for some values.
    bool mixed_lags = false;            ///< Whether the factor of `mixed` is that of earlier values.
    bool mixed_fresh = false;           ///< Whether no solve has used it yet.
    std::int64_t mixed_most = -1;       ///< Most iterations with the factor of `mixed`; −1: none yet.
    Method choice = Method::automatic;  ///< What `automatic` chose; `automatic`: nothing yet.
    bool choice_is_old = false;         ///< Whether the values changed since.
    SystemTimes times;
    RitzValues ritz;
    std::int64_t solves = 0;  ///< With the present values.
    std::int64_t factorizations = 0;
    std::optional<FactorPrices> factor_prices;  ///< Of the plan, once they were asked for.
    BackgroundPlan plan;                        ///< Last, so that its thread ends before the rest is destroyed.

    MatrixView<S> view() const;
  };

  /// Whether `mixed` differs from `direct` here; builds without float refuse the method `mixed`.
  static constexpr bool has_mixed = built_with<float>() && !std::is_same_v<S, float>;

  SystemOptions options;
  void* stream = nullptr;
  std::unique_ptr<Analyzed> analyzed;
  SystemReport report;

  void analyze(const MatrixView<S>& a);
  void update(Span<const S> values, MemorySpace space);
  const SystemReport& solve(const DenseView<const S>& b, const DenseView<S>& x);
  void set_stream(void* cuda_stream);

 private:
  class Watch;
  void refuse_in_capture(const char* call) const;
  void solve_by_method(const Call& call);
  Options solver_options() const;
  PcgOptions pcg_options(bool mixed) const;
  void start_plan();
  void start_kept_plan();
  const Preview& plan();
  void tell(const char* phase, double fraction) const;

  // One method each, for the columns from `first` on; they write x and the report.
  void solve_direct(const Call& call, std::int64_t first);
  void solve_mixed(const Call& call, std::int64_t first);
  void solve_pcg(const Call& call, std::int64_t first);
  void solve_automatic(const Call& call);

  bool factorize();
  void refine(const Call& call, std::int64_t column, const DenseView<S>& x);
  void prepare_pcg();
  void prepare_mixed(bool renew);
  bool solve_mixed_column(const Call& call, std::int64_t column);
  const PcgReport& iterate(Pcg<S>& with, const Call& call, std::int64_t column);
  bool finish_pcg_column(const Call& call, std::int64_t column, const PcgReport& done, Unsolved x);
  bool is_accurate(const Call& call, std::int64_t column, RawVector<S>* residual);
  bool is_accurate_by_rows(const Call& call, std::int64_t column, double residual);
  double default_tolerance() const;
  std::int64_t renewal_iterations() const;
  double solves_left(std::int64_t columns) const;
  double host_read_rate() const;
  Backend backend_of_iterations() const;
  SystemPrices prices(double iterations_left, double iterations_each);
  void choose(const SystemPrices& of, double solves);
  void choose_again(std::int64_t columns);
  double estimated_iteration() const;
  double most_iterations() const;
  bool needs_no_trial(double solves);
  PcgReport iterate_column(const Call& call, std::int64_t column, const PcgOptions& with, Watch& watch);
  std::optional<PcgReport> iterate_rows(const Call& call, std::int64_t column, const PcgOptions& with);
  std::optional<PcgReport> try_on_host(const Call& call, std::int64_t column, const PcgOptions& with);
  std::int64_t iterate_columns(const Call& call);
  std::int64_t memory() const;
};

}  // namespace gpusupernodal
