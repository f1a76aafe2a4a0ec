/// \file
/// Times batches of systems of one pattern beside a loop over Solver objects, a loop with one Solver, and KLU where it was
/// found. All run interleaved in one process, and the least time counts. Prints a Markdown table, or one JSON object per
/// line. Exits 1 if a system has another status than success.

#include "gpusupernodal/batch.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/fmt.hpp"
#include "bench/klu_peer.hpp"
#include "bench/timing.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/solver.hpp"
#include "io/general_matrix.hpp"
#include "io/symmetric_matrix.hpp"

namespace {

using namespace gpusupernodal;
using nlohmann::json;

struct Settings {
  std::int64_t count = 0;  ///< 0: by the order.
  int repeat = 9;
  bool json = false;
};

/// Least seconds of a refactorization and of a solve of all systems.
struct Times {
  double refactorize = std::numeric_limits<double>::infinity();
  double solve = std::numeric_limits<double>::infinity();

  template <class Refactorize, class Solve>
  void take(const Refactorize& refactorize_all, const Solve& solve_all) {
    refactorize = std::min(refactorize, bench::seconds_of(refactorize_all));
    solve = std::min(solve, bench::seconds_of(solve_all));
  }
  json per_system(std::int64_t count) const {
    const double scale = 1e6 / static_cast<double>(count);
    return {{"refactorize_us", refactorize * scale}, {"solve_us", solve * scale}};
  }
};

/// Values of each system: those of A, each changed by up to 5 %, positive ones upwards and others towards 0, so that
/// Laplacians stay positive definite.
std::vector<std::vector<double>> values_of_systems(const std::vector<double>& values, std::int64_t count) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> change(0.0, 0.05);
  std::vector<std::vector<double>> all(static_cast<std::size_t>(count), values);
  for (std::vector<double>& one : all) {
    for (double& value : one) value *= value > 0.0 ? 1.0 + change(random) : 1.0 - change(random);
  }
  return all;
}

Options options_of(Form form, int threads) {
  Options options;
  options.form = form;
  options.threads = threads;
  options.backend = Backend::host;
  return options;
}

/// The systems, and where solutions go.
struct Systems {
  std::int64_t n = 0;
  std::vector<std::vector<double>> values;
  std::vector<const double*> pointers;
  std::vector<double> b;
  std::vector<double> x;

  std::int64_t count() const { return static_cast<std::int64_t>(values.size()); }
  DenseView<const double> right(std::size_t i) const { return {b.data() + i * static_cast<std::size_t>(n), n}; }
  DenseView<double> solution(std::size_t i) { return {x.data() + i * static_cast<std::size_t>(n), n}; }
};

/// Alternatives that are timed in turn.
template <class Matrix>
class Race {
 public:
  Race(const Matrix& a, Form form, Systems& systems)
      : systems_(systems), one_(options_of(form, 1)), single_(options_of(form, 1)), pair_(options_of(form, 2)) {
    one_.analyze(a.view());
    for (std::int64_t i = 0; i < systems.count(); ++i) {
      many_.emplace_back(options_of(form, 1));
      many_.back().analyze(a.view(), one_.plan());
    }
    single_.analyze(a.view(), systems.count());
    pair_.analyze(a.view(), systems.count());
  }

  void run() {
    const std::size_t count = systems_.values.size();
    many_times.take(
        [&] {
          for (std::size_t i = 0; i < count; ++i) refactorize(many_[i], i);
        },
        [&] {
          for (std::size_t i = 0; i < count; ++i) many_[i].solve(systems_.right(i), systems_.solution(i));
        });
    Times turn;
    for (std::size_t i = 0; i < count; ++i) {
      Times system;
      system.take([&] { refactorize(one_, i); }, [&] { one_.solve(systems_.right(i), systems_.solution(i)); });
      turn.refactorize = (i == 0 ? 0.0 : turn.refactorize) + system.refactorize;
      turn.solve = (i == 0 ? 0.0 : turn.solve) + system.solve;
    }
    one_times.refactorize = std::min(one_times.refactorize, turn.refactorize);
    one_times.solve = std::min(one_times.solve, turn.solve);
    run_batch(single_, single_times);
    run_batch(pair_, pair_times);
  }
  bool all_succeeded() const { return succeeded_; }

  Times many_times;    ///< A Solver for each system.
  Times one_times;     ///< One Solver for all systems in turn.
  Times single_times;  ///< A batch on one thread.
  Times pair_times;    ///< A batch on two threads.

 private:
  void refactorize(Solver<double>& solver, std::size_t i) {
    solver.refactorize(systems_.values[i]);
    succeeded_ = succeeded_ && solver.status() == Status::success;
  }
  void run_batch(BatchSolver<double>& batch, Times& times) {
    times.take(
        [&] { batch.refactorize(Span<const double* const>(systems_.pointers)); },
        [&] {
          batch.solve({systems_.b.data(), systems_.n, systems_.count()}, {systems_.x.data(), systems_.n, systems_.count()});
        });
    for (const BatchStatus status : batch.solve_statuses()) succeeded_ = succeeded_ && status == BatchStatus::success;
  }

  Systems& systems_;
  Solver<double> one_;
  std::vector<Solver<double>> many_;
  BatchSolver<double> single_;
  BatchSolver<double> pair_;
  bool succeeded_ = true;
};

/// One KLU object with the pivots of the first system, for all systems in turn.
template <class Matrix>
Times time_klu(const Matrix& a, Systems& systems, int repeat) {
  Times times;
  if constexpr (std::is_same_v<Matrix, io::GeneralMatrix>) {
    bench::KluPeer klu(a);
    klu.analyze();
    klu.factorize();
    std::vector<double> x;
    for (int r = 0; r < repeat; ++r) {
      Times all{0.0, 0.0};
      for (std::size_t i = 0; i < systems.values.size(); ++i) {
        x.assign(systems.right(i).data, systems.right(i).data + systems.n);
        all.refactorize += bench::seconds_of([&] { klu.refactorize(systems.values[i]); });
        all.solve += bench::seconds_of([&] { klu.solve(x); });
      }
      times.refactorize = std::min(times.refactorize, all.refactorize);
      times.solve = std::min(times.solve, all.solve);
    }
  }
  return times;
}

template <class Matrix>
bool measure(const Matrix& a, Form form, const Settings& settings) {
  constexpr std::int64_t rows_in_all = 40000;
  Systems systems;
  systems.n = a.n;
  const std::int64_t count = settings.count > 0 ? settings.count : std::clamp<std::int64_t>(rows_in_all / a.n, 16, 1024);
  systems.values = values_of_systems(a.values, count);
  for (const std::vector<double>& one : systems.values) systems.pointers.push_back(one.data());
  systems.b.assign(static_cast<std::size_t>(a.n * count), 1.0);
  systems.x.resize(systems.b.size());
  Race<Matrix> race(a, form, systems);
  for (int r = 0; r <= settings.repeat; ++r) race.run();
  json row{{"matrix", a.name},
           {"form", name_of(form)},
           {"n", a.n},
           {"entries", static_cast<std::int64_t>(a.values.size())},
           {"count", count},
           {"solvers", race.many_times.per_system(count)},
           {"one_solver", race.one_times.per_system(count)},
           {"batch_1", race.single_times.per_system(count)},
           {"batch_2", race.pair_times.per_system(count)}};
  if (form == Form::lu && bench::KluPeer::is_available) row["klu"] = time_klu(a, systems, settings.repeat).per_system(count);
  if (settings.json) {
    fmt::print("{}\n", row.dump());
  } else {
    const auto both = [&](const char* who) {
      return row.contains(who) ? fmt::format("{:.2f} + {:.2f}", row[who]["refactorize_us"].get<double>(),
                                             row[who]["solve_us"].get<double>())
                               : "–";
    };
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", a.name, name_of(form), a.n, count, both("solvers"),
               both("one_solver"), both("batch_1"), both("batch_2"), both("klu"));
  }
  std::fflush(stdout);
  return race.all_succeeded();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Batches beside loops over Solver objects: µs per system, refactorize + solve");
  Settings settings;
  std::vector<std::string> symmetric{"lap2d:4", "lap2d:8", "lap2d:12", "lap2d:16", "lap2d:22"};
  std::vector<std::string> general{"convdiff:4", "convdiff:8", "convdiff:12", "convdiff:16", "convdiff:22"};
  app.add_option("--symmetric", symmetric, "Matrices for LLT and LDLT")->delimiter(',');
  app.add_option("--general", general, "Matrices for LU")->delimiter(',');
  app.add_option("--count", settings.count, "Systems of a batch (default: 40,000 rows in all, 16 to 1024 systems)");
  app.add_option("--repeat", settings.repeat, "Repetitions");
  app.add_flag("--json", settings.json, "One JSON object per line");
  CLI11_PARSE(app, argc, argv);
  if (!settings.json)
    fmt::print(
        "| matrix | form | n | systems | a Solver each | one Solver | batch, 1 thread | batch, 2 threads | KLU |\n"
        "|---|---|---|---|---|---|---|---|---|\n");
  bool succeeded = true;
  for (const std::string& name : symmetric) {
    if (name.empty()) continue;
    const io::SymmetricMatrix a = io::load(name);
    for (const Form form : {Form::llt, Form::ldlt}) succeeded = measure(a, form, settings) && succeeded;
  }
  for (const std::string& name : general) {
    if (!name.empty()) succeeded = measure(io::load_general(name), Form::lu, settings) && succeeded;
  }
  return succeeded ? 0 : 1;
}
