/// Test of a real loss of the device by a faulting kernel. The only test of its program, because nothing works on the
/// device afterwards.

#include "tests/faults/trap.hpp"
#include "tests/kernels/cuda/device_array.hpp"
#include "tests/solver/api/solvers.hpp"

namespace gpusupernodal::test {
namespace {

struct Victim {
  Victim(CudaSchedule schedule, const StoredMatrix<double>& s, bool factorize) : solver(options(schedule)) {
    solver.analyze(s.view());
    if (factorize) solver.factorize(s.view());
  }
  static Options options(CudaSchedule schedule) {
    Options options = on(Backend::cuda);
    options.cuda_schedule = schedule;
    return options;
  }
  Solver<double> solver;
};

TEST(DeviceLoss, EverySolverReportsItAndTheHostStillWorks) {
  SKIP_WITHOUT_DEVICE();
  const io::SymmetricMatrix a = io::generate("lap3d:8");
  const StoredMatrix<double> s = stored<double>(a);
  std::vector<Victim> victims;
  for (const CudaSchedule schedule : {CudaSchedule::levels, CudaSchedule::streams}) {
    for (const bool factorize : {false, true}) victims.emplace_back(schedule, s, factorize);
  }
  Solver<double> host(on(Backend::host));
  host.compute(s.view());
  ASSERT_NE(lose_device_for_good(), cudaSuccess);

  for (Victim& victim : victims) {
    const bool factorized = victim.solver.is_factorized();
    if (factorized) {
      EXPECT_THROW(solution(victim.solver, right_hand_side<double>(a.n)), DeviceError);
      EXPECT_THROW(victim.solver.status(), DeviceError);
      EXPECT_THROW(victim.solver.extract_l(), DeviceError);
    }
    EXPECT_THROW(victim.solver.factorize(s.view()), DeviceError);
    EXPECT_FALSE(victim.solver.is_factorized());
    expect_throw<InvalidState>([&] { solution(victim.solver, right_hand_side<double>(a.n)); }, {"broken off"});
    EXPECT_THROW(victim.solver.analyze(s.view()), Error);
    EXPECT_EQ(victim.solver.order(), a.n);
  }
  expect_solves(host, a);
  victims[0].solver.set_options(on(Backend::host));
  victims[0].solver.compute(s.view());
  expect_solves(victims[0].solver, a);
  Options automatic = on(Backend::automatic);
  Solver<double> fresh(automatic);
  fresh.compute(s.view());
  EXPECT_EQ(fresh.backend(), Backend::host) << fresh.analyze_report().backend_reason;
  expect_solves(fresh, a);
}

}  // namespace
}  // namespace gpusupernodal::test
