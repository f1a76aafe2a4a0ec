/// Results must be bitwise equal in every run, whatever else runs on the device.

#include <atomic>
#include <string>
#include <thread>

#include "tests/solver/api/cuda/beside.hpp"
#include "tests/solver/api/cuda/delayed_launches.hpp"
#include "tests/solver/api/cuda/device_problem.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

constexpr int runs = 10;

/// Requests bitwise equal factorizations if the options allow it. Returns whether they do.
template <class AllOptions>
bool request_determinism(AllOptions& options) {
  if constexpr (requires { options.deterministic = true; }) {
    options.deterministic = true;
    return true;
  }
  return false;
}

template <class T>
class Determinism : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Determinism, Scalars);

/// Repeatedly factorizes another matrix on another stream, from another thread.
class OtherSolver {
 public:
  OtherSolver() : thread_([this] { loop(); }) {}
  ~OtherSolver() {
    done_ = true;
    thread_.join();
  }
  OtherSolver(const OtherSolver&) = delete;
  OtherSolver& operator=(const OtherSolver&) = delete;

 private:
  void loop() {
    const io::SymmetricMatrix a = io::generate("lap2d:50");
    const CallersStream stream;
    Solver<double> solver(on_device(CudaSchedule::levels));
    solver.set_stream(stream.get());
    solver.analyze(a.view());
    const DeviceSystem<double> system(a, 1.0, 1);
    while (!done_) {
      system.refactorize(solver);
      system.solve(solver);
      stream.wait();
    }
  }

  std::atomic<bool> done_{false};
  std::thread thread_;
};

/// Expects equal results of `once` in every run: alone, with delayed launches beside another solver, and with few free
/// multiprocessors.
template <class Once>
void expect_same_in_every_run(const Once& once) {
  const auto expected = once();
  {
    const OtherSolver other;
    for (int run = 0; run < runs; ++run) {
      const DelayedLaunches delays(4, 40.0, static_cast<std::uint64_t>(run));
      ASSERT_EQ(once(), expected) << "run " << run;
    }
  }
  for (int run = 0; run < runs; ++run) {
    const DeviceOccupant occupant(2 + 12 * run, 8.0);
    ASSERT_EQ(once(), expected) << "run " << run << " with few multiprocessors";
  }
}

template <class T>
struct Factorized {
  Factorized(const io::SymmetricMatrix& matrix, const Options& options, std::int64_t columns)
      : a(rounded<T>(matrix)), solver(options), system(a, 1.0, 3, columns) {
    solver.set_stream(stream.get());
    const StoredMatrix<T> s = stored<T>(a);
    solver.analyze(s.view());
    solver.reserve_right_hand_sides(columns);
    system.refactorize(solver);
  }
  std::vector<T> solution() {
    system.solve(solver);
    stream.wait();
    return system.x.host();
  }
  std::vector<T> factor() {
    system.refactorize(solver);
    return solver.extract_l().values;
  }

  io::SymmetricMatrix a;
  CallersStream stream;
  Solver<T> solver;
  DeviceSystem<T> system;
};

TYPED_TEST(Determinism, SolvesWithOneFactorHaveEqualBits) {
  for (const char* matrix : {"lap3d:14", "lap2d:70", "elas:6"}) {
    for (const std::int64_t columns : {1, 6}) {
      SCOPED_TRACE(matrix);
      Factorized<TypeParam> factorized(io::generate(matrix), on_device(CudaSchedule::levels), columns);
      expect_same_in_every_run([&] { return factorized.solution(); });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Determinism, FactorizationsHaveEqualBits) {
  Options options = on_device(CudaSchedule::levels);
  if (!request_determinism(options)) GTEST_SKIP() << "no option requests it: products are added by atomics in any order";
  std::vector<io::SymmetricMatrix> matrices;
  for (const char* matrix : {"lap3d:14", "lap2d:70", "elas:6"}) matrices.push_back(io::generate(matrix));
  matrices.push_back(joined_cliques_spd(96, 70, 20, 4));  // More sources than launches, so tasks need ordered
  matrices.push_back(joined_cliques_spd(96, 30, 9, 5));   // accumulation: in pieces, and as whole fronts.
  matrices.push_back(late_sources_spd());
  for (const io::SymmetricMatrix& matrix : matrices) {
    SCOPED_TRACE(matrix.name);
    options.ordering = matrix.name == "late-sources" ? Ordering::natural : Ordering::automatic;
    Factorized<TypeParam> factorized(matrix, options, 1);
    expect_same_in_every_run([&] { return factorized.factor(); });
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
