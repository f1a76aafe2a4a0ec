#include "solver/api/pcg_preconditioner.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

/// Shifts of a single-precision factor that are tried, in units of the largest diagonal entry.
constexpr double single_shifts[] = {0.0, 1e-7, 1e-5, 1e-3};
/// ssor_ai is refused beyond this bound of its error.
constexpr double max_ssor_bound = 1.0;

template <class S>
double largest_diagonal(const PcgProblem<S>& problem) {
  double largest = 0.0;
  for (std::int32_t i = 0; i < problem.pattern.n; ++i) {
    const std::int32_t e = problem.pattern.diagonal(i);
    if (e >= 0)
      largest = std::max(
          largest, std::abs(static_cast<double>(ScalarTraits<S>::real(problem.a.values[static_cast<std::size_t>(e)]))));
  }
  return largest;
}

template <class S>
Options factor_options(const PcgProblem<S>& problem) {
  Options options;
  options.backend = problem.backend;
  options.threads = problem.options.threads;
  options.device = problem.options.device;
  options.check_right_hand_sides = false;  // The iteration notices NaN itself.
  options.deterministic = true;            // Equal bits of solves need equal factors.
  options.host_allocator = problem.options.host_allocator;
  options.device_allocator = problem.options.device_allocator;
  return options;
}

template <class T>
VectorFunction<T> solve_with(Solver<T>& solver, MemorySpace space) {
  return [&solver, space](const T* r, T* z) {
    const std::int64_t n = solver.order();
    solver.solve(DenseView<const T>(r, n, space), DenseView<T>(z, n, space));
  };
}

}  // namespace

/// Factorizes in the precision T; in single precision with a growing shift until it succeeds.
template <class S>
template <class T>
BadRow PcgPreconditioner<S>::factorize(const PcgProblem<S>& problem, std::unique_ptr<Solver<T>>& solver, PcgReport& report) {
  const std::vector<T> values(problem.a.values.begin(), problem.a.values.end());
  MatrixView<T> view;
  view.n = problem.pattern.n;
  view.offsets = problem.a.offsets.data();
  view.indices = problem.a.columns.data();
  view.values = values.data();
  view.part = StoredPart::full;
  view.compression = Compression::rows;
  if (!solver) {
    auto fresh = std::make_unique<Solver<T>>(factor_options(problem));
    fresh->set_stream(problem.stream);
    if (problem.options.factor_plan) {
      fresh->analyze(view, problem.options.factor_plan);
    } else {
      fresh->analyze(view);
    }
    solver = std::move(fresh);
  }
  const double largest = largest_diagonal(problem);
  FactorReport factor;
  for (const double shift : single_shifts) {
    report.factor_shift = shift * largest;
    solver->set_shift(report.factor_shift);
    solver->refactorize(Span<const T>(values));
    factor = solver->factor_report();
    if (factor.status != Status::not_positive_definite || std::is_same_v<T, S>) break;
  }
  return factor.status == Status::success ? BadRow{-1} : static_cast<BadRow>(factor.failed_column);
}

template <class S>
BadRow PcgPreconditioner<S>::make_factor(const PcgProblem<S>& problem, PcgReport& report) {
  const MemorySpace space = problem.backend == Backend::cuda ? MemorySpace::device : MemorySpace::host;
  if constexpr (!std::is_same_v<Single, S>) {  // Options refuse single precision that was not built.
    if (problem.options.factor_precision == FactorPrecision::single) {
      const BadRow bad = factorize(problem, single_, report);
      inverse_.single = solve_with(*single_, space);
      return bad;
    }
  }
  const BadRow bad = factorize(problem, solver_, report);
  inverse_.function = solve_with(*solver_, space);
  return bad;
}

template <class S>
BadRow PcgPreconditioner<S>::make_sparse(const PcgProblem<S>& problem, PcgReport& report) {
  ThreadTeam team(worker_count(problem.options.threads));
  BadRow bad = -1;
  if (report.preconditioner == Preconditioner::ssor_ai) {
    double bound = 0.0;
    bad = make_ssor_inverse(problem.pattern, problem.a, sparse_, bound);
    if (bad < 0 && !(bound <= max_ssor_bound)) {
      fail<InvalidInput>(
          "the preconditioner ssor_ai was refused: the bound of its relative error is {:.3g}, more than 1; take fsai",
          bound);
    }
  } else {
    team.execute([&] { bad = make_fsai(problem.pattern, problem.a, team, sparse_); });
    report.plain_rows = sparse_.plain_rows;
  }
  inverse_.g = &sparse_.g;
  inverse_.transposed = &sparse_.transposed;
  return bad;
}

template <class S>
void PcgPreconditioner<S>::make(const PcgProblem<S>& problem, PcgEngine<S>& engine, PcgReport& report) {
  const PcgOptions& options = problem.options;
  inverse_ = PcgInverse<S>();
  report.preconditioner =
      options.preconditioner == Preconditioner::automatic ? Preconditioner::fsai : options.preconditioner;
  BadRow bad = -1;
  switch (report.preconditioner) {
    case Preconditioner::automatic:
    case Preconditioner::none:
      break;
    case Preconditioner::jacobi:
    case Preconditioner::block_jacobi: {
      const bool blocks = report.preconditioner == Preconditioner::block_jacobi;
      inverse_.block = !blocks ? 1 : options.block_size > 0 ? options.block_size : natural_block(problem.pattern);
      report.block_size = blocks ? inverse_.block : 0;
      ThreadTeam team(worker_count(options.threads));
      team.execute([&] { bad = invert_blocks(problem.pattern, problem.a, inverse_.block, team, blocks_); });
      inverse_.blocks = blocks_.data();
      break;
    }
    case Preconditioner::ssor_ai:
    case Preconditioner::fsai:
      bad = make_sparse(problem, report);
      break;
    case Preconditioner::ic0:
      if (problem.backend == Backend::cuda) {
        fail<InvalidInput>("the preconditioner ic0 runs on the host only; take fsai, or set the backend to host");
      }
      bad = incomplete_.factorize(problem.pattern, problem.a);
      inverse_.function = [this](const S* r, S* z) { incomplete_.solve(r, z); };
      break;
    case Preconditioner::factor:
      bad = make_factor(problem, report);
      break;
  }
  report.bad_row = bad;
  if (bad < 0) engine.set_inverse(inverse_);
}

template <class S>
void PcgPreconditioner<S>::set_stream(void* stream) {
  if (solver_) solver_->set_stream(stream);
  if (single_) single_->set_stream(stream);
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class PcgPreconditioner<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
