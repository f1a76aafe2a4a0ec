/// Every CUDA, cuBLAS and cuSOLVER call of the CUDA backend fails once, in every phase of a solver's life; so does
/// every host allocation; and the device is lost at every call. Without a device, on a simulated one.

#include <cstdlib>
#include <memory>

#include "tests/faults/cuda_subject.hpp"
#include "tests/faults/stream_watch.hpp"
#include "tests/faults/sweep.hpp"

namespace gpusupernodal::test {
namespace {

const char* name_of(CudaSchedule schedule) { return schedule == CudaSchedule::levels ? "levels" : "streams"; }

/// Number of calls of each kind that fail in a phase, evenly spread: all on the simulated device, where a life is
/// cheap. GPUSUPERNODAL_TEST_SITES overrides it.
std::int64_t max_sites() {
  const char* const wanted = std::getenv("GPUSUPERNODAL_TEST_SITES");
  if (wanted != nullptr) return std::atoll(wanted);
  return device_is_simulated() ? 1000000 : 12;
}

std::vector<Phase> all_phases() {
  std::vector<Phase> all;
  for (Phase& phase : phases_of_analysis()) {
    if (phase.name.rfind("plan_", 0) != 0) all.push_back(std::move(phase));
  }
  for (Phase& phase : phases_of_numbers()) all.push_back(std::move(phase));
  return all;
}

class CudaFaults : public testing::TestWithParam<CudaSchedule> {
 protected:
  void SetUp() override { numbers_are_real() = !device_is_simulated(); }

  static std::string device() { return device_is_simulated() ? "simulated device, " : "device, "; }
  static SweepOptions how() {
    SweepOptions sweep;
    sweep.device_errors = true;
    sweep.max_sites = max_sites();
    return sweep;
  }
};

TEST_P(CudaFaults, AnyCallFailsOnce) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  for (const Phase& phase : all_phases()) {
    for (const CudaCall call : all_cuda_calls) {
      if (call == CudaCall::any) continue;
      SCOPED_TRACE(test::name_of(call));
      const std::int64_t sites = count_sites(subject, options, cuda_faults(call), phase);
      const std::int64_t objects = cuda_objects();
      SweepOptions sweep_options = how();
      // Failures need not be reported in destructors, in queries whether the caller captures, and without a graph.
      sweep_options.must_be_reported = call != CudaCall::order && call != CudaCall::query && call != CudaCall::graph;
      sweep_options.unless = graph_was_refused;
      if (call == CudaCall::launch) {
        sweep_options.before_call = [] { stream_watch().all_settled(); };
        sweep_options.after_failure = [] {
          EXPECT_EQ(stream_watch().unsettled(), 0U) << "kernels of the broken call still run, and the next would meet them";
        };
      }
      const std::int64_t failures = sweep(subject, options, cuda_faults(call), phase, sweep_options);
      EXPECT_EQ(cuda_objects(), objects) << phase.name << ": something is not given back";
      if (sites > 0) {
        print_sites(device() + name_of(GetParam()) + ", " + test::name_of(call) + " calls: " + std::to_string(sites),
                    phase.name, failures);
      }
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST_P(CudaFaults, AnyAllocationOfTheHostFailsOnce) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options, "lap2d:9");
  for (const Phase& phase : all_phases()) {
    const std::int64_t objects = cuda_objects();
    const std::int64_t failures = sweep(subject, options, heap_faults(), phase, SweepOptions());
    EXPECT_EQ(cuda_objects(), objects) << phase.name << ": something is not given back";
    print_sites(device() + name_of(GetParam()) + ", operator new and malloc", phase.name, failures);
    if (testing::Test::HasFailure()) return;
  }
}

TEST_P(CudaFaults, AnyRequestOfTheAllocatorIsRefused) {
  Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  const auto allocator = std::make_shared<FailingDeviceAllocator>();
  options.device_allocator = allocator;
  for (const Phase& phase : all_phases()) {
    const std::int64_t failures = sweep(subject, options, allocator->faults, phase, how());
    EXPECT_EQ(allocator->bytes(), 0);
    if (failures > 0) print_sites(device() + name_of(GetParam()) + ", device_allocator", phase.name, failures);
    if (testing::Test::HasFailure()) return;
  }
}

/// The estimate in the report equals the allocated memory, workspaces of library calls included.
TEST_P(CudaFaults, TakesWhatTheReportAnnounces) {
  for (const int steps : {0, 2}) {
    Options options = cuda_options(GetParam());
    options.refinement.max_steps = steps;
    const Subject subject = cuda_subject(options);
    const auto allocator = std::make_shared<FailingDeviceAllocator>();
    options.device_allocator = allocator;
    Solver<double> solver(options);
    solver.analyze(subject.stored.view(), subject.plan);
    EXPECT_EQ(allocator->bytes(), solver.analyze_report().memory.total());
  }
}

/// Loses the device at the k-th call of a phase; returns whether such a call happened.
bool lose_device_at(const Subject& subject, const Options& options, const Phase& phase, std::int64_t k) {
  Life life(subject, options);
  phase.before(life);
  device_loss().arm(k, Lasting::once);
  const Ended ended = attempt([&] { phase.call(life); });
  device_loss().disarm();
  if (!device_is_lost()) return false;
  EXPECT_NE(ended, Ended::out_of_memory) << "memory was not the matter";
  if (life.solver) {
    EXPECT_THROW(life.solve(1), Error);
    Options host = options;
    host.backend = Backend::host;
    life.solver->set_options(host);
    life.solver->compute(subject.stored.view());  // This object on the host, without the device.
    expect_solves(*life.solver, subject.a);
  }
  return true;
}

TEST_P(CudaFaults, TheDeviceIsLostAtAnyCall) {
  const Options options = cuda_options(GetParam());
  const Subject subject = cuda_subject(options);
  for (const Phase& phase : all_phases()) {
    const std::int64_t sites = count_sites(subject, options, cuda_faults(CudaCall::any), phase);
    const std::int64_t stride = sites / max_sites() + 1;
    std::int64_t failures = 0;
    for (std::int64_t k = 1;; k += stride, ++failures) {
      SCOPED_TRACE(phase.name + ", lost at call " + std::to_string(k));
      const std::int64_t objects = cuda_objects();
      const bool lost = lose_device_at(subject, options, phase, k);
      revive_device();
      EXPECT_EQ(cuda_objects(), objects) << "something is not given back";
      if (testing::Test::HasFailure()) return;
      if (!lost) break;
    }
    print_sites(device() + name_of(GetParam()) + ", device lost, calls: " + std::to_string(sites), phase.name, failures);
  }
}

INSTANTIATE_TEST_SUITE_P(Schedules, CudaFaults, testing::Values(CudaSchedule::levels, CudaSchedule::streams),
                         [](const auto& param) { return std::string(name_of(param.param)); });

}  // namespace
}  // namespace gpusupernodal::test
