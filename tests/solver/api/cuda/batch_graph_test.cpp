/// Batches on a device: statuses of systems that a graph cannot trust, what a capture refuses, masks, and two streams.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/cuda/batch_on_device.hpp"
#include "tests/solver/api/cuda/captured_graph.hpp"

namespace gpusupernodal::test::batch {
namespace {

class CudaBatchGraph : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

void write(const DeviceArray<double>& to, const std::vector<double>& from) {
  GPUSUPERNODAL_CUDA_CHECK(cudaMemcpy(to.get(), from.data(), from.size() * sizeof(double), cudaMemcpyHostToDevice));
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(cudaStreamLegacy));
}

std::int64_t grid_size(Form form) { return form == Form::lu ? 3 : 12; }

/// The host would exchange rows of some systems, but the graph's factors are those of the device.
TEST_F(CudaBatchGraph, NoStatusIsBetterThanTheDevicesFactor) {
  for (const Form form : {Form::ldlt, Form::lu}) {
    const CallersStream stream;
    OnDeviceBatch<double> on(device_options(form), grid_size(form), 60);
    on.batch.set_stream(stream.get());
    DeviceData data(on);
    const CapturedGraph graph(stream, [&] {
      data.refactorize();
      data.solve();
    });
    for (std::int64_t s = 1; s < 60; ++s) make_doubtful(on.grid, on.values.of(s), s);
    write(data.values, on.values.all);
    graph.launch();
    const std::vector<double> x = data.x.host();
    int solved = 0;
    for (std::int64_t s = 0; s < 60; ++s) {
      const BatchStatus status = on.batch.solve_statuses()[static_cast<std::size_t>(s)];
      const double* const of_s = x.data() + s * on.grid.n;
      EXPECT_EQ(on.batch.report(s).repivoted, 0) << s;
      if (status == BatchStatus::success) {
        ++solved;
        EXPECT_LE(backward_error(on.grid, on.values.of(s), of_s, on.right(s)), trusted_bound<double>(on.grid.n)) << s;
      } else if (on.batch.statuses()[static_cast<std::size_t>(s)] == BatchStatus::success) {
        EXPECT_EQ(status, BatchStatus::unstable) << s;
        EXPECT_TRUE(std::isnan(of_s[0])) << s;
      }
    }
    EXPECT_GT(solved, 1);
    EXPECT_LT(solved, 60);
    // Outcomes of another launch replace them.
    for (std::int64_t s = 0; s < 60; ++s) {
      const std::vector<double> good = on.grid.values(static_cast<std::uint64_t>(s));
      std::copy(good.begin(), good.end(), on.values.of(s));
    }
    write(data.values, on.values.all);
    graph.launch();
    EXPECT_EQ(on.batch.failed(), 0);
    on.expect_accurate(data.x.host(), unrefined_bound<double>(on.grid.n));
  }
}

TEST_F(CudaBatchGraph, NothingIsCapturedOfACallThatIsRefused) {
  const CallersStream stream;
  OnDeviceBatch<double> on(device_options(Form::lu), 3, 60);
  on.batch.set_stream(stream.get());
  DeviceData data(on);
  const CapturedGraph early(stream, [&] { EXPECT_THROW(data.solve(), InvalidState) << "before refactorize"; });
  EXPECT_EQ(early.nodes(), 0U);
  for (std::int64_t s = 1; s < 60; ++s) make_doubtful(on.grid, on.values.of(s), s);
  write(data.values, on.values.all);
  data.refactorize();
  std::int64_t moved = -1;
  for (std::int64_t s = 0; s < 60; ++s) {
    if (on.batch.report(s).repivoted > 0) moved = s;
  }
  ASSERT_GE(moved, 0);
  const CapturedGraph refused(stream, [&] {
    EXPECT_THROW(data.solve(), InvalidState);
    EXPECT_THROW(data.refactorize(), InvalidState);
    EXPECT_THROW(on.batch.solve({on.b.data(), on.grid.n, 60}, {on.b.data(), on.grid.n, 60}), InvalidState);
  });
  EXPECT_EQ(refused.nodes(), 0U);
  data.refactorize();  // Nothing has entered a graph, so systems may still leave the device.
  data.solve();
  EXPECT_GT(on.batch.report(moved).repivoted, 0);
}

TEST_F(CudaBatchGraph, LaterMasksDoNotChangeAGraph) {
  for (const Form form : {Form::llt, Form::lu}) {
    const CallersStream stream;
    OnDeviceBatch<double> on(device_options(form), 5, 21);
    on.batch.set_stream(stream.get());
    DeviceData data(on);
    const CapturedGraph graph(stream, [&] {
      data.refactorize();
      data.solve();
    });
    graph.launch();
    const std::vector<double> expected = data.x.host();
    on.expect_accurate(expected, unrefined_bound<double>(on.grid.n));
    std::vector<unsigned char> wanted(21, 0);
    Values<double> other = on.values;
    for (double& value : other.all) value *= 4.0;
    for (const std::size_t system : {0U, 13U, 20U}) {  // The second change reuses an array, or not: no graph refers to it.
      wanted.assign(21, 0);
      wanted[system] = 1;
      on.batch.set_wanted(wanted);
      on.batch.refactorize(other.view());
      const std::vector<double> x = on.solve();
      EXPECT_EQ(x[system * static_cast<std::size_t>(on.grid.n)],
                expected[system * static_cast<std::size_t>(on.grid.n)] / 4.0);
      write(data.x, std::vector<double>(expected.size(), 7.0));
      graph.launch();
      EXPECT_TRUE(equal_bits(data.x.host().data(), expected.data(), static_cast<std::int64_t>(expected.size()))) << system;
    }
  }
}

/// Nothing but the batch orders the work of the two streams.
TEST_F(CudaBatchGraph, WorkOnAnotherStreamFollowsEarlierWork) {
  const CallersStream streams[2];
  OnDeviceBatch<double> on(device_options(Form::llt), 16, 500);
  DeviceData data(on);
  data.refactorize();
  data.solve();
  GPUSUPERNODAL_CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<double> expected = data.x.host();
  std::vector<double> larger = on.values.all;
  for (double& value : larger) value *= 4.0;
  const DeviceArray<double> other(larger);
  constexpr int calls = 24;
  std::vector<std::unique_ptr<DeviceArray<double>>> found;
  for (int call = 0; call < calls; ++call)
    found.push_back(std::make_unique<DeviceArray<double>>(std::vector<double>(expected.size(), 7.0)));
  for (int call = 0; call < calls; ++call) {
    on.batch.set_stream(streams[call % 2].get());
    BatchValues<double> values((call % 2 == 0 ? data.values : other).get(), on.values.stride, on.values.count);
    BatchView<const double> b(data.b.get(), on.grid.n, 500);
    BatchView<double> x(found[static_cast<std::size_t>(call)]->get(), on.grid.n, 500);
    values.space = b.space = x.space = MemorySpace::device;
    on.batch.refactorize(values);
    on.batch.solve(b, x);
  }
  EXPECT_EQ(on.batch.failed(), 0);
  for (int call = 0; call < calls; ++call) {
    const std::vector<double> x = found[static_cast<std::size_t>(call)]->host();
    const double scale = call % 2 == 0 ? 1.0 : 4.0;
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i] * scale, expected[i]) << "call " << call;
  }
}

}  // namespace
}  // namespace gpusupernodal::test::batch
