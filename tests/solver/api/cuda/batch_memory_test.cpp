/// Batches on a device: data in device memory, captured graphs, allocations and refused memory.

#include "gpusupernodal/error.hpp"
#include "tests/solver/api/cuda/batch_on_device.hpp"
#include "tests/solver/api/cuda/captured_graph.hpp"
#include "tests/solver/api/cuda/counting_device_memory.hpp"

namespace gpusupernodal::test::batch {
namespace {

class CudaBatchMemory : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

TEST_F(CudaBatchMemory, TakesDataOnTheDeviceOnTheCallersStream) {
  for (const Form form : {Form::llt, Form::ldlt, Form::lu}) {
    const CallersStream stream;
    OnDeviceBatch<double> on(device_options(form), 8, 50, 2);
    on.batch.set_stream(stream.get());
    DeviceData data(on);
    for (int repetition = 0; repetition < 3; ++repetition) {
      data.refactorize();
      data.solve();
    }
    stream.wait();
    EXPECT_EQ(on.batch.failed(), 0);
    on.expect_accurate(data.x.host(), unrefined_bound<double>(on.grid.n));
    // Data from host memory give equal bits.
    on.batch.refactorize(on.values.view());
    const std::vector<double> x = on.solve();
    EXPECT_TRUE(equal_bits(x.data(), data.x.host().data(), static_cast<std::int64_t>(x.size())));
    // Addresses on the device.
    std::vector<const double*> pointers;
    for (std::int64_t s = 0; s < 50; ++s) pointers.push_back(data.values.get() + s * on.values.stride);
    BatchValues<double> by_pointers{Span<const double* const>(pointers)};
    by_pointers.space = MemorySpace::device;
    on.batch.refactorize(by_pointers);
    const std::vector<double> again = on.solve();
    EXPECT_TRUE(equal_bits(x.data(), again.data(), static_cast<std::int64_t>(x.size())));
  }
}

/// Values need no address where no system is wanted.
TEST_F(CudaBatchMemory, MasksMayLeaveOutAllSystems) {
  OnDeviceBatch<double> on(device_options(Form::lu), 4, 12);
  on.batch.refactorize(on.values.view());
  const std::vector<double> before = on.solve();
  on.batch.set_wanted(std::vector<unsigned char>(12, 0));
  for (const MemorySpace space : {MemorySpace::host, MemorySpace::device}) {
    BatchValues<double> none(nullptr, 0, 12);
    none.space = space;
    on.batch.refactorize(none);
    EXPECT_EQ(on.solve(), std::vector<double>(before.size(), 7.0));
    EXPECT_EQ(on.batch.solve_statuses()[5], BatchStatus::skipped);
  }
  on.batch.set_wanted({});
  EXPECT_EQ(on.solve(), before);
}

TEST_F(CudaBatchMemory, GraphsRepeatCallsWithOtherValues) {
  for (const Form form : {Form::llt, Form::ldlt, Form::lu}) {
    const CallersStream stream;
    OnDeviceBatch<double> on(device_options(form), 6, 37);
    on.batch.set_stream(stream.get());
    DeviceData data(on);
    const CapturedGraph graph(stream, [&] {
      data.refactorize();
      data.solve();
      EXPECT_THROW(on.batch.refactorize(on.values.view()), InvalidState) << "values in host memory";
      EXPECT_THROW(on.batch.statuses(), InvalidState);
      EXPECT_THROW(on.batch.analyze(on.grid.view(), 2), InvalidState);
    });
    for (int step = 0; step < 3; ++step) {
      for (std::int64_t s = 0; s < 37; ++s) {
        const std::vector<double> other = on.grid.values(static_cast<std::uint64_t>(1000 * step + s));
        std::copy(other.begin(), other.end(), on.values.of(s));
      }
      if (step == 2) on.values.of(5)[on.grid.diagonal(3)] = std::nan("");
      GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(data.values.get(), on.values.all.data(),
                                               on.values.all.size() * sizeof(double), cudaMemcpyHostToDevice, stream.get()));
      graph.launch();
      EXPECT_EQ(on.batch.failed(), step == 2 ? 1 : 0);
      const std::vector<double> x = data.x.host();
      for (std::int64_t s = 0; s < 37; ++s) {
        const auto i = static_cast<std::size_t>(s);
        const bool failed = step == 2 && s == 5;
        EXPECT_EQ(on.batch.solve_statuses()[i], failed ? BatchStatus::non_finite_input : BatchStatus::success);
        if (failed) continue;
        EXPECT_LE(backward_error(on.grid, on.values.of(s), x.data() + s * on.grid.n, on.right(s)),
                  unrefined_bound<double>(on.grid.n));
      }
    }
  }
}

TEST_F(CudaBatchMemory, AllocatesNothingAfterTheFirstCalls) {
  const auto memory = std::make_shared<CountingDeviceMemory>();
  {
    Options options = device_options(Form::lu);
    options.device_allocator = memory;
    OnDeviceBatch<double> on(options, 6, 40);
    const std::int64_t analyzed = memory->requests();
    DeviceData data(on);
    data.refactorize();
    data.solve();
    EXPECT_EQ(on.batch.failed(), 0);
    EXPECT_EQ(memory->requests(), analyzed) << "data on the device";
    on.batch.refactorize(on.values.view());
    static_cast<void>(on.solve());
    const std::int64_t first = memory->requests();
    for (int repetition = 0; repetition < 3; ++repetition) {
      on.batch.refactorize(on.values.view());
      static_cast<void>(on.solve());
    }
    EXPECT_EQ(memory->requests(), first);
  }
  EXPECT_EQ(memory->bytes(), 0);
}

/// Refuses the k-th request.
class RefusingMemory final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    return --left_ == 0 ? nullptr : inner_.allocate(bytes, alignment);
  }
  void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) noexcept override {
    inner_.deallocate(pointer, bytes, alignment);
  }
  void refuse(int request) { left_ = request; }
  std::int64_t bytes() const { return inner_.bytes(); }

 private:
  CountingDeviceMemory inner_;
  int left_ = 0;
};

TEST_F(CudaBatchMemory, RefusedMemoryLeavesTheBatchUnchanged) {
  const auto memory = std::make_shared<RefusingMemory>();
  {
    Options options = device_options(Form::lu);
    options.device_allocator = memory;
    OnDeviceBatch<double> on(options, 4, 12);
    on.batch.refactorize(on.values.view());
    const std::vector<double> x = on.solve();
    const Grid<double> larger(Form::lu, 6);
    for (int request = 1; request <= 3; ++request) {
      memory->refuse(request);
      EXPECT_THROW(on.batch.analyze(larger.view(), 12), OutOfMemory) << request;
      memory->refuse(0);
      EXPECT_EQ(on.batch.order(), on.grid.n);
      const std::vector<double> again = on.solve();
      EXPECT_TRUE(equal_bits(x.data(), again.data(), static_cast<std::int64_t>(x.size())));
    }
    memory->refuse(1);
    EXPECT_THROW(on.batch.reserve_right_hand_sides(4), OutOfMemory);
    memory->refuse(0);
    EXPECT_EQ(on.batch.failed(), 0);
    on.batch.reserve_right_hand_sides(4);
  }
  EXPECT_EQ(memory->bytes(), 0);
}

/// Arrays for data in host memory are refused when a solve needs larger ones; the earlier ones stay.
TEST_F(CudaBatchMemory, RefusedStagingLeavesTheBatchUsable) {
  const auto memory = std::make_shared<RefusingMemory>();
  Options options = device_options(Form::lu);
  options.device_allocator = memory;
  OnDeviceBatch<double> on(options, 4, 12);
  on.batch.refactorize(on.values.view());
  const std::vector<double> x = on.solve();
  on.batch.reserve_right_hand_sides(3);
  const std::int64_t n = on.grid.n;
  std::vector<double> b, many(3 * x.size(), 7.0);
  for (std::int64_t s = 0; s < 12; ++s) {
    for (int column = 0; column < 3; ++column) b.insert(b.end(), on.right(s), on.right(s) + n);
  }
  const auto solve_many = [&] { on.batch.solve({b.data(), n, 3, n, 3 * n, 12}, {many.data(), n, 3, n, 3 * n, 12}); };
  for (const int request : {1, 2}) {  // For b, then for x.
    memory->refuse(request);
    EXPECT_THROW(solve_many(), OutOfMemory) << request;
    memory->refuse(0);
    EXPECT_EQ(on.batch.solve_statuses()[3], BatchStatus::not_factorized) << "a solve that broke off has no outcome";
    EXPECT_EQ(on.batch.statuses()[3], BatchStatus::success);
    const std::vector<double> again = on.solve();
    EXPECT_TRUE(equal_bits(x.data(), again.data(), static_cast<std::int64_t>(x.size()))) << request;
  }
  solve_many();
  for (std::int64_t s = 0; s < 12; ++s) EXPECT_TRUE(equal_bits(x.data() + s * n, many.data() + (3 * s + 2) * n, n)) << s;
}

TEST_F(CudaBatchMemory, AutomaticTakesTheDeviceForManyRows) {
  Options options = device_options(Form::llt);
  options.backend = Backend::automatic;
  BatchSolver<double> batch(options);
  const Grid<double> grid(Form::llt, 10);
  batch.analyze(grid.view(), 2);
  EXPECT_EQ(batch.analyze_report().backend, Backend::host);
  batch.analyze(Grid<double>(Form::llt, 40).view(), 20);
  EXPECT_EQ(batch.analyze_report().backend, Backend::host) << "many rows in few systems";
  batch.analyze(grid.view(), 1000);
  EXPECT_EQ(batch.analyze_report().backend, Backend::cuda);
  EXPECT_NE(batch.analyze_report().backend_reason.find("100000 rows"), std::string::npos);
  EXPECT_GT(batch.analyze_report().memory.factor, 0);
  options.device_allocator = std::make_shared<RefusingMemory>();
  static_cast<RefusingMemory&>(*options.device_allocator).refuse(1);
  batch.set_options(options);
  batch.analyze(grid.view(), 1000);
  EXPECT_EQ(batch.analyze_report().backend, Backend::host) << "without memory of the device";
}

TEST_F(CudaBatchMemory, SchedulesWithoutSupernodesAreRefused) {
  Options options = device_options(Form::lu);
  const Grid<double> grid(Form::lu, 4);
  for (const LuSchedule schedule : {LuSchedule::dense, LuSchedule::columns}) {
    options.lu_schedule = schedule;
    BatchSolver<double> batch(options);
    EXPECT_THROW(batch.analyze(grid.view(), 2), BackendUnavailable);
  }
}

}  // namespace
}  // namespace gpusupernodal::test::batch
