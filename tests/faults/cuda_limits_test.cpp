/// Tests with the shared-memory limits of every compute capability: on the simulated device, executors are created and
/// used; on a real device they are only created, with the limits replaced, because its code is not that of the other
/// devices.

#include "tests/faults/cuda_subject.hpp"
#include "tests/faults/limit_watch.hpp"

namespace gpusupernodal::test {
namespace {

struct Device {
  const char* capability;
  cuda::SharedMemoryLimits limits;
};
constexpr std::array devices{
    Device{"7.5", {65536, 65536, 0}},      Device{"8.0", {166912, 167936, 1024}},  Device{"8.6", {101376, 102400, 1024}},
    Device{"9.0", {232448, 233472, 1024}}, Device{"10.0", {232448, 233472, 1024}}, Device{"12.0", {101376, 102400, 1024}},
};

template <class T>
void use(CudaSchedule schedule) {
  Options options = cuda_options(schedule);
  options.refinement.max_steps = 2;
  const io::SymmetricMatrix a = io::generate(cuda_matrix());
  const StoredMatrix<T> s = stored<T>(a);
  Solver<T> solver(options);
  solver.analyze(s.view());
  if (!device_is_simulated()) return;
  options.refinement.max_steps = 0;
  solver.set_options(options);
  for (int round = 0; round < 3; ++round) solver.factorize(s.view());
  for (const std::int64_t columns : {1, 5, 16}) {
    const std::vector<T> b = right_hand_side<T>(a.n, columns);
    std::vector<T> x(b.size());
    solver.solve(DenseView<const T>(b.data(), a.n, columns, a.n), DenseView<T>(x.data(), a.n, columns, a.n));
  }
}

TEST(CudaLimits, SharedMemoryFitsOnEveryDevice) {
  for (const Device& device : devices) {
    for (const CudaSchedule schedule : {CudaSchedule::levels, CudaSchedule::streams}) {
      SCOPED_TRACE(std::string(device.capability) + (schedule == CudaSchedule::levels ? ", levels" : ", streams"));
      limit_watch().forget();
      limit_watch().pretend(device.limits);
      EXPECT_NO_THROW(use<double>(schedule));
      EXPECT_NO_THROW(use<float>(schedule));
      EXPECT_EQ(limit_watch().excesses(), 0) << "at most " << limit_watch().largest() << " of " << device.limits.per_cta;
      EXPECT_GT(limit_watch().largest(), 0) << "the hooks do not see what kernels are allowed";
    }
  }
  limit_watch().forget();
}

}  // namespace
}  // namespace gpusupernodal::test
