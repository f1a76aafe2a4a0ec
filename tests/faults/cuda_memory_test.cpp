/// Tests that device memory equals the report's estimate for many shapes, and of what happens if less is available.
/// Without a device, on a simulated one.

#include <functional>

#include "base/fmt.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/cuda/run/device_plan.hpp"
#include "tests/faults/cuda_subject.hpp"
#include "tests/solver/cuda/plan/bulk_tasks.hpp"

namespace gpusupernodal::test {
namespace {

struct Shape {
  std::string name;
  io::SymmetricMatrix a;
};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const char* spec : {"lap2d:1", "lap2d:40", "lap3d:10", "lap27:6", "elas:5", "shell:9"}) {
    all.push_back({spec, io::generate(spec)});
  }
  all.push_back({"diagonal", diagonal_spd(3000)});
  all.push_back({"chain", chain_spd(3000)});
  all.push_back({"arrowhead", arrowhead_spd(2000)});
  all.push_back({"dense", dense_spd(300, 1)});
  all.push_back({"random", random_spd(400, 1200, 1)});
  return all;
}

/// A configuration of a solver.
struct Way {
  CudaSchedule schedule = CudaSchedule::levels;
  int steps = 0;
  bool trace = false;
  bool deterministic = false;
  bool bulk = false;  ///< Use the solve tasks of large plans.

  std::string name() const {
    return (schedule == CudaSchedule::levels ? "levels, " : "streams, ") + std::to_string(steps) +
           (deterministic ? ", deterministic" : "");
  }
};

Options options_with(const Way& way, const std::shared_ptr<Allocator>& allocator) {
  Options options = on(Backend::cuda);
  options.cuda_schedule = way.schedule;
  options.refinement.max_steps = way.steps;
  options.trace = way.trace;
  options.deterministic = way.deterministic;
  options.device_allocator = allocator;
  return options;
}

std::shared_ptr<const FactorPlan> host_plan(const Shape& shape) {
  Solver<double> planner(on(Backend::host));
  planner.analyze(stored<double>(shape.a).view());
  return planner.plan();
}

/// analyze allocates exactly the estimate; later calls allocate nothing.
template <class T>
void expect_announced(const Shape& shape, const Way& way) {
  SCOPED_TRACE(shape.name + ", " + way.name() + (sizeof(T) == sizeof(float) ? ", float" : ", double"));
  const auto allocator = std::make_shared<FailingDeviceAllocator>();
  const StoredMatrix<T> s = stored<T>(shape.a);
  {
    Solver<T> solver(options_with(way, allocator));
    if (way.bulk) {
      solver.analyze(s.view(), with_bulk_tasks(*host_plan(shape), cuda_plan_options(solver.options())));
    } else {
      solver.analyze(s.view());
    }
    const std::int64_t announced = solver.analyze_report().memory.total();
    EXPECT_EQ(allocator->bytes(), announced);
    solver.factorize(s.view());
    solution(solver, right_hand_side<T>(s.n));
    EXPECT_EQ(allocator->bytes(), announced) << "numerical phases took some";
  }
  EXPECT_EQ(allocator->bytes(), 0);
}

template <class T>
void expect_announced_every_way(const Shape& shape, bool bulk) {
  for (const CudaSchedule schedule : {CudaSchedule::levels, CudaSchedule::streams}) {
    for (const int steps : {0, 2}) expect_announced<T>(shape, {schedule, steps, false, false, bulk});
  }
  expect_announced<T>(shape, {CudaSchedule::levels, 0, false, true, bulk});
}

TEST(CudaMemory, EqualsTheReportForEveryShape) {
  for (const Shape& shape : shapes()) {
    expect_announced_every_way<double>(shape, false);
    expect_announced_every_way<float>(shape, false);
  }
}

TEST(CudaMemory, ReportIncludesTheTrace) {
  expect_announced<double>({"lap3d:10", io::generate("lap3d:10")}, {CudaSchedule::levels, 0, true});
}

/// Matrices whose plans get the solve tasks of large ones. The leaves, with few rows below, have more tasks in single
/// than in double precision; the others have fewer.
std::vector<Shape> bulk_shapes() {
  std::vector<Shape> all;
  for (const char* spec : {"elas:9", "lap3d:16"}) all.push_back({spec, io::generate(spec)});
  all.push_back({"leaves", joined_cliques_spd(300, 60, 24, 3)});
  return all;
}

TEST(CudaMemory, CountsTheSolveTasksOfEachScalar) {
  int more = 0;
  int fewer = 0;
  for (const Shape& shape : bulk_shapes()) {
    const auto plan = with_bulk_tasks(*host_plan(shape));
    const std::int64_t of_float = plan->memory(Backend::cuda, ScalarType::real_single, false).index;
    const std::int64_t of_double = plan->memory(Backend::cuda, ScalarType::real_double, false).index;
    more += of_float > of_double ? 1 : 0;
    fewer += of_float < of_double ? 1 : 0;
    expect_announced_every_way<double>(shape, true);
    expect_announced_every_way<float>(shape, true);
  }
  EXPECT_TRUE(more > 0 && fewer > 0) << "the lists of floats are never the longer, or never the shorter ones";
}

/// An allocator that throws a chosen exception.
class ThrowingAllocator final : public Allocator {
 public:
  explicit ThrowingAllocator(std::function<void()> fail) : fail_(std::move(fail)) {}
  void* allocate(std::size_t, std::size_t) override {
    fail_();
    return nullptr;
  }
  void deallocate(void*, std::size_t, std::size_t) noexcept override {}

 private:
  std::function<void()> fail_;
};

/// Whatever the construction of the CUDA executor throws, the host is chosen, and the report says why.
TEST(CudaMemory, AutomaticFallsBackToTheHostWithTheReason) {
  const io::SymmetricMatrix a = io::generate("lap3d:26");
  const StoredMatrix<double> s = stored<double>(a);
  const auto backend_with = [&](const std::shared_ptr<Allocator>& allocator, const char* reason) {
    Options options = on(Backend::automatic);
    options.device_allocator = allocator;
    Solver<double> solver(options);
    solver.analyze(s.view());
    EXPECT_NE(solver.analyze_report().backend_reason.find(reason), std::string::npos)
        << solver.analyze_report().backend_reason;
    return solver.backend();
  };
  ASSERT_EQ(backend_with(nullptr, "cuda"), Backend::cuda) << "the device is not faster here: take a larger matrix";
  const auto failing = [](std::function<void()> fail) { return std::make_shared<ThrowingAllocator>(std::move(fail)); };
  EXPECT_EQ(backend_with(failing([] {}), "bytes were refused"), Backend::host);
  EXPECT_EQ(backend_with(failing([] { throw InvalidState("more is needed than was planned", __FILE__, __LINE__); }),
                         "more is needed than was planned"),
            Backend::host);
  EXPECT_EQ(backend_with(failing([] { throw DeviceError("the device is lost", __FILE__, __LINE__); }), "the device is lost"),
            Backend::host);
}

/// Adds up the uploaded arrays: they use every byte that is counted.
void expect_filled(const CudaPlan& plan, const MemoryRequest& request) {
  SCOPED_TRACE(fmt::format("{} bytes per value, keep_a {}, ldlt {}, {}, deterministic {}", bytes_of(request.scalar),
                           request.keep_a, request.ldlt, name_of(plan.options.schedule), plan.options.deterministic));
  const auto allocator = std::make_shared<FailingDeviceAllocator>();
  const cuda::DevicePlan uploaded(plan, {request, 1}, allocator);
  const std::int64_t counted = plan.memory(request).index;
  EXPECT_EQ(uploaded.bytes_filled(), counted);
  EXPECT_EQ(allocator->bytes(), counted);
}

TEST(CudaMemory, ListsFillTheCountedBytesExactly) {
  std::vector<CudaPlanOptions> ways(3);
  ways[1].schedule = CudaSchedule::streams;
  ways[2].deterministic = true;
  std::vector<Shape> all = shapes();
  for (Shape& shape : bulk_shapes()) all.push_back(std::move(shape));
  for (const Shape& shape : all) {
    SCOPED_TRACE(shape.name);
    const auto host = host_plan(shape);
    for (const CudaPlanOptions& way : ways) {
      for (const auto& plan : {with_cuda(host, way, 1), with_bulk_tasks(*host, way)}) {
        for (const ScalarType scalar : {ScalarType::real_single, ScalarType::real_double}) {
          for (const bool keep_a : {false, true}) expect_filled(plan->cuda(), {scalar, keep_a});
          expect_filled(plan->cuda(), {scalar, true, 1, true});
        }
      }
    }
  }
}

/// With one byte less than estimated, the sentence has both numbers, nothing is allocated, and the old factor stays.
TEST(CudaMemory, ShortageIsReportedBeforeAnyAllocation) {
  if (!device_is_simulated()) GTEST_SKIP() << "what is free on a device cannot be set";
  const io::SymmetricMatrix a = io::generate("lap3d:9");
  const StoredMatrix<double> s = stored<double>(a);
  Solver<double> measured(options_with({}, nullptr));
  measured.analyze(s.view());
  const std::int64_t needed = measured.analyze_report().memory.total();
  Solver<double> solver(options_with({}, nullptr));
  const StoredMatrix<double> small = stored<double>(io::generate("lap2d:4"));
  solver.compute(small.view());
  const std::int64_t objects = cuda_objects();
  const std::size_t all = simulated_free_memory();
  simulated_free_memory() = static_cast<std::size_t>(needed) - 1;
  try {
    solver.analyze(s.view());
    ADD_FAILURE() << "it fitted";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.bytes_needed(), needed);
    EXPECT_EQ(error.bytes_free(), needed - 1);
    EXPECT_NE(std::string(error.what()).find(std::to_string(needed)), std::string::npos) << error.what();
  }
  EXPECT_EQ(cuda_objects(), objects);
  EXPECT_EQ(solver.order(), small.n);
  EXPECT_TRUE(solver.is_factorized());
  simulated_free_memory() = static_cast<std::size_t>(needed);
  solver.analyze(s.view());
  EXPECT_EQ(solver.order(), a.n);
  simulated_free_memory() = all;
}

}  // namespace
}  // namespace gpusupernodal::test
