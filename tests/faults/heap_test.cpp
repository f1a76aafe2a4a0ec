/// Each allocation of the host backend fails once, in every phase of a solver's life.

#include <array>
#include <memory>

#include "tests/faults/failing_allocator.hpp"
#include "tests/faults/sweep.hpp"
#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {
namespace {

struct Case {
  const char* name;
  const char* matrix;
  Ordering ordering;
  int threads;
  int block_width;
  const char* other = "lap2d:4";  ///< Matrix analyzed in place of the first.
};

/// One entry; a grid in many tasks; METIS; a grid that is cut; a permutation and a callback whose copies allocate.
std::vector<Case> cases() {
  return {{"one entry", "lap2d:1", Ordering::automatic, 1, 0},
          {"grid, 1 thread", "lap2d:9", Ordering::amd, 1, 8},
          {"grid, 3 threads", "lap2d:9", Ordering::amd, 3, 8},
          {"metis, 1 thread", "lap3d:4", Ordering::metis, 1, 0},
          {"dissection, 1 thread", "lap2d:22", Ordering::nested_dissection, 1, 0},
          {"user order", "lap2d:8", Ordering::user, 1, 0, "lap3d:4"}};
}

Options options_of(const Case& c) {
  Options options = on(Backend::host);
  options.ordering = c.ordering;
  allow_threads(3);
  options.threads = c.threads;
  options.block_width = c.block_width;
  if (c.ordering != Ordering::user) return options;
  const std::int64_t n = io::generate(c.matrix).n;
  for (std::int64_t k = 0; k < n; ++k) options.permutation.push_back(n - 1 - k);
  options.progress = [large = std::array<double, 16>()](const Progress&) { return large[0] == 0.0; };
  return options;
}

std::vector<Phase> all_phases() {
  std::vector<Phase> all = phases_of_analysis();
  for (Phase& phase : phases_of_numbers()) all.push_back(std::move(phase));
  return all;
}

void sweep_heap(const Case& c, Lasting lasting) {
  const Subject subject(c.matrix, c.other);
  SweepOptions how;
  how.lasting = lasting;
  for (const Phase& phase : all_phases()) {
    const std::int64_t failures = sweep(subject, options_of(c), heap_faults(), phase, how);
    if (lasting == Lasting::once) print_sites(std::string("host, operator new and malloc, ") + c.name, phase.name, failures);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(HeapFaults, AnyAllocationFailsOnce) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    sweep_heap(c, Lasting::once);
  }
}

/// All allocations from one site on fail, also while sentences are formatted and threads unwind.
TEST(HeapFaults, AllAllocationsFailFromAnyOneOn) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    sweep_heap(c, Lasting::from_then_on);
  }
}

/// The caller's allocator refuses by nullptr or by its own exception.
TEST(HeapFaults, AnyRequestOfTheAllocatorIsRefused) {
  for (const Case& c : cases()) {
    for (const bool throws : {false, true}) {
      SCOPED_TRACE(c.name);
      const Subject subject(c.matrix, c.other);
      const auto allocator = std::make_shared<FailingAllocator>();
      allocator->throws = throws;
      Options options = options_of(c);
      options.host_allocator = allocator;
      for (const Phase& phase : all_phases()) {
        const std::int64_t failures = sweep(subject, options, allocator->faults, phase, SweepOptions());
        EXPECT_EQ(allocator->pieces(), 0);
        if (!throws) print_sites(std::string("host, host_allocator, ") + c.name, phase.name, failures);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace gpusupernodal::test
