#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/processor_name.hpp"
#include "cli/report/collect.hpp"
#include "gpusupernodal/names.hpp"

namespace gpusupernodal::cli {
namespace {

std::string date_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32] = "";
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &utc);
  return text;
}

int thread_count(const Collection& c) {
  const unsigned all = std::max(1U, std::thread::hardware_concurrency());
  return c.options.threads > 0 ? c.options.threads : static_cast<int>(all);
}

/// Bytes that a := b + s·d moves in a second, arrays much larger than a cache: the best of five.
double measured_bandwidth(int threads) {
  constexpr std::size_t n = std::size_t{1} << 22U;
  constexpr double bytes = 3.0 * sizeof(double) * n;
  std::vector<double> a(n, 0.0), b(n, 1.0), d(n, 2.0);
  const auto part = [&](std::size_t begin, std::size_t end, double factor) {
    for (std::size_t i = begin; i < end; ++i) a[i] = b[i] + factor * d[i];
  };
  double best = 0.0;
  constexpr int rounds = 5;
  for (int round = 0; round < rounds; ++round) {
    const Stopwatch watch;
    std::vector<std::thread> workers;
    for (int w = 0; w < threads; ++w) {
      const auto at = [&](int k) { return n * static_cast<std::size_t>(k) / static_cast<std::size_t>(threads); };
      workers.emplace_back(part, at(w), at(w + 1), 1.0 + round);
    }
    for (std::thread& worker : workers) worker.join();
    best = std::max(best, bytes / watch.seconds());
  }
  return best;
}

/// Lower triangle of a dense positive definite matrix: ones, and 2 n on the diagonal.
struct DenseTriangle {
  explicit DenseTriangle(std::int64_t order) : n(order) {
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = j; i < n; ++i) {
        indices.push_back(static_cast<std::int32_t>(i));
        values.push_back(i == j ? 2.0 * static_cast<double>(n) : 1.0);
      }
      offsets.push_back(static_cast<std::int64_t>(indices.size()));
    }
  }
  MatrixView<double> view() const {
    MatrixView<double> a;
    a.n = n;
    a.offsets = offsets.data();
    a.indices = indices.data();
    a.values = values.data();
    return a;
  }
  std::int64_t n;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;
};

/// Flops in a second of the factorization of a dense matrix, which is enlarged until a factorization takes 20 ms.
double measured_flops(const Collection& c) {
  Options options = c.solver_options();
  options.form = Form::llt;
  options.backend = Backend::host;
  options.ordering = Ordering::natural;
  constexpr double long_enough = 0.02;
  constexpr int calls = 5;
  double rate = 0.0;
  for (std::int64_t n = 256; n <= 2048; n *= 2) {
    const DenseTriangle a(n);
    Solver<double> solver(options);
    solver.compute(a.view());
    const double seconds = median_seconds(calls, 1.0, [&] { solver.refactorize(a.values); });
    rate = std::max(rate, solver.analyze_report().flops / seconds);
    if (seconds > long_enough || c.limit.is_over()) break;
  }
  return rate;
}

void add_points(Collection& c) {
  const ReportFigures& f = c.figures;
  std::vector<RooflinePoint>& points = c.figures.roofline.points;
  if (f.direct.is_complete) {
    // Values of L are written and read again at least once.
    const auto bytes = 2.0 * static_cast<double>(f.analysis.report.memory.factor);
    points.push_back({"factorization", f.analysis.report.flops, bytes, f.direct.refactorize_seconds});
    points.push_back(
        {"solve", 4.0 * static_cast<double>(f.analysis.report.nonzeros_l), f.direct.bytes_of_l, f.direct.solve_seconds});
  }
  if (f.formats.is_complete) {
    points.push_back({"product, " + f.formats.report.kernel, 2.0 * static_cast<double>(f.matrix.entries),
                      static_cast<double>(f.formats.report.product_bytes), f.formats.product_seconds});
  }
}

}  // namespace

void collect_machine(Collection& c) {
  MachineDescription& m = c.figures.machine;
  m.processor = processor_name();
  m.threads = thread_count(c);
  m.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  m.backends = backends();
  m.date = date_now();
}

void collect_roofline(Collection& c) {
  RooflineFigures& f = c.figures.roofline;
  add_points(c);
  if (f.points.empty()) {
    f.note = "Nothing was measured that could be compared.";
    return;
  }
  const Backend backend =
      c.figures.analysis.is_complete ? c.figures.analysis.report.backend : c.figures.formats.report.backend;
  const std::vector<std::string>& devices = c.figures.machine.backends[backend == Backend::cuda ? 1 : 0].devices;
  f.model = machine_rates(backend, c.options.threads, backend == Backend::cuda && !devices.empty() ? devices.front() : "");
  f.is_complete = true;
  if (backend != Backend::host) return;
  Part measured;  // Without it the model's roof remains.
  attempt(c, "machine", measured, [&] {
    f.measured_bytes_per_second = measured_bandwidth(c.figures.machine.threads);
    f.measured_flops_per_second = measured_flops(c);
    return true;
  });
  if (!measured.is_complete) f.note = measured.note;
}

}  // namespace gpusupernodal::cli
