/// Tests of a backend that is unavailable or short of memory: the exception states the numbers, and the object stays
/// usable.

#include <gtest/gtest.h>

#include <memory>

#include "tests/input/refusal.hpp"
#include "tests/input/too_large.hpp"

namespace gpusupernodal::test {
namespace {

/// Forwards requests until their total reaches a limit.
class Budget final : public Allocator {
 public:
  explicit Budget(std::size_t bytes) : left_(bytes) {}
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > left_) return nullptr;
    left_ -= bytes;
    return ::operator new(bytes, std::align_val_t(alignment));
  }
  void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) noexcept override {
    left_ += bytes;
    ::operator delete(pointer, std::align_val_t(alignment));
  }
  std::size_t left() const { return left_; }

 private:
  std::size_t left_;
};

template <class T>
void expect_bytes_told(const OutOfMemory& error) {
  const std::string said = error.what();
  EXPECT_GT(error.bytes_needed(), 0);
  EXPECT_NE(said.find(std::to_string(error.bytes_needed()) + " bytes"), std::string::npos) << said;
}

TEST(LimitedMemory, RefusalOfTheHostAllocatorIsReported) {
  const TooLarge<double> large;
  const auto budget = std::make_shared<Budget>(std::size_t{1} << 20);
  Options options = TooLarge<double>::options(Backend::host);
  options.host_allocator = budget;
  const GoodSystems<double> good;
  Solver<double> solver(options);
  solver.compute(good.before_stored.view());
  const std::size_t left = budget->left();
  try {
    solver.compute(large.view());
    FAIL() << "L was taken";
  } catch (const OutOfMemory& error) {
    expect_bytes_told<double>(error);
    EXPECT_GE(error.bytes_needed(), large.n * (large.n + 1) / 2 * 8) << "the lower triangle";
    EXPECT_NE(std::string(error.what()).find("the values of the factor"), std::string::npos) << error.what();
  }
  EXPECT_EQ(budget->left(), left) << "nothing is kept";
  expect_solves(solver, good.before);
  expect_takes(solver, good);
}

TEST(LimitedMemory, TooLargeReservationCanBeReduced) {
  const auto budget = std::make_shared<Budget>(std::size_t{1} << 20);
  Options options = on(Backend::host);
  options.host_allocator = budget;
  const GoodSystems<double> good;
  Solver<double> solver(options);
  solver.reserve_right_hand_sides(65536);
  EXPECT_THROW(solver.analyze(good.after_stored.view()), OutOfMemory);
  solver.reserve_right_hand_sides(2);
  expect_takes(solver, good);
  EXPECT_THROW(solver.reserve_right_hand_sides(65536), OutOfMemory);
  expect_solves(solver, good.after);
}

/// Without a device or a toolkit, the sentence says which is missing, and the object continues on the host.
TEST(MissingDevice, SolverContinuesOnTheHost) {
  const CudaAvailability cuda = cuda_availability();
  if (cuda.available) GTEST_SKIP() << "a device is available: " << cuda.devices.at(0);
  const GoodSystems<double> good;
  Solver<double> solver(on(Backend::cuda));
  EXPECT_EQ(sentence_of<BackendUnavailable>([&] { solver.analyze(good.after_stored.view()); }), cuda.reason);
  EXPECT_FALSE(solver.is_analyzed());
  EXPECT_NE(cuda.reason.find("CUDA"), std::string::npos);
  solver.set_options(on(Backend::host));
  expect_takes(solver, good);
  solver.set_options(on(Backend::cuda));
  EXPECT_EQ(sentence_of<BackendUnavailable>([&] { solver.compute(good.before_stored.view()); }), cuda.reason);
  expect_solves(solver, good.after);
  solver.set_options(on(Backend::automatic));
  expect_takes(solver, good);
  EXPECT_EQ(solver.backend(), Backend::host);
  EXPECT_EQ(solver.analyze_report().backend_reason, cuda.reason);
}

TEST(MissingDevice, DeviceDataIsRefused) {
  const CudaAvailability cuda = cuda_availability();
  if (cuda.available) GTEST_SKIP() << "a device is available: " << cuda.devices.at(0);
  const GoodSystems<double> good;
  Solver<double> solver(on(Backend::host));
  solver.compute(good.after_stored.view());
  std::vector<double> data(23, 1.0);
  const DenseView<double> host(data.data(), 23);
  const DenseView<double> device(data.data(), 23, MemorySpace::device);
  for (const auto& said :
       {sentence_of<BackendUnavailable>([&] { solver.solve(device, host); }),
        sentence_of<BackendUnavailable>([&] { solver.solve(host, device); }),
        sentence_of<BackendUnavailable>([&] { solver.refactorize(good.after_stored.values, MemorySpace::device); })}) {
    EXPECT_NE(said.find("CUDA"), std::string::npos) << said;
  }
  EXPECT_EQ(data, std::vector<double>(23, 1.0));
  expect_solves(solver, good.after);
}

class OnADevice : public testing::Test {
 protected:
  void SetUp() override {
    const CudaAvailability cuda = cuda_availability();
    if (!cuda.available) GTEST_SKIP() << cuda.reason;
  }
};

TEST_F(OnADevice, UnknownDeviceNumberIsRefused) {
  const GoodSystems<double> good;
  Options options = on(Backend::cuda);
  options.device = 999;
  Solver<double> solver(options);
  const std::string said = sentence_of<BackendUnavailable>([&] { solver.analyze(good.after_stored.view()); });
  EXPECT_NE(said.find("999"), std::string::npos) << said;
  solver.set_options(on(Backend::host));
  expect_takes(solver, good);
}

TEST_F(OnADevice, TooLargeFactorIsRefused) {
  const TooLarge<double> large;
  const GoodSystems<double> good;
  Solver<double> solver(TooLarge<double>::options(Backend::cuda));
  solver.compute(good.before_stored.view());
  try {
    solver.compute(large.view());
    FAIL() << "L was taken";
  } catch (const OutOfMemory& error) {
    expect_bytes_told<double>(error);
    EXPECT_GE(error.bytes_needed(), large.n * (large.n + 1) / 2 * 8) << "the lower triangle";
    EXPECT_GT(error.bytes_free(), 0);
    EXPECT_LT(error.bytes_free(), error.bytes_needed());
    EXPECT_NE(std::string(error.what()).find(std::to_string(error.bytes_free())), std::string::npos) << error.what();
  }
  expect_solves(solver, good.before);
  solver.set_options(on(Backend::host));
  expect_takes(solver, good);
}

TEST_F(OnADevice, RefusalOfTheDeviceAllocatorIsReported) {
  const GoodSystems<double> good;
  Options options = on(Backend::cuda);
  options.device_allocator = std::make_shared<Budget>(0);
  Solver<double> solver(options);
  try {
    solver.compute(good.after_stored.view());
    FAIL() << "memory was taken";
  } catch (const OutOfMemory& error) {
    expect_bytes_told<double>(error);
  }
  options.backend = Backend::automatic;
  solver.set_options(options);
  expect_takes(solver, good);
  options.backend = Backend::host;
  solver.set_options(options);
  expect_takes(solver, good);
}

}  // namespace
}  // namespace gpusupernodal::test
