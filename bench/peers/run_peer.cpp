#include <CLI/CLI.hpp>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "bench/peers/events.hpp"
#include "bench/peers/peer.hpp"
#include "bench/timing.hpp"
#include "gpusupernodal/span.hpp"
#include "io/residual.hpp"

namespace gpusupernodal::bench {

namespace {

/// Limits on the repetitions and the time of a phase.
struct Limits {
  double cap = 20.0;              ///< Seconds per phase; no repetition begins that would exceed them.
  int analyses = 3;               ///< Maximum number of analyses.
  double analysis_seconds = 1.0;  ///< Total time of the analyses beyond which none is repeated.
  int factorizations = 5;         ///< Repetitions after a warm-up.
  int solves = 9;                 ///< Repetitions after a warm-up.
  bool analyze_only = false;      ///< Whether to stop after the analyses.
  bool compare_bits = true;       ///< Whether to compare the bits of three more refactorizations.
};

/// Makes a problem whose solution has entries from 1 to 7/4 that differ between columns, so that swapped columns are
/// noticed.
Problem make_problem(const std::string& spec, int columns) {
  Problem problem;
  problem.a = io::load(spec);
  problem.columns = columns;
  const std::size_t n = static_cast<std::size_t>(problem.a.n);
  std::vector<double> x(n);
  for (int c = 0; c < columns; ++c) {
    for (std::size_t i = 0; i < n; ++i) x[i] = 1.0 + static_cast<double>(i * static_cast<std::size_t>(c + 1) % 7) / 8.0;
    const std::vector<double> b = io::multiply(problem.a, x);
    problem.b.insert(problem.b.end(), b.begin(), b.end());
  }
  return problem;
}

class Measurement {
 public:
  Measurement(const Problem& problem, Peer& peer, const Limits& limits) : problem_(problem), peer_(peer), limits_(limits) {}

  void run() {
    if (!peer_.has_phases()) {
      phase("everything", [&] { return repeat(limits_.factorizations, [&] { peer_.everything(); }); });
      write_event("fields", {{"backward_error_everything", backward_error(1)}});
      return;
    }
    phase("analyze", [&] { return repeat_analysis(); });
    if (limits_.analyze_only) return;
    phase("factorize", [&] { return Seconds{one([&] { peer_.factorize(); })}; });
    phase("refactorize", [&] {
      const Seconds seconds = repeat(limits_.factorizations, [&] { peer_.refactorize(); });
      refactorize_seconds_ = median(seconds);
      return seconds;
    });
    solve_phase("solve1", 1);
    if (problem_.columns > 1) solve_phase("solve" + std::to_string(problem_.columns), problem_.columns);
    if (limits_.compare_bits) phase("bits", [&] { return compare_bits(); });
  }

 private:
  using Seconds = std::vector<double>;

  double one(const std::function<void()>& call) {
    return seconds_of([&] {
      call();
      peer_.finish();
    });
  }

  /// Runs a warm-up and at most `times` repetitions within the cap. A warm-up of more than half the cap is the only result.
  Seconds repeat(int times, const std::function<void()>& call) {
    const double first = one(call);
    if (first > limits_.cap / 2) {
      capped_ = true;
      return {first};
    }
    Seconds seconds;
    double spent = first;
    for (int r = 0; r < times; ++r) {
      seconds.push_back(one(call));
      spent += seconds.back();
      if (spent + seconds.back() > limits_.cap && r + 1 < times) {
        capped_ = true;
        break;
      }
    }
    return seconds;
  }

  Seconds repeat_analysis() {
    Seconds seconds;
    double spent = 0.0;
    do {
      seconds.push_back(one([&] { peer_.analyze(); }));
      spent += seconds.back();
    } while (static_cast<int>(seconds.size()) < limits_.analyses && spent + seconds.back() < limits_.analysis_seconds);
    capped_ = spent > limits_.cap;
    return seconds;
  }

  void phase(const std::string& name, const std::function<Seconds()>& measure) {
    capped_ = false;
    write_event("begin", {{"phase", name}});
    try {
      const Seconds seconds = measure();
      write_event("end", {{"phase", name}, {"seconds", seconds}, {"capped", capped_}});
      write_event("fields", peer_.fields());
    } catch (const NotOffered& reason) {
      write_event("end", {{"phase", name}, {"left_out", reason.what()}});
    }
  }

  void solve_phase(const std::string& name, int columns) {
    bool solved = false;
    phase(name, [&] {
      const Seconds seconds = repeat(limits_.solves, [&] { peer_.solve(columns); });
      solved = true;
      return seconds;
    });
    if (solved) write_event("fields", {{"backward_error_" + name, backward_error(columns)}});
  }

  /// Larger backward error of the first and the last column of the last solve.
  double backward_error(int columns) {
    const std::size_t n = static_cast<std::size_t>(problem_.n());
    const std::vector<double> x = peer_.solution(columns);
    double worst = 0.0;
    for (const int column : {0, columns - 1}) {
      const std::size_t begin = static_cast<std::size_t>(column) * n;
      worst = io::larger_error(worst, io::backward_error(problem_.a, Span<const double>(x.data() + begin, n),
                                                         Span<const double>(problem_.b.data() + begin, n)));
    }
    return worst;
  }

  /// Checks whether three refactorizations, each followed by a solve, give the same bits.
  Seconds compare_bits() {
    if (refactorize_seconds_ > limits_.cap / 4) throw NotOffered("three refactorizations more would take too long");
    std::vector<double> first;
    bool equal = true;
    const double seconds = seconds_of([&] {
      for (int r = 0; r < 3; ++r) {
        peer_.refactorize();
        peer_.solve(1);
        peer_.finish();
        const std::vector<double> x = peer_.solution(1);
        if (r == 0) first = x;
        equal = equal && std::memcmp(x.data(), first.data(), x.size() * sizeof(double)) == 0;
      }
    });
    write_event("fields", {{"equal_bits", equal}});
    return {seconds};
  }

  const Problem& problem_;
  Peer& peer_;
  const Limits& limits_;
  bool capped_ = false;
  double refactorize_seconds_ = 0.0;
};

/// Runs all phases on a small problem without timing them, so that the library's one-time initialization is not measured.
void warm_up(const PeerProgram& program, PeerSettings settings) {
  settings.permutation_file.clear();
  const Problem problem = make_problem("lap2d:50", 2);
  const std::unique_ptr<Peer> peer = program.make(problem, settings);
  if (!peer->has_phases()) return peer->everything();
  peer->analyze();
  peer->factorize();
  peer->refactorize();
  for (const int columns : {1, 2}) {
    try {
      peer->solve(columns);
    } catch (const NotOffered&) {
      break;
    }
  }
  peer->finish();
}

void measure(const PeerProgram& program, const std::string& spec, const PeerSettings& settings, const Limits& limits,
             int columns) {
  write_event("begin", {{"phase", "load"}});
  const Stopwatch watch;
  warm_up(program, settings);
  const Problem problem = make_problem(spec, columns);
  write_event("end", {{"phase", "load"}, {"seconds", {watch.seconds()}}, {"capped", false}});
  write_event("fields", {{"n", problem.n()},
                         {"nnz_a", problem.a.values.size()},
                         {"error_bound", 4.0 * static_cast<double>(problem.n()) * std::numeric_limits<double>::epsilon()}});
  const std::unique_ptr<Peer> peer = program.make(problem, settings);
  Measurement(problem, *peer, limits).run();
}

}  // namespace

int run_peer(int argc, char** argv, const PeerProgram& program) {
  CLI::App app("Measures the phases of " + program.name + " for one matrix; writes a JSON object a line");
  std::string spec;
  PeerSettings settings;
  settings.mode = program.modes.front();
  Limits limits;
  int columns = 16;
  bool quick = false;
  app.add_option("matrix", spec, "Matrix Market file or generator")->required();
  app.add_option("--mode", settings.mode, "How the solver works")->check(CLI::IsMember(program.modes));
  app.add_option("--threads", settings.threads, "Host threads; 0: all")->check(CLI::NonNegativeNumber);
  app.add_option("--permutation", settings.permutation_file,
                 "The permutation of our solver, which writes it; others read it if it exists");
  app.add_option("--cap", limits.cap, "Seconds of a phase after which no repetition begins")->check(CLI::PositiveNumber);
  app.add_option("--factorizations", limits.factorizations, "Timed factorizations")->check(CLI::PositiveNumber);
  app.add_option("--solves", limits.solves, "Timed solves")->check(CLI::PositiveNumber);
  app.add_option("--rhs", columns, "Right-hand sides of the second solve")->check(CLI::PositiveNumber);
  app.add_flag("--analyze-only", limits.analyze_only, "Nothing after the analyses");
  app.add_flag("--quick", quick, "Three factorizations, three solves, one analysis; does not compare bits");
  CLI11_PARSE(app, argc, argv);
  if (quick) {
    limits.analyses = 1;
    limits.factorizations = limits.solves = 3;
    limits.compare_bits = false;
  }
  try {
    write_event(
        "fields",
        {{"program", program.name}, {"mode", settings.mode}, {"matrix", std::filesystem::path(spec).filename().string()}});
    measure(program, spec, settings, limits, columns);
    write_event("done");
    return 0;
  } catch (const std::exception& error) {
    write_event("failed", {{"message", error.what()}});
    return 1;
  }
}

}  // namespace gpusupernodal::bench
