/// Device memory as the report announces it, for many shapes, and what happens where there is less. On a simulated device
/// where there is no other.

#include "tests/faults/cuda_subject.hpp"

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

Options options_with(CudaSchedule schedule, int steps, bool trace, const std::shared_ptr<Allocator>& allocator) {
  Options options = on(Backend::cuda);
  options.cuda_schedule = schedule;
  options.refinement.max_steps = steps;
  options.trace = trace;
  options.device_allocator = allocator;
  return options;
}

/// Taken in analyze to the byte, and nothing after.
template <class T>
void expect_announced(const Shape& shape, CudaSchedule schedule, int steps, bool trace) {
  const auto allocator = std::make_shared<FailingDeviceAllocator>();
  const StoredMatrix<T> s = stored<T>(shape.a);
  {
    Solver<T> solver(options_with(schedule, steps, trace, allocator));
    solver.analyze(s.view());
    const std::int64_t announced = solver.analyze_report().memory.total();
    EXPECT_EQ(allocator->bytes(), announced);
    solver.factorize(s.view());
    solution(solver, right_hand_side<T>(s.n));
    EXPECT_EQ(allocator->bytes(), announced) << "numerical phases took some";
  }
  EXPECT_EQ(allocator->bytes(), 0);
}

TEST(CudaMemory, IsWhatTheReportAnnouncesForEveryShape) {
  for (const Shape& shape : shapes()) {
    for (const CudaSchedule schedule : {CudaSchedule::levels, CudaSchedule::streams}) {
      for (const int steps : {0, 2}) {
        SCOPED_TRACE(shape.name + (schedule == CudaSchedule::levels ? ", levels, " : ", streams, ") + std::to_string(steps));
        expect_announced<double>(shape, schedule, steps, false);
        expect_announced<float>(shape, schedule, steps, false);
      }
    }
  }
}

TEST(CudaMemory, OfATraceIsAnnouncedToo) {
  expect_announced<double>({"lap3d:10", io::generate("lap3d:10")}, CudaSchedule::levels, 0, true);
}

/// One byte less than what is announced: the sentence has both numbers, nothing is taken, and the old factor is there.
TEST(CudaMemory, TooLittleIsToldBeforeAnythingIsTaken) {
  if (!device_is_simulated()) GTEST_SKIP() << "what is free on a device cannot be set";
  const io::SymmetricMatrix a = io::generate("lap3d:9");
  const StoredMatrix<double> s = stored<double>(a);
  Solver<double> measured(options_with(CudaSchedule::levels, 0, false, nullptr));
  measured.analyze(s.view());
  const std::int64_t needed = measured.analyze_report().memory.total();
  Solver<double> solver(options_with(CudaSchedule::levels, 0, false, nullptr));
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
