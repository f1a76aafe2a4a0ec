/// Hermitian factors that are divided between several devices, or between a device and the host.

#include "io/generators.hpp"
#include "tests/solver/api/cuda/complex_on_device.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
class DividedHermitian : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};
using Scalars = testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(DividedHermitian, Scalars);

std::vector<io::SymmetricMatrix> divided_patterns() {
  std::vector<io::SymmetricMatrix> all;
  for (const char* spec : {"lap2d:100", "lap3d:16", "elas:8"}) all.push_back(io::generate(spec));
  all.push_back(joined_cliques_spd(7, 200, 40, 3));
  return all;
}

template <class T>
void expect_sequence(Solver<T>& solver, const Rounded<T>& m) {
  solver.analyze(m.s.view());
  for (int step = 0; step < 3; ++step) {
    solver.factorize(m.s.view());
    for (const std::int64_t columns : {1, 5}) expect_columns(solver, m.a, columns);
  }
}

TYPED_TEST(DividedHermitian, BetweenDevices) {
  using T = TypeParam;
  for (const io::SymmetricMatrix& pattern : divided_patterns()) {
    SCOPED_TRACE(pattern.name);
    Options options = on_cuda();
    options.devices = {0, 0, 0};
    Solver<T> solver(options);
    expect_sequence(solver, Rounded<T>(random_hpd(pattern, 17)));
  }
}

TYPED_TEST(DividedHermitian, BetweenADeviceAndTheHost) {
  using T = TypeParam;
  for (const io::SymmetricMatrix& pattern : divided_patterns()) {
    SCOPED_TRACE(pattern.name);
    const Rounded<T> m(random_hpd(pattern, 17));
    Options options = on_cuda();
    const MemoryEstimate memory = Solver<T>::preview(m.s.view(), options).report.memory;
    options.device_memory_limit = memory.total() - memory.factor / 5;
    Solver<T> solver(options);
    expect_sequence(solver, m);
    EXPECT_GT(solver.analyze_report().memory.host, 0);
  }
}

}  // namespace
}  // namespace gpusupernodal::test
