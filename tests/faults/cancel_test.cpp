/// Tests of progress callbacks that cancel or throw at each of their calls.

#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/faults/life.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {
namespace {

/// A callback that cancels, or throws, at its k-th call (from 1).
struct Stopper {
  std::int64_t k = 0;
  bool throws = false;
  std::int64_t calls = 0;
  std::set<std::string> phases;

  bool operator()(const Progress& progress) {
    EXPECT_GE(progress.fraction, 0.0);
    EXPECT_LE(progress.fraction, 1.0);
    phases.insert(progress.phase);
    if (++calls != k) return true;
    if (throws) throw std::domain_error("the caller's own");
    return false;
  }
};

std::vector<Phase> phases_with_progress() {
  std::vector<Phase> chosen;
  for (Phase& phase : phases_of_analysis()) {
    if (phase.name == "analyze" || phase.name == "compute" || phase.name == "analyze another matrix")
      chosen.push_back(std::move(phase));
  }
  return chosen;
}

void with_callback(Life& life, std::function<bool(const Progress&)> progress) {
  Options options = life.solver->options();
  options.progress = std::move(progress);
  life.solver->set_options(options);
}

/// Runs the phase with the callback stopping at its k-th call; returns whether a k-th call happened.
bool stop_at(const Subject& subject, const Options& options, const Phase& phase, std::int64_t k, bool throws) {
  Life life(subject, options);
  phase.before(life);
  const Observed was = observe(life);
  Stopper stopper{k, throws, 0, {}};
  with_callback(life, std::ref(stopper));
  const auto call = [&] { phase.call(life); };
  if (stopper.k == 0 || !was.there) return false;
  try {
    call();
    EXPECT_LT(stopper.calls, k) << "the answer was not heard";
    expect_sound(life);
    return false;
  } catch (const Cancelled& error) {
    EXPECT_FALSE(throws);
    EXPECT_NE(std::string(error.what()).find("cancelled"), std::string::npos);
  } catch (const std::domain_error& error) {
    EXPECT_TRUE(throws);
    EXPECT_STREQ(error.what(), "the caller's own");
  }
  EXPECT_EQ(stopper.calls, k) << "asked again after a no";
  with_callback(life, nullptr);
  expect_former_or_invalid(life, was);
  EXPECT_EQ(life.solver->is_factorized(), was.factorized) << "a stopped analysis changes nothing";
  expect_sound(life);
  phase.call(life);
  expect_sound(life);
  return true;
}

TEST(Cancel, WorksAtEveryCallOfTheCallback) {
  for (const Ordering ordering :
       {Ordering::automatic, Ordering::nested_dissection, Ordering::amd, Ordering::metis, Ordering::natural}) {
    Options options = on(Backend::host);
    options.ordering = ordering;
    const Subject subject("lap3d:5");
    for (const Phase& phase : phases_with_progress()) {
      for (const bool throws : {false, true}) {
        SCOPED_TRACE(phase.name + (throws ? ", throwing" : ", saying no"));
        std::int64_t k = 1;
        while (stop_at(subject, options, phase, k, throws)) ++k;
        EXPECT_GE(k - 1, 5) << "analyze has more steps than that";
        if (testing::Test::HasFailure()) return;
        if (!throws) std::cout << "calls of the callback: " << phase.name << " | " << k - 1 << '\n';
      }
    }
  }
}

/// A matrix whose analysis steps run in several threads, some concurrently: a cancelled step must not leave half-built
/// lists to steps that continue.
TEST(Cancel, WorksWhileSeveralThreadsAnalyze) {
  const io::SymmetricMatrix a = io::generate("lap3d:24");
  const StoredMatrix<double> s = stored<double>(a);
  Options options = on(Backend::host);
  allow_threads(4);
  options.threads = 4;
  options.plan_cache = false;
  Solver<double> solver(options);
  std::int64_t stopped = 0;
  for (std::int64_t k = 1;; ++k) {
    std::int64_t calls = 0;
    options.progress = [&](const Progress&) {
      if (++calls < k) return true;
      std::this_thread::sleep_for(std::chrono::microseconds(700 * (k % 4)));  // Concurrent steps get to different places.
      return false;
    };
    solver.set_options(options);
    try {
      solver.analyze(s.view());
      break;
    } catch (const Cancelled&) {
      ++stopped;
    }
  }
  EXPECT_GT(stopped, 5);
  solver.factorize(s.view());
  expect_solves(solver, a);
}

/// The callback stays in the options; after one cancellation it may let the next call continue.
TEST(Cancel, TheCallbackMayCallTheSolverOfAnotherObject) {
  const Subject subject("lap2d:8");
  Solver<double> inner(on(Backend::host));
  Options options = on(Backend::host);
  std::int64_t computed = 0;
  options.progress = [&](const Progress&) {
    inner.compute(subject.stored_other.view());
    ++computed;
    return true;
  };
  Solver<double> outer(options);
  outer.compute(subject.stored.view());
  EXPECT_GT(computed, 0);
  expect_solves(outer, subject.a);
  expect_solves(inner, subject.other);
}

}  // namespace
}  // namespace gpusupernodal::test
