/// Several simulated devices: devices that cannot access each other's memory, one that has too little, and one that is
/// lost.

#include <array>
#include <string>

#include "tests/faults/cuda_subject.hpp"
#include "tests/faults/sweep.hpp"

namespace gpusupernodal::test {
namespace {

class SimulatedDevices : public testing::Test {
 protected:
  void SetUp() override {
    if (!device_is_simulated()) GTEST_SKIP() << "there is a real device";
    numbers_are_real() = false;
    simulated_devices() = 2;
  }
  void TearDown() override {
    simulated_devices() = 1;
    simulated_peer_access() = true;
    numbers_are_real() = true;
  }

  static Options on_both() {
    Options options = cuda_options(CudaSchedule::levels);
    options.devices = {0, 1};
    return options;
  }
};

TEST_F(SimulatedDevices, WithoutAccessToEachOtherAreNamed) {
  const Subject subject = cuda_subject(on_both());
  simulated_peer_access() = false;
  Solver<double> solver(on_both());
  expect_throw<BackendUnavailable>([&] { solver.analyze(subject.stored.view()); },
                                   {"CUDA device 0 cannot access the memory of device 1"});
  Options one = on_both();
  one.devices = {1};
  solver.set_options(one);
  solver.compute(subject.stored.view());  // This object, on the other device alone.
  EXPECT_EQ(solver.status(), Status::success);
}

TEST_F(SimulatedDevices, LeaveTheSystemToTheHostIfTheyCannotBeUsed) {
  const Subject subject = cuda_subject(on_both());
  simulated_peer_access() = false;
  Options options = on_both();
  options.backend = Backend::automatic;
  Solver<double> solver(options);
  solver.compute(subject.stored.view());
  EXPECT_EQ(solver.backend(), Backend::host);
  expect_solves(solver, subject.a);
}

/// Each request of memory is refused once. The messages begin with the device that refused it, and each device does.
TEST_F(SimulatedDevices, WithoutMemoryAreNamed) {
  const Options options = on_both();
  const Subject subject = cuda_subject(options);
  std::array<int, 2> refusals{};
  for (std::int64_t k = 1;; ++k) {
    Solver<double> solver(options);
    cuda_faults(CudaCall::memory).arm(k, Lasting::once);
    std::string message;
    try {
      solver.analyze(subject.stored.view(), subject.plan);
    } catch (const OutOfMemory& error) {
      message = error.what();
    }
    cuda_faults(CudaCall::memory).disarm();
    if (!cuda_faults(CudaCall::memory).fired()) break;
    if (message.empty()) continue;  // It could do without.
    const std::string begin = "CUDA device ";
    ASSERT_EQ(message.rfind(begin, 0), 0U) << message;
    ++refusals.at(static_cast<std::size_t>(message[begin.size()] - '0'));
  }
  EXPECT_GT(refusals[0], 0);
  EXPECT_GT(refusals[1], 0);
}

/// A device is lost while both work. The object then works on the host.
TEST_F(SimulatedDevices, MayBeLostAtAnyCallOfAFactorization) {
  const Options options = on_both();
  const Subject subject = cuda_subject(options);
  for (std::int64_t k = 1;; ++k) {
    SCOPED_TRACE("call " + std::to_string(k));
    const std::int64_t objects = cuda_objects();
    {
      Solver<double> solver(options);
      solver.compute(subject.stored.view());
      device_loss().arm(k, Lasting::once);
      const Ended ended = attempt([&] {
        solver.refactorize(subject.stored_twice.values);
        static_cast<void>(solver.status());
      });
      device_loss().disarm();
      if (!device_is_lost()) break;
      EXPECT_NE(ended, Ended::out_of_memory) << "memory was not the matter";
      EXPECT_TRUE(solver.is_analyzed());
      Options host = options;
      host.backend = Backend::host;
      solver.set_options(host);
      solver.compute(subject.stored.view());
      expect_solves(solver, subject.a);
    }
    revive_device();
    EXPECT_EQ(cuda_objects(), objects) << "something is not given back";
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
