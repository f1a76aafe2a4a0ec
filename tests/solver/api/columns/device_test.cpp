/// LU by columns on a device: the launches of all kinds, the tail, blocks, equal bits, captured graphs.

#include <cuda_runtime_api.h>

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/cuda/device_problem.hpp"
#include "tests/solver/api/lu_problems.hpp"

namespace gpusupernodal::test {
namespace {

Options device_options() {
  Options options = lu_options();
  options.lu_schedule = LuSchedule::columns;
  options.backend = Backend::cuda;
  return options;
}

GeneralEntries many_blocks(std::int64_t blocks, std::int64_t width) {
  GeneralEntries a{blocks * width, {}};
  for (std::int64_t k = 0; k < blocks; ++k) {
    for (std::int64_t i = 0; i < width; ++i) {
      a(k * width + i, k * width + i) = 5.0;
      a(k * width + i, k * width + (i + 1) % width) = 1.5;
      if (k + 1 < blocks) a(k * width + i, (k + 1) * width + (3 * i) % width) = -2.0;
    }
  }
  return a;
}

TEST(CudaLuColumns, AgreesWithTheHost) {
  SKIP_WITHOUT_DEVICE();
  for (const GeneralEntries& a : {convection(10, 0.75), random_entries(3000, 3, 5.0, 2), many_blocks(40, 11)}) {
    const StoredGeneral<double> stored = store_general<double>(a);
    Solver<double> device(device_options());
    Options on_host = device_options();
    on_host.backend = Backend::host;
    Solver<double> host(on_host);
    device.compute(stored.view());
    host.compute(stored.view());
    ASSERT_EQ(device.status(), Status::success);
    EXPECT_EQ(device.analyze_report().lu_schedule, LuSchedule::columns);
    expect_solves(device, a, "device");
    EXPECT_NEAR(device.log_determinant(), host.log_determinant(), log_determinant_bound(a.n));
    EXPECT_EQ(device.determinant_sign(), host.determinant_sign());
    const FactorReport of_device = device.factor_report(), of_host = host.factor_report();
    EXPECT_GT(of_device.growth, 0.0);
    EXPECT_LE(of_device.growth, 4.0 * of_host.growth);
    EXPECT_GE(of_device.growth, of_host.growth / 4.0);
  }
}

/// A row belongs to one warp or CTA, so no order of additions is left open.
TEST(CudaLuColumns, FactorizationsHaveEqualBits) {
  SKIP_WITHOUT_DEVICE();
  Options options = device_options();
  options.deterministic = true;
  const GeneralEntries a = convection(12, 0.4);
  const StoredGeneral<double> stored = store_general<double>(a);
  const std::vector<double> b = vector_of<double>(a.n, 3);
  Solver<double> solver(options);
  solver.compute(stored.view());
  const std::vector<double> first = solve(solver, b);
  for (int repetition = 0; repetition < 5; ++repetition) {
    solver.refactorize(stored.values);
    EXPECT_EQ(solve(solver, b), first);
  }
}

/// A graph of the caller holds the refactorization, and may be launched with other values.
TEST(CudaLuColumns, RefactorizationsCanBeCaptured) {
  SKIP_WITHOUT_DEVICE();
  const GeneralEntries a = convection(7, 0.4);
  const StoredGeneral<double> stored = store_general<double>(a);
  Solver<double> solver(device_options());
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  solver.set_stream(stream);
  solver.compute(stored.view());
  ASSERT_EQ(solver.status(), Status::success);
  const DeviceArray<double> values(stored.values);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  solver.refactorize(Span<const double>(values.get(), stored.values.size()), MemorySpace::device);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  for (int repetition = 0; repetition < 3; ++repetition) {
    ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    expect_solves(solver, a, "captured");
  }
  static_cast<void>(cudaGraphExecDestroy(exec));
  static_cast<void>(cudaGraphDestroy(graph));
  solver = Solver<double>();
  static_cast<void>(cudaStreamDestroy(stream));
}

/// Values with bad pivots for the rows of the plan lead to another plan on the device too.
TEST(CudaLuColumns, ExchangesRowsAgainForOtherValues) {
  SKIP_WITHOUT_DEVICE();
  GeneralEntries first{300, {}}, second{300, {}};
  for (std::int64_t i = 0; i < 300; ++i) {
    for (const std::int64_t j : {i, (i + 1) % 300, (i + 7) % 300}) first(i, j) = second(i, j) = 1.0;
    first(i, i) = second(i, (i + 1) % 300) = 4.0;
    second(i, i) = 0.0;
    first(i, (i + 1) % 300) = 0.0;
  }
  Solver<double> solver(device_options());
  solver.compute(store_general<double>(first).view());
  expect_solves(solver, first, "first");
  solver.refactorize(store_general<double>(second).values);
  expect_solves(solver, second, "second");
  EXPECT_GE(solver.factor_report().repivoted, 1);
}

}  // namespace
}  // namespace gpusupernodal::test
