#include "solver/api/system_state.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/stopwatch.hpp"
#include "base/thread_team.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/api/check_enumerator.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/pcg_state.hpp"
#include "solver/api/staging.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/common/built.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

/// Index of the first NaN or Inf, or −1.
template <class S>
std::int64_t first_bad(const S* values, std::int64_t count) {
  const S* const bad = std::find_if_not(values, values + count, [](S value) { return std::isfinite(value); });
  return bad == values + count ? -1 : bad - values;
}

template <class S>
void take_values(const SymmetricRows& rows, const S* values, int threads, RawVector<S>& to) {
  to.resize(rows.source.size());
  ThreadTeam team(worker_count(threads));
  team.execute([&] {
    team.for_intervals(static_cast<std::int64_t>(to.size()), 65536, [&](std::int64_t begin, std::int64_t end) {
      for (auto e = static_cast<std::size_t>(begin); e < static_cast<std::size_t>(end); ++e) to[e] = values[rows.source[e]];
    });
  });
}

std::shared_ptr<const SymmetricRows> rows_of(const PatternView& pattern, int threads) {
  ThreadTeam team(worker_count(threads));
  team.execute([&] { validate_pattern(pattern, team); });
  return std::make_shared<const SymmetricRows>(symmetric_rows(pattern));
}

/// r := b − A x.
template <class S>
void subtract_product(const SymmetricRows& rows, const RawVector<S>& values, const S* x, const S* b, int threads,
                      RawVector<S>& r) {
  r.resize(static_cast<std::size_t>(rows.n));
  ThreadTeam team(worker_count(threads));
  team.execute([&] {
    team.for_intervals(rows.n, 8192, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        auto sum = static_cast<double>(b[i]);
        for (auto e = static_cast<std::size_t>(rows.offsets[i]); e < static_cast<std::size_t>(rows.offsets[i + 1]); ++e)
          sum -= static_cast<double>(values[e]) * static_cast<double>(x[rows.columns[e]]);
        r[i] = static_cast<S>(sum);
      }
    });
  });
}

/// ‖v‖₂, also where squares would overflow.
template <class S>
double safe_norm(const S* v, std::int64_t n) {
  double largest = 0.0, sum = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double magnitude = std::abs(static_cast<double>(v[i]));
    if (!(magnitude <= largest)) largest = magnitude;
    if (std::isnan(largest)) return largest;
  }
  if (largest == 0.0 || std::isinf(largest)) return largest;
  for (std::int64_t i = 0; i < n; ++i) {
    const double scaled = static_cast<double>(v[i]) / largest;
    sum += scaled * scaled;
  }
  return largest * std::sqrt(sum);
}

/// Sets x to 0.
template <class S>
void clear(const DenseView<S>& x, void* stream) {
  for (std::int64_t c = 0; c < x.cols; ++c) {
    const DenseView<S> column(x.data + c * x.ld, x.rows, x.space);
    if (x.space == MemorySpace::host) {
      std::fill_n(column.data, x.rows, S(0));
    } else {
      HostResult<S>(column).write_back(stream);
    }
  }
}

}  // namespace

void check_system_options(const SystemOptions& options) {
  check_enumerator(options.method, method_names, "method");
  if (options.method == Method::mixed && !built_with<float>()) refuse_scalar("the method mixed", "float");
  check_enumerator(options.ordering, ordering_names, "ordering");
  if (options.ordering == Ordering::user)
    fail<InvalidInput>("the ordering user needs a permutation, which a SystemSolver does not take; use Solver");
  if (options.expected_solves < 1) fail<InvalidInput>("expected_solves is {}; it must be positive", options.expected_solves);
  if (options.expected_factorizations < 1)
    fail<InvalidInput>("expected_factorizations is {}; it must be at least 1", options.expected_factorizations);
  if (options.preconditioner == Preconditioner::factor)
    fail<InvalidInput>("the preconditioner factor is the method mixed of a SystemSolver; set method to mixed");
  PcgOptions pcg;  // Has the same ranges for the rest.
  pcg.tolerance = options.tolerance;
  pcg.absolute_tolerance = options.absolute_tolerance;
  pcg.max_iterations = options.max_iterations;
  pcg.preconditioner = options.preconditioner;
  pcg.backend = options.backend;
  pcg.threads = options.threads;
  pcg.device = options.device;
  check_pcg_options(pcg);
}

template <class S>
MatrixView<S> SystemSolver<S>::Impl::Analyzed::view() const {
  MatrixView<S> a;
  a.n = rows->n;
  a.offsets = rows->offsets.data();
  a.indices = rows->columns.data();
  a.values = values.empty() ? nullptr : values.data();
  a.part = StoredPart::full;
  a.compression = Compression::rows;
  return a;
}

template <class S>
void SystemSolver<S>::Impl::refuse_in_capture(const char* call) const {
  if (stream == nullptr || !is_captured(stream)) return;
  fail<InvalidState>(
      "{} of a SystemSolver waits for the device, so a graph cannot capture it; call it outside of the capture", call);
}

template <class S>
void SystemSolver<S>::Impl::analyze(const MatrixView<S>& a) {
  refuse_in_capture("analyze");
  check_matrix(a);
  auto fresh = std::make_unique<Analyzed>();
  fresh->options = options;
  fresh->rows = rows_of(pattern_of(a), options.threads);
  analyzed = std::move(fresh);
  report = SystemReport();
  if (options.method == Method::direct || options.method == Method::mixed) start_plan();
}

template <class S>
void SystemSolver<S>::Impl::update(Span<const S> values, MemorySpace space) {
  refuse_in_capture("update");
  if (!analyzed) fail<InvalidState>("{} was called before analyze", "update");
  Analyzed& of = *analyzed;
  check_space(space, "the matrix's values");
  const std::int64_t wanted = of.rows->entries_of_caller;
  if (static_cast<std::int64_t>(values.size()) != wanted)
    fail<InvalidInput>("{} values were given, but the analyzed matrix has {} entries", values.size(), wanted);
  if (wanted > 0 && values.data() == nullptr) fail<InvalidInput>("the matrix has no values (a null pointer)");
  const HostCopy<S> copy(values.data(), space, wanted, stream);
  of.has_values = of.pcg_current = of.mixed_current = of.direct_current = false;
  take_values(*of.rows, copy.data(), of.options.threads, of.values);
  of.finite = first_bad(of.values.data(), static_cast<std::int64_t>(of.values.size())) < 0;
  of.norms = of.finite ? row_norms(*of.rows, of.values, of.options.threads) : RowNorms();
  of.choice_is_old = of.choice != Method::automatic;
  of.looked_for_plan = false;
  of.solves = 0;
  of.has_values = true;
}

template <class S>
const SystemReport& SystemSolver<S>::Impl::solve(const DenseView<const S>& b, const DenseView<S>& x) {
  report = SystemReport();
  refuse_in_capture("solve");
  report.method = options.method;
  if (!analyzed) fail<InvalidState>("{} was called before analyze", "solve");
  Analyzed& of = *analyzed;
  if (!of.has_values) fail<InvalidState>("solve was called before update gave the matrix values");
  check_dense(b, of.rows->n, "b");
  check_dense(x, of.rows->n, "x");
  if (b.cols != x.cols) fail<InvalidInput>("b has {} columns, but x has {}", b.cols, x.cols);
  if (overlap(b, x)) fail<InvalidInput>("b and x overlap; the solution is verified with b");
  const Stopwatch watch;
  const HostCopy<S> copy(b.data, b.space, extent(b), stream);
  KeptColumns<S> before(x);
  try {
    solve_by_method({b, x, DenseView<const S>(copy.data(), b.rows, b.cols, b.ld), &before});
    if (report.status == SystemStatus::not_positive_definite || report.status == SystemStatus::not_finite) {
      before.restore(stream);
      report.residual = report.backward_error = -1.0;
    }
  } catch (...) {
    report.status = SystemStatus::not_solved;
    throw;
  }
  if (report.status == SystemStatus::not_solved) report.status = SystemStatus::solved;
  of.solves += b.cols;
  report.solves = of.solves;
  report.factorizations = of.factorizations;
  report.seconds_iteration = of.times.iteration;
  if (of.plan.ready()) report.seconds_analysis = of.plan.seconds();
  report.memory = memory();
  report.seconds_solve = watch.seconds();
  return report;
}

/// Writes x, and the report's status if there is a failure.
template <class S>
void SystemSolver<S>::Impl::solve_by_method(const Call& call) {
  const Analyzed& of = *analyzed;
  const DenseView<const S>& b = call.b;
  std::int64_t bad = of.finite ? -1 : 0;
  if (bad >= 0) report.reason = "A has NaN or Inf";
  for (std::int64_t c = 0; bad < 0 && c < b.cols; ++c) {
    bad = first_bad(call.host_b.data + c * b.ld, b.rows);
    if (bad >= 0) report.reason = fmt::format("b has NaN or Inf in row {} of right-hand side {}", bad, c);
  }
  if (bad >= 0) {
    report.status = SystemStatus::not_finite;
  } else if (of.rows->n == 0 || b.cols == 0) {
    clear(call.x, stream);
    report.residual = 0.0;
    report.reason = "there is nothing to solve for";
  } else if (options.method == Method::automatic) {
    solve_automatic(call);
  } else if (options.method == Method::pcg) {
    solve_pcg(call, 0);
  } else if (options.method == Method::mixed && has_mixed) {
    solve_mixed(call, 0);
  } else {
    solve_direct(call, 0);
  }
}

template <class S>
void SystemSolver<S>::Impl::tell(const char* phase, double fraction) const {
  if (options.progress && !options.progress(Progress{phase, fraction}))
    fail<Cancelled>("solve was cancelled in the phase '{}'", phase);
}

template <class S>
double SystemSolver<S>::Impl::default_tolerance() const {
  if (options.tolerance > 0.0 || options.absolute_tolerance > 0.0) return options.tolerance;
  return std::is_same_v<S, float> ? 1e-5 : 1e-10;
}

/// Whether x of a column is a solution. Fills in what the report says about it, and r = b − A x if `residual` is not null.
template <class S>
bool SystemSolver<S>::Impl::is_accurate(const Call& call, std::int64_t column, RawVector<S>* residual) {
  const Analyzed& of = *analyzed;
  const std::int64_t n = of.rows->n;
  const HostCopy<S> x(call.x.data + column * call.x.ld, call.x.space, n, stream);
  const S* const b = call.host_b.data + column * call.host_b.ld;
  RawVector<S> own;
  RawVector<S>& r = residual == nullptr ? own : *residual;
  subtract_product(*of.rows, of.values, x.data(), b, of.options.threads, r);
  const double of_b = safe_norm(b, n), of_r = safe_norm(r.data(), n), of_x = safe_norm(x.data(), n);
  const double scale = of.norms.largest * of_x + of_b;
  const double relative = of_b > 0.0 ? of_r / of_b : of_r;
  report.residual = std::isfinite(relative) ? std::max(report.residual, relative) : relative;
  if (of_r <= std::max(default_tolerance() * of_b, options.absolute_tolerance)) return true;
  const double error = scale > 0.0 ? of_r / scale : of_r;
  report.backward_error = std::isfinite(error) ? std::max(report.backward_error, error) : error;
  return error <= 100.0 * std::sqrt(static_cast<double>(n)) * static_cast<double>(std::numeric_limits<S>::epsilon());
}

/// Bytes of A here and in Pcg, of vectors and of factors.
template <class S>
std::int64_t SystemSolver<S>::Impl::memory() const {
  const Analyzed& of = *analyzed;
  const auto entries = static_cast<std::int64_t>(of.rows->source.size());
  const auto size = static_cast<std::int64_t>(sizeof(S));
  const std::int64_t pattern = entries * 12;
  constexpr std::int64_t vectors = 7;
  const std::int64_t copy = entries * (4 + size);
  const std::int64_t iteration = pattern + 2 * copy + vectors * of.rows->n * size;
  std::int64_t bytes = pattern + entries * size;
  if (of.pcg) bytes += iteration;
  if (of.direct) bytes += of.direct->analyze_report().memory.total();
  if (of.mixed && of.plan.ready()) {
    const Preview& made = of.plan.get();
    bytes += iteration +
             made.plan->memory(made.report.backend, ScalarType::real_single, false, worker_count(of.options.threads), false)
                 .total();
    if (made.report.backend == Backend::host) bytes -= copy;  // Products take the rows as they are, in no other format.
  }
  return bytes;
}

template <class S>
void SystemSolver<S>::Impl::set_stream(void* cuda_stream) {
  stream = cuda_stream;
  if (!analyzed) return;
  if (analyzed->pcg) analyzed->pcg->set_stream(cuda_stream);
  if (analyzed->mixed) analyzed->mixed->set_stream(cuda_stream);
  if (analyzed->direct) analyzed->direct->set_stream(cuda_stream);
}

#define GPUSUPERNODAL_INSTANTIATE(T) template struct SystemSolver<T>::Impl;
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
