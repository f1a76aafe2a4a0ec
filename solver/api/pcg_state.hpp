#pragma once

/// \file
/// Pcg<S>::Impl: what an object of Pcg holds.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpusupernodal/pcg.hpp"
#include "kernels/common/scalar_traits.hpp"
#include "solver/api/pcg_preconditioner.hpp"
#include "solver/backend/pcg_engine.hpp"
#include "solver/common/built.hpp"
#include "solver/iterative/conjugate_gradients.hpp"
#include "solver/iterative/symmetric_rows.hpp"

namespace gpusupernodal {

/// Throws InvalidInput naming the option that is out of its range.
void check_pcg_options(const PcgOptions& options);

/// Throws InvalidInput as check_pcg_options, and for a precision of factors of S that the build lacks.
template <class S>
void check_pcg_options_of(const PcgOptions& options) {
  check_pcg_options(options);
  if (options.factor_precision == FactorPrecision::single && !built_with<SingleOf<S>>())
    refuse_scalar("factor_precision single", detail::scalar_choices[detail::scalar_index<SingleOf<S>>].name);
}

/// Where Pcg iterates with a matrix that has so many entries in both triangles; `on_device`: its values are there. Throws
/// BackendUnavailable for complex matrices on a device.
template <class S>
Backend backend_of_pcg(const PcgOptions& options, std::int64_t entries, bool on_device);

/// When a solve with these options for n unknowns ends, with the defaults for what is 0.
template <class S>
PcgCriteria criteria_of(const PcgOptions& options, std::int64_t n) {
  constexpr std::int64_t fewest = 100;
  PcgCriteria criteria{options.tolerance, options.absolute_tolerance, options.max_iterations, options.progress};
  if (criteria.tolerance == 0.0 && criteria.absolute == 0.0) criteria.tolerance = ScalarTraits<S>::is_single ? 1e-5 : 1e-10;
  if (criteria.max_iterations == 0) criteria.max_iterations = std::max(fewest, 10 * n);
  return criteria;
}

template <class S>
struct Pcg<S>::Impl {
  /// What belongs to one analyzed pattern or operator.
  struct Analyzed {
    PcgOptions options;  ///< As analyze took them.
    Backend backend = Backend::host;
    SymmetricRows pattern;
    SparseRows<S> a;
    std::unique_ptr<PcgEngine<S>> engine;
    PcgPreconditioner<S> preconditioner;
    std::int64_t n = 0;
    bool is_operator = false;
    bool has_values = false;
    bool finite = true;                ///< Whether A is.
    bool has_inverse = false;          ///< Whether the engine has M, or knows that there is none (setup.bad_row).
    std::int64_t last_iterations = 0;  ///< Most iterations of a solve since M was made.
    PcgReport setup;                   ///< What reports say about M.
  };

  PcgOptions options;
  void* stream = nullptr;
  Apply inverse;
  std::unique_ptr<Analyzed> analyzed;
  std::vector<PcgReport> reports;

  void analyze(const MatrixView<S>& a);
  void update(Span<const S> values, MemorySpace space);
  void take_operator(std::int64_t n, Apply product);
  void take_inverse(Apply function);
  const PcgReport& solve(const DenseView<const S>& b, const DenseView<S>& x, bool use_start);
  void precondition(const DenseView<const S>& r, const DenseView<S>& z);
  PcgReport setup_report() const;
  void refuse_in_capture(const char* call) const;

 private:
  std::unique_ptr<Analyzed> begin(std::int64_t n, std::int64_t entries, bool on_device) const;
  void set_matrix();
  void make_inverse();
  void use_foreign_inverse(Analyzed& to) const;
  PcgReport solve_column(const DenseView<const S>& b, const DenseView<S>& x, bool use_start);
};

}  // namespace gpusupernodal
