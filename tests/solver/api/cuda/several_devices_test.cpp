/// Several devices that factorize together. One device is taken for several; where there are two, both are used too. The
/// suites of the solver run on three devices as well (OnDevices).

#include <gtest/gtest.h>

#include <thread>

#include "tests/solver/api/cuda/device_problem.hpp"

namespace gpusupernodal::test {
namespace {

using Devices = std::vector<int>;

Options on_devices(const Devices& devices) {
  Options options = on(Backend::cuda);
  options.devices = devices;
  return options;
}

std::size_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  GPUSUPERNODAL_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return free;
}

/// Lists of one to five devices; where there are two, of both in either order.
std::vector<Devices> all_devices() {
  std::vector<Devices> all{{0}, {0, 0}, {0, 0, 0}, {0, 0, 0, 0, 0}};
  if (cuda_availability().devices.size() > 1) all.insert(all.end(), {{0, 1}, {1, 0}, {1, 0, 1}});
  return all;
}

template <class T>
class SeveralDevices : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SeveralDevices, Scalars);

std::vector<io::SymmetricMatrix> shared_matrices() {
  std::vector<io::SymmetricMatrix> all;
  for (const char* spec : {"lap2d:60", "lap3d:20", "elas:8", "shell:30"}) all.push_back(io::generate(spec));
  all.push_back(dense_spd(1300, 1));
  all.push_back(joined_cliques_spd(3, 700, 90, 3));
  return all;
}

/// The first factorization is launched piece by piece, the others as a graph.
TYPED_TEST(SeveralDevices, RefactorizeWithNewValues) {
  using T = TypeParam;
  for (const io::SymmetricMatrix& a : shared_matrices()) {
    for (const Devices& devices : all_devices()) {
      SCOPED_TRACE(a.name + " on " + std::to_string(devices.size()) + " from device " + std::to_string(devices.front()));
      GPUSUPERNODAL_CUDA_CHECK(cudaSetDevice(devices.front()));
      const CallersStream stream;
      Solver<T> solver(on_devices(devices));
      solver.set_stream(stream.get());
      const StoredMatrix<T> s = stored<T>(a);
      solver.analyze(s.view());
      for (int step = 1; step <= 4; ++step) {
        if (step == 4) solver.reserve_right_hand_sides(16);
        const DeviceSystem<T> system(a, step, static_cast<std::uint64_t>(step), step < 3 ? step : 20);
        system.refactorize(solver);
        system.solve(solver);
        ASSERT_EQ(solver.status(), Status::success);
        stream.wait();
        EXPECT_LE(system.error(), system.bound()) << "step " << step;
      }
      GPUSUPERNODAL_CUDA_CHECK(cudaSetDevice(0));
    }
  }
}

/// Smaller problems may stay on the first device.
TYPED_TEST(SeveralDevices, ShareALargeProblem) {
  using T = TypeParam;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap3d:60"));
  const StoredMatrix<T> s = stored<T>(a);
  for (const Devices& devices : all_devices()) {
    if (devices.size() != 2 && devices.size() != 3) continue;
    Solver<T> solver(on_devices(devices));
    solver.analyze(s.view());
    // In single precision one device is expected to be as fast.
    if (!ScalarTraits<T>::is_single) {
      EXPECT_GT(solver.analyze_report().devices[1].share, 0.1);
    }
    for (int step = 0; step < 3; ++step) {
      solver.factorize(s.view());
      expect_solves(solver, a);
    }
    const std::vector<T> b = right_hand_side<T>(a.n, 8);
    const std::vector<T> x = solution(solver, b);
    for (int again = 0; again < 3; ++again) EXPECT_EQ(solution(solver, b), x);
  }
}

TYPED_TEST(SeveralDevices, SolvesWithOneFactorHaveEqualBits) {
  using T = TypeParam;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap3d:20"));
  for (const Devices& devices : all_devices()) {
    for (const std::int64_t columns : {1, 8, 16}) {
      Solver<T> solver(on_devices(devices));
      solver.compute(stored<T>(a).view());
      const std::vector<T> b = right_hand_side<T>(a.n, columns);
      const std::vector<T> x = solution(solver, b);
      for (int again = 0; again < 5; ++again) EXPECT_EQ(solution(solver, b), x);
    }
  }
}

/// A pivot that fails on one device is reported as on a single one.
TYPED_TEST(SeveralDevices, NameTheColumnThatFails) {
  using T = TypeParam;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap3d:12"));
  for (const Devices& devices : all_devices()) {
    for (const std::int64_t column : {std::int64_t{0}, a.n / 2, a.n - 1}) {
      io::SymmetricMatrix indefinite = a;
      for (auto e = a.offsets[static_cast<std::size_t>(column)]; e < a.offsets[static_cast<std::size_t>(column) + 1]; ++e) {
        if (a.indices[static_cast<std::size_t>(e)] == column) indefinite.values[static_cast<std::size_t>(e)] = -1.0;
      }
      Solver<T> solver(on_devices(devices));
      solver.compute(stored<T>(indefinite).view());
      EXPECT_EQ(solver.status(), Status::not_positive_definite);
      EXPECT_EQ(solver.factor_report().failed_column, column);
      solver.factorize(stored<T>(a).view());
      expect_solves(solver, a);
    }
  }
}

TYPED_TEST(SeveralDevices, TakeTheMemoryThatTheyAnnounce) {
  using T = TypeParam;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap3d:20"));
  Solver<T> solver(on_devices({0, 0, 0}));
  const std::size_t before = free_bytes();
  solver.analyze(stored<T>(a).view());
  const AnalyzeReport& report = solver.analyze_report();
  ASSERT_EQ(report.devices.size(), 3U);
  std::int64_t sum = 0;
  double share = 0.0;
  for (const DeviceUse& use : report.devices) {
    sum += use.memory.total();
    share += use.share;
  }
  EXPECT_EQ(report.memory.total(), sum);
  constexpr double c = 4.0;  // The sum of three quotients.
  EXPECT_NEAR(share, 1.0, c * 3.0 * std::numeric_limits<double>::epsilon());
  EXPECT_GE(before - free_bytes(), static_cast<std::size_t>(sum));
}

/// Two solvers in two threads whose devices come in opposite order.
TYPED_TEST(SeveralDevices, TwoSolversDoNotWaitForEachOther) {
  using T = TypeParam;
  const bool two = cuda_availability().devices.size() > 1;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap3d:20"));
  const auto work = [&](const Devices& devices) {
    Solver<T> solver(on_devices(devices));
    solver.analyze(stored<T>(a).view());
    for (int step = 0; step < 10; ++step) {
      solver.factorize(stored<T>(a).view());
      expect_solves(solver, a);
    }
  };
  std::thread other([&] { work(two ? Devices{1, 0} : Devices{0, 0, 0}); });
  work(two ? Devices{0, 1} : Devices{0, 0});
  other.join();
}

TYPED_TEST(SeveralDevices, LeaveCapturesAlone) {
  using T = TypeParam;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap2d:30"));
  Solver<T> solver(on_devices({0, 0}));
  solver.analyze(stored<T>(a).view());
  expect_no_capture(solver, a, "uses several devices");
}

/// Nothing travels before it may: components, some of them without a top, and more devices than work.
TYPED_TEST(SeveralDevices, WorkOnSeparateComponents) {
  using T = TypeParam;
  for (const io::SymmetricMatrix& matrix : {blocks_spd(4, 700, 3), blocks_spd(2, 1100, 4), diagonal_spd(3)}) {
    const io::SymmetricMatrix a = rounded<T>(matrix);
    for (const Devices& devices : all_devices()) {
      Solver<T> solver(on_devices(devices));
      solver.analyze(stored<T>(a).view());
      for (int step = 0; step < 5; ++step) {
        solver.factorize(stored<T>(a).view());
        for (const std::int64_t columns : {1, 8}) {
          const std::vector<T> b = right_hand_side<T>(a.n, columns);
          const std::vector<T> x = solution(solver, b);
          for (std::int64_t c = 0; c < columns; ++c) {
            const auto begin = static_cast<std::ptrdiff_t>(c * a.n), end = static_cast<std::ptrdiff_t>((c + 1) * a.n);
            EXPECT_LE(backward_error(a, {x.begin() + begin, x.begin() + end}, {b.begin() + begin, b.begin() + end}),
                      backward_error_bound<T>(a.n));
          }
        }
      }
    }
  }
}

TYPED_TEST(SeveralDevices, RefuseWhatTheyCannotDo) {
  using T = TypeParam;
  const io::SymmetricMatrix a = rounded<T>(io::generate("lap2d:10"));
  const auto analyze = [&](const Options& options) { Solver<T>(options).analyze(stored<T>(a).view()); };
  Options options = on_devices({0, 0});
  options.deterministic = true;
  expect_throw<InvalidInput>([&] { analyze(options); }, {"devices lists 2 devices", "deterministic is off"});
  expect_throw<BackendUnavailable>([&] { analyze(on_devices({0, 99})); }, {"CUDA device 99"});
  expect_throw<InvalidInput>([&] { analyze(on_devices({0, -1})); }, {"devices lists -1"});
}

}  // namespace
}  // namespace gpusupernodal::test
