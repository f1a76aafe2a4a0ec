/// Fault tests with a matrix whose factorization and solves run on several workers: starting them may fail too.

#include "tests/faults/sweep.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {
namespace {

TEST(WorkerFaults, AnyAllocationFailsOnce) {
  allow_threads(3);
  Subject subject("lap3d:11");
  Options options = on(Backend::host);
  options.threads = 3;
  options.block_width = 16;
  Solver<double> planner(options);
  planner.analyze(subject.stored.view());
  subject.plan = planner.plan();
  for (const Phase& phase : phases_of_numbers()) {
    const std::int64_t failures = sweep(subject, options, heap_faults(), phase, SweepOptions());
    print_sites("host, operator new and malloc, 3 workers", phase.name, failures);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace gpusupernodal::test
