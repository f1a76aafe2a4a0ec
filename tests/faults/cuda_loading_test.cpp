/// Tests that all kernels are loaded when the solver is created, so that the first factorization does not wait for the
/// driver. Without a device, on a simulated one.

#include "tests/faults/cuda_subject.hpp"
#include "tests/faults/kernel_watch.hpp"

namespace gpusupernodal::test {
namespace {

template <class T>
void expect_loaded(const Subject& subject, Options options, double shift) {
  const StoredMatrix<T> a = stored<T>(subject.a);
  kernel_watch().forget();
  options.plan_cache = false;
  Solver<T> solver(options);
  solver.analyze(a.view());
  solver.set_shift(shift);
  const std::size_t loaded = kernel_watch().loaded();
  for (int time = 0; time < 3; ++time) solver.factorize(a.view());
  constexpr std::int64_t most = 16;
  for (const std::int64_t columns : {std::int64_t{1}, std::int64_t{8}, most}) {
    std::vector<T> x(static_cast<std::size_t>(solver.order() * columns), T(1));
    solver.solve(DenseView<const T>(x.data(), solver.order(), columns, solver.order()),
                 DenseView<T>(x.data(), solver.order(), columns, solver.order()));
  }
  EXPECT_EQ(kernel_watch().late(), 0U) << "kernels that the driver had to load when they were launched";
  EXPECT_EQ(kernel_watch().loaded(), loaded) << "something is loaded later";
  EXPECT_GT(kernel_watch().launched(), 12U) << "the hooks do not see launches";
}

/// lap2d:100 has tiny and narrow fronts, lap3d:16 wide ones with wide inverses, lap3d:24 products for side streams.
class CudaLoading : public testing::TestWithParam<const char*> {
 protected:
  static void expect_both(const Options& options, double shift = 0.0) {
    const Subject subject(GetParam());
    expect_loaded<double>(subject, options, shift);
    expect_loaded<float>(subject, options, shift);
  }
};

TEST_P(CudaLoading, KernelsOfLevelsLoadInAnalyze) { expect_both(cuda_options(CudaSchedule::levels)); }

TEST_P(CudaLoading, KernelsOfStreamsLoadInAnalyze) { expect_both(cuda_options(CudaSchedule::streams)); }

TEST_P(CudaLoading, KernelsOfTheFixedOrderLoadInAnalyze) {
  Options options = cuda_options(CudaSchedule::levels);
  options.deterministic = true;
  expect_both(options);
}

TEST_P(CudaLoading, KernelsOfRefinementAndShiftLoadInAnalyze) {
  Options options = cuda_options(CudaSchedule::levels);
  options.refinement.max_steps = 2;
  expect_both(options, 1.0);
}

TEST_P(CudaLoading, KernelsOfTracesLoadInAnalyze) {
  Options options = cuda_options(CudaSchedule::levels);
  options.trace = true;
  expect_both(options);
}

INSTANTIATE_TEST_SUITE_P(Matrices, CudaLoading, testing::Values("lap2d:100", "lap3d:16", "lap3d:24"), [](const auto& param) {
  std::string name(param.param);
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
});

}  // namespace
}  // namespace gpusupernodal::test
