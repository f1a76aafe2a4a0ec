#include "solver/api/pcg_state.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/stopwatch.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/checks.hpp"
#include "solver/api/hermitian_diagonal.hpp"
#include "solver/api/product_figures_file.hpp"
#include "solver/api/staging.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/backend/executor.hpp"
#include "solver/common/fail.hpp"
#include "solver/sparse/row_product.hpp"

namespace gpusupernodal {
namespace {

/// Backend::automatic takes a device from this number of entries on. Below, an iteration on the host takes no longer than
/// the launches of a device.
constexpr std::int64_t fewest_entries_of_device = 50000;

/// Whether the first report is worse than the second.
bool is_worse(const PcgReport& one, const PcgReport& other) {
  if (one.converged() != other.converged()) return !one.converged();
  return one.converged() && one.iterations > other.iterations;
}

template <class S>
bool all_finite(const RawVector<S>& values, ThreadTeam& team) {
  std::atomic<bool> finite{true};
  team.for_intervals(static_cast<std::int64_t>(values.size()), 65536, [&](std::int64_t begin, std::int64_t end) {
    if (!std::all_of(values.begin() + begin, values.begin() + end,
                     [](S value) { return ScalarTraits<S>::is_finite(value); }))
      finite = false;
  });
  return finite;
}

void validate_by_team(const PatternView& pattern, int threads) {
  ThreadTeam team(worker_count(threads));
  team.execute([&] { validate_pattern(pattern, team); });
}

/// Throws InvalidInput that names the row of an entry on the diagonal which is not real.
template <class S>
void require_hermitian(const SymmetricRows& pattern, const S* values) {
  if constexpr (ScalarTraits<S>::is_complex) {
    for (std::int32_t i = 0; i < pattern.n; ++i) {
      const std::int32_t e = pattern.diagonal(i);
      if (e < 0) continue;
      require_real_up_to_rounding(values[pattern.source[static_cast<std::size_t>(e)]], i, pattern.n,
                                  "conjugate gradients need a Hermitian matrix; take a solver with the form ldlt or lu");
    }
  }
}

/// Sets the values of `a`, and its pattern at first. Returns whether they are finite.
template <class S>
bool take_values(const SymmetricRows& pattern, const S* values, int threads, SparseRows<S>& a) {
  bool finite = true;
  ThreadTeam team(worker_count(threads));
  team.execute([&] {
    fill_rows(pattern, values, team, a);
    finite = all_finite(a.values, team);
  });
  return finite;
}

/// A function of the caller for vectors of n entries, with the stream that `stream` points to when it is called. This is a
/// free function, as those above, because the library would export closures that members of an exported class create.
template <class S>
VectorFunction<S> on_stream(const typename Pcg<S>::Apply& apply, std::int64_t n, MemorySpace space, void* const* stream) {
  return [apply, n, space, stream](const S* x, S* y) {
    apply(DenseView<const S>(x, n, space), DenseView<S>(y, n, space), *stream);
  };
}

}  // namespace

template <class S>
Backend backend_of_pcg(const PcgOptions& options, std::int64_t entries, bool on_device) {
  const Backend named = wanted_backend(options.backend);
  if (ScalarTraits<S>::is_complex) {
    if (named != Backend::cuda) return Backend::host;
    fail<BackendUnavailable>(
        "the CUDA backend was requested, but conjugate gradients with complex matrices run on the host only; set the "
        "backend to host or automatic");
  }
  if (named != Backend::automatic) return named;
  if (options.preconditioner == Preconditioner::ic0) return Backend::host;
  const bool wanted = on_device || entries >= fewest_entries_of_device;
  return wanted && cuda_availability().available ? Backend::cuda : Backend::host;
}

template <class S>
void Pcg<S>::Impl::refuse_in_capture(const char* call) const {
  if (stream == nullptr || !is_captured(stream)) return;
  fail<InvalidState>(
      "{} of conjugate gradients waits for the device, so a graph cannot capture it; call it outside of the capture", call);
}

template <class S>
std::unique_ptr<typename Pcg<S>::Impl::Analyzed> Pcg<S>::Impl::begin(std::int64_t n, std::int64_t entries,
                                                                     bool on_device) const {
  auto fresh = std::make_unique<Analyzed>();
  fresh->options = options;
  fresh->n = n;
  fresh->backend = backend_of_pcg<S>(options, entries, on_device);
  PcgEngineOptions engine;
  engine.threads = options.threads;
  engine.device = options.device;
  const bool cuda = fresh->backend == Backend::cuda;
  engine.figures = found_product_figures(fresh->backend, options.device).figures;
  engine.allocator = cuda ? options.device_allocator : options.host_allocator;
  if constexpr (!ScalarTraits<S>::is_complex) {
    if (cuda) fresh->engine = make_cuda_pcg<S>(static_cast<std::int32_t>(n), engine);
  }
  if (!fresh->engine) fresh->engine = make_host_pcg<S>(static_cast<std::int32_t>(n), engine);
  fresh->engine->set_stream(stream);
  return fresh;
}

template <class S>
void Pcg<S>::Impl::analyze(const MatrixView<S>& a) {
  refuse_in_capture("analyze");
  check_matrix(a);
  const PatternView pattern = pattern_of(a);
  validate_by_team(pattern, options.threads);
  SymmetricRows rows = symmetric_rows(pattern);
  auto fresh = begin(a.n, static_cast<std::int64_t>(rows.source.size()), a.value_space == MemorySpace::device);
  fresh->pattern = std::move(rows);
  analyzed = std::move(fresh);
}

template <class S>
void Pcg<S>::Impl::use_foreign_inverse(Analyzed& to) const {
  PcgInverse<S> foreign;
  if (inverse) foreign.function = on_stream<S>(inverse, to.n, to.engine->space(), &stream);
  to.engine->set_inverse(foreign);
  to.setup = PcgReport();
  to.setup.foreign_preconditioner = static_cast<bool>(inverse);
  to.has_inverse = false;  // Without a function, the next update makes the preconditioner of the options.
}

template <class S>
void Pcg<S>::Impl::take_operator(std::int64_t n, Apply product) {
  refuse_in_capture("set_operator");
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (n < 0 || n > most) fail<InvalidInput>("the order of the operator is {}; it must be 0 to {}", n, most);
  if (!product) fail<InvalidInput>("the operator is an empty function");
  auto fresh = begin(n, 0, false);
  fresh->is_operator = fresh->has_values = true;
  fresh->engine->set_function(on_stream<S>(product, n, fresh->engine->space(), &stream));
  use_foreign_inverse(*fresh);
  analyzed = std::move(fresh);
}

template <class S>
void Pcg<S>::Impl::take_inverse(Apply function) {
  const bool changes_now = function || (analyzed && analyzed->is_operator);
  inverse = std::move(function);
  if (analyzed && changes_now) use_foreign_inverse(*analyzed);
}

template <class S>
void Pcg<S>::Impl::make_inverse() {
  Analyzed& of = *analyzed;
  if (inverse) return use_foreign_inverse(of);
  const bool kept = options.renewal == Renewal::never ||
                    (options.renewal == Renewal::after_iterations && of.last_iterations <= options.renewal_iterations);
  if (of.has_inverse && kept) return;
  Stopwatch watch;
  PcgReport setup;
  of.has_inverse = false;
  of.preconditioner.make({of.pattern, of.a, of.options, of.backend, stream}, *of.engine, setup);
  setup.seconds_setup = watch.lap();
  of.setup = setup;
  of.has_inverse = setup.bad_row < 0;
  of.last_iterations = 0;
}

/// Gives the engine A. With a factor, few iterations follow, so on the host they read A's rows in place: choosing a format
/// for products and making it takes as long as dozens of iterations.
template <class S>
void Pcg<S>::Impl::set_matrix() {
  Analyzed& of = *analyzed;
  if constexpr (!ScalarTraits<S>::is_complex) {
    if (of.backend == Backend::host && of.options.preconditioner == Preconditioner::factor && !inverse) {
      const RowsView<S> rows{of.a.n, of.a.offsets.data(), of.a.columns.data(), of.a.values.data()};
      of.engine->set_function(make_host_row_product<S>(rows, of.options.threads));
      return;
    }
  }
  of.engine->set_matrix(of.a);
}

template <class S>
void Pcg<S>::Impl::update(Span<const S> values, MemorySpace space) {
  refuse_in_capture("update");
  if (!analyzed) fail<InvalidState>("{} was called before analyze", "update");
  Analyzed& of = *analyzed;
  if (of.is_operator)
    fail<InvalidState>("update was called for an operator, which has no values; its function must use new ones");
  check_space(space, "the matrix's values");
  const std::int64_t wanted = of.pattern.entries_of_caller;
  if (static_cast<std::int64_t>(values.size()) != wanted)
    fail<InvalidInput>("{} values were given, but the analyzed matrix has {} entries", values.size(), wanted);
  if (wanted > 0 && values.data() == nullptr) fail<InvalidInput>("the matrix has no values (a null pointer)");
  const HostCopy<S> copy(values.data(), space, wanted, stream);
  require_hermitian(of.pattern, copy.data());
  of.has_values = false;
  of.finite = take_values(of.pattern, copy.data(), of.options.threads, of.a);
  if (of.finite) {
    set_matrix();
    make_inverse();
  }
  of.has_values = true;
}

template <class S>
PcgReport Pcg<S>::Impl::solve_column(const DenseView<const S>& b, const DenseView<S>& x, bool use_start) {
  Analyzed& of = *analyzed;
  PcgReport report;
  if (!of.finite) {
    report.status = PcgStatus::not_finite;
    return report;
  }
  PcgCriteria criteria = criteria_of<S>(options, of.n);
  if (of.setup.bad_row >= 0) criteria.max_iterations = 0;  // Without M, x can only be the start value.
  report = conjugate_gradients(*of.engine, criteria, b, x, use_start);
  if (of.setup.bad_row >= 0 && report.status == PcgStatus::max_iterations) report.status = PcgStatus::breakdown;
  return report;
}

template <class S>
const PcgReport& Pcg<S>::Impl::solve(const DenseView<const S>& b, const DenseView<S>& x, bool use_start) {
  refuse_in_capture("solve");
  if (!analyzed) fail<InvalidState>("{} was called before analyze", "solve");
  Analyzed& of = *analyzed;
  if (!of.has_values) fail<InvalidState>("solve was called before update gave the matrix values");
  check_dense(b, of.n, "b");
  check_dense(x, of.n, "x");
  if (b.cols != x.cols) fail<InvalidInput>("b has {} columns, but x has {}", b.cols, x.cols);
  if (overlap(b, x)) fail<InvalidInput>("b and x overlap; conjugate gradients need b until the end");
  const bool host = of.backend == Backend::host;
  reports.clear();
  std::size_t worst = 0;
  for (std::int64_t c = 0; c < b.cols; ++c) {
    Stopwatch watch;
    const DenseView<S> target(x.data + c * x.ld, of.n, x.space);
    const HostCopy<S> in(b.data + c * b.ld, host ? b.space : MemorySpace::host, of.n, stream);
    PcgReport report;
    if (host && x.space == MemorySpace::device) {
      HostResult<S> out(target);
      // Even without a start value: if the solve writes nothing, x must stay unchanged.
      copy_device_bytes(out.view().data, MemorySpace::host, target.data, x.space,
                        of.n * static_cast<std::int64_t>(sizeof(S)), stream);
      report = solve_column(DenseView<const S>(in.data(), of.n), out.view(), use_start);
      out.write_back(stream);
    } else {
      report = solve_column(DenseView<const S>(in.data(), of.n, host ? MemorySpace::host : b.space), target, use_start);
    }
    PcgReport full = of.setup;
    full.status = report.status;
    full.iterations = report.iterations;
    full.restarts = report.restarts;
    full.right_hand_side = report.right_hand_side;
    full.recursive_residual = report.recursive_residual;
    full.residual = report.residual;
    full.backend = of.backend;
    full.seconds_solve = watch.lap();
    of.last_iterations = std::max(of.last_iterations, full.iterations);
    reports.push_back(full);
    if (is_worse(full, reports[worst])) worst = reports.size() - 1;
  }
  if (reports.empty()) reports.push_back(of.setup), reports.back().status = PcgStatus::converged;
  return reports[worst];
}

template <class S>
PcgReport Pcg<S>::Impl::setup_report() const {
  PcgReport report;
  report.status = PcgStatus::converged;
  if (!analyzed) return report;
  report = analyzed->setup;
  report.backend = analyzed->backend;
  report.status = !analyzed->finite              ? PcgStatus::not_finite
                  : analyzed->setup.bad_row >= 0 ? PcgStatus::breakdown
                                                 : PcgStatus::converged;
  return report;
}

template <class S>
void Pcg<S>::Impl::precondition(const DenseView<const S>& r, const DenseView<S>& z) {
  refuse_in_capture("precondition");
  if (!analyzed) fail<InvalidState>("{} was called before analyze", "precondition");
  Analyzed& of = *analyzed;
  if (!of.has_values) fail<InvalidState>("precondition was called before update gave the matrix values");
  if (!of.finite) fail<InvalidState>("there is no preconditioner, because the matrix has values that are not finite");
  if (of.setup.bad_row >= 0)
    fail<InvalidState>("there is no preconditioner, because row {} of the matrix has no positive pivot", of.setup.bad_row);
  check_dense(r, of.n, "r");
  check_dense(z, of.n, "z");
  if (r.cols != z.cols) fail<InvalidInput>("r has {} columns, but z has {}", r.cols, z.cols);
  if (overlap(r, z)) fail<InvalidInput>("r and z overlap; the preconditioner reads r while it writes z");
  const bool host = of.backend == Backend::host;
  for (std::int64_t c = 0; c < r.cols && of.n > 0; ++c) {
    const HostCopy<S> in(r.data + c * r.ld, host ? r.space : MemorySpace::host, of.n, stream);
    const DenseView<S> target(z.data + c * z.ld, of.n, z.space);
    if (host && z.space == MemorySpace::device) {
      HostResult<S> out(target);
      of.engine->precondition(in.data(), MemorySpace::host, out.view().data, MemorySpace::host);
      out.write_back(stream);
    } else {
      of.engine->precondition(in.data(), host ? MemorySpace::host : r.space, target.data, target.space);
    }
  }
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template struct Pcg<T>::Impl;      \
  template Backend backend_of_pcg<T>(const PcgOptions&, std::int64_t, bool);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
