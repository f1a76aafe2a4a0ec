/// Every CUDA, cuBLAS and cuSOLVER call of the CUDA backend fails once, in every phase of a solver's life; so does
/// every host allocation; and the device is lost at every call. Without a device, on a simulated one. The solver works by
/// either schedule, on one device that is taken for three, and with a part of the factor in host memory.

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "tests/faults/cuda_subject.hpp"
#include "tests/faults/stream_watch.hpp"
#include "tests/faults/sweep.hpp"
#include "tests/support/temporary_file.hpp"

namespace gpusupernodal::test {
namespace {

/// How the solver uses the device.
enum class Way { levels, streams, devices, host_memory };

const char* name_of(Way way) {
  constexpr std::array<const char*, 4> names{"levels", "streams", "devices", "host_memory"};
  return names[static_cast<std::size_t>(way)];
}

/// Whether parts of the work or of the factor are elsewhere; a life then takes longer.
bool is_divided(Way way) { return way == Way::devices || way == Way::host_memory; }

Options options_of(Way way, const std::string& matrix) {
  Options options = cuda_options(way == Way::streams ? CudaSchedule::streams : CudaSchedule::levels);
  if (way == Way::devices) options.devices = {0, 0, 0};
  if (way == Way::host_memory) {
    const io::SymmetricMatrix a = io::generate(matrix);
    const MemoryEstimate memory = Solver<double>::preview(stored<double>(a).view(), options).report.memory;
    options.device_memory_limit = memory.total() - memory.factor / 16;
  }
  return options;
}

/// Makes the model expect that three devices gain time with small matrices, too.
class SlowDevice {
 public:
  SlowDevice() { setenv("GPUSUPERNODAL_COST_MODEL", figures_.path().c_str(), 1); }
  ~SlowDevice() { unsetenv("GPUSUPERNODAL_COST_MODEL"); }
  SlowDevice(const SlowDevice&) = delete;
  SlowDevice& operator=(const SlowDevice&) = delete;

 private:
  TemporaryFile figures_{R"({"format": "gpusupernodal cost model 1", "cuda": {"flops_per_second": 1e8}})"};
};

/// Number of calls of each kind that fail in a phase, evenly spread: all on the simulated device, where a life is
/// cheap, if the work is not divided. GPUSUPERNODAL_TEST_SITES overrides it.
std::int64_t max_sites(Way way) {
  const char* const wanted = std::getenv("GPUSUPERNODAL_TEST_SITES");
  if (wanted != nullptr) return std::atoll(wanted);
  return !device_is_simulated() ? 12 : is_divided(way) ? 40 : SweepOptions().max_sites;
}

std::vector<Phase> all_phases() {
  std::vector<Phase> all;
  for (Phase& phase : phases_of_analysis()) {
    if (phase.name.rfind("plan_", 0) != 0) all.push_back(std::move(phase));
  }
  for (Phase& phase : phases_of_numbers()) all.push_back(std::move(phase));
  return all;
}

class CudaFaults : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override { numbers_are_real() = !device_is_simulated(); }

  static bool takes_allocator() { return GetParam() != Way::devices; }

  static std::string device() { return device_is_simulated() ? "simulated device, " : "device, "; }
  static SweepOptions how() {
    SweepOptions sweep;
    sweep.device_errors = true;
    sweep.max_sites = max_sites(GetParam());
    return sweep;
  }
};

TEST_P(CudaFaults, AnyCallFailsOnce) {
  const SlowDevice slow;
  const Options options = options_of(GetParam(), cuda_matrix());
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

/// With the figures built in, because a failing allocation may end the process where a file of figures is read (the
/// destructors of nlohmann::json allocate).
TEST_P(CudaFaults, AnyAllocationOfTheHostFailsOnce) {
  const std::string matrix = is_divided(GetParam()) ? "lap2d:20" : "lap2d:9";
  const Options options = options_of(GetParam(), matrix);
  const Subject subject = cuda_subject(options, matrix);
  for (const Phase& phase : all_phases()) {
    const std::int64_t objects = cuda_objects();
    SweepOptions sweep_options;
    if (is_divided(GetParam())) sweep_options.max_sites = max_sites(GetParam());
    const std::int64_t failures = sweep(subject, options, heap_faults(), phase, sweep_options);
    EXPECT_EQ(cuda_objects(), objects) << phase.name << ": something is not given back";
    print_sites(device() + name_of(GetParam()) + ", operator new and malloc", phase.name, failures);
    if (testing::Test::HasFailure()) return;
  }
}

TEST_P(CudaFaults, AnyRequestOfTheAllocatorIsRefused) {
  if (!takes_allocator()) GTEST_SKIP() << "several devices have no device_allocator";
  Options options = options_of(GetParam(), cuda_matrix());
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
  if (!takes_allocator()) GTEST_SKIP() << "several devices have no device_allocator";
  for (const int steps : {0, 2}) {
    Options options = options_of(GetParam(), cuda_matrix());
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
  const SlowDevice slow;
  const Options options = options_of(GetParam(), cuda_matrix());
  const Subject subject = cuda_subject(options);
  for (const Phase& phase : all_phases()) {
    const std::int64_t sites = count_sites(subject, options, cuda_faults(CudaCall::any), phase);
    const std::int64_t stride = sites / max_sites(GetParam()) + 1;
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

INSTANTIATE_TEST_SUITE_P(Ways, CudaFaults, testing::Values(Way::levels, Way::streams, Way::devices, Way::host_memory),
                         [](const auto& param) { return std::string(name_of(param.param)); });

/// The other tests would pass, too, if all of the work were on one device, or the whole factor were there.
TEST_P(CudaFaults, WorkAndFactorAreDivided) {
  const SlowDevice slow;
  const Options options = options_of(GetParam(), cuda_matrix());
  const Subject subject = cuda_subject(options);
  Solver<double> solver(options);
  solver.analyze(subject.stored.view(), subject.plan);
  const AnalyzeReport& report = solver.analyze_report();
  EXPECT_EQ(report.memory.host > 0, GetParam() == Way::host_memory);
  ASSERT_EQ(report.devices.size(), GetParam() == Way::devices ? 3U : 0U);
  for (const DeviceUse& use : report.devices) EXPECT_GT(use.share, 0.1);
}

}  // namespace
}  // namespace gpusupernodal::test
