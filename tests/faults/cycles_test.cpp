/// Tests that a thousand cycles of creating and destroying a solver leak nothing.

#include "tests/faults/cycles.hpp"

#include <unistd.h>

#include <fstream>
#include <iostream>

#include "tests/faults/heap.hpp"
#include "tests/solver/api/solvers.hpp"
#include "tests/support/allow_threads.hpp"
#include "tests/support/sanitized.hpp"

namespace gpusupernodal::test {
namespace {

/// Resident set of the process, in bytes.
std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  statm >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

/// Whether the allocator keeps freed memory, as those of sanitizers and valgrind do; they are slow, too.
bool memory_is_kept() {
#if GPUSUPERNODAL_TEST_SANITIZED
  return true;
#else
  return std::getenv("GPUSUPERNODAL_TEST_VALGRIND") != nullptr;
#endif
}

class Cycles : public testing::TestWithParam<int> {};

/// A cycle makes hundreds of allocations, the smallest 16 bytes, the factor 370 kB. The count reveals a leak of one
/// allocation per cycle; leaks of the libraries' mallocs show in the resident set: 4 kB per cycle would make 4 MB, and
/// the bound is half of that. After the first cycles, fragmentation stays below it.
TEST_P(Cycles, AThousandOnTheHostLeakNothing) {
  constexpr std::int64_t max_growth = 2 << 20;
  const io::SymmetricMatrix a = io::generate("lap2d:40");
  const StoredMatrix<double> s = stored<double>(a);
  Options options = on(Backend::host);
  allow_threads(3);
  options.threads = GetParam();
  options.ordering = Ordering::metis;
  const int cycles = memory_is_kept() ? 30 : 1000;
  for (int cycle = 0; cycle < cycles / 10; ++cycle) one_cycle(options, a, s);
  const std::int64_t pieces = heap_pieces();
  const std::int64_t resident = resident_bytes();
  for (int cycle = 0; cycle < cycles; ++cycle) one_cycle(options, a, s);
  const std::int64_t growth = resident_bytes() - resident;
  std::cout << cycles << " cycles on the host, " << GetParam() << " threads: " << heap_pieces() - pieces
            << " pieces more, resident set " << growth / 1024 << " KiB more\n";
  EXPECT_EQ(heap_pieces(), pieces);
  EXPECT_TRUE(growth <= max_growth || memory_is_kept());
}

/// Repeated multi-threaded factorizations and solves by one solver leak nothing.
TEST(Calls, ThousandsOnTheHostLeakNothing) {
  constexpr std::int64_t max_growth = 2 << 20;
  const io::SymmetricMatrix a = io::generate("lap2d:100");
  const StoredMatrix<double> s = stored<double>(a);
  Options options = on(Backend::host);
  allow_threads(3);
  options.threads = 3;
  Solver<double> solver(options);
  solver.compute(s.view());
  const std::vector<double> b(static_cast<std::size_t>(a.n), 1.0);
  std::vector<double> x(b.size());
  const auto calls = [&](int times) {
    for (int i = 0; i < times; ++i) {
      solver.refactorize({s.values.data(), s.values.size()});
      for (int k = 0; k < 4; ++k) solver.solve({b.data(), a.n}, {x.data(), a.n});
    }
  };
  const int times = memory_is_kept() ? 20 : 500;
  calls(times / 10);
  const std::int64_t pieces = heap_pieces();
  const std::int64_t resident = resident_bytes();
  calls(times);
  const std::int64_t growth = resident_bytes() - resident;
  std::cout << times << " factorizations, " << 4 * times << " solves: resident set " << growth / 1024 << " KiB more\n";
  EXPECT_EQ(heap_pieces(), pieces);
  EXPECT_TRUE(growth <= max_growth || memory_is_kept());
}

INSTANTIATE_TEST_SUITE_P(Threads, Cycles, testing::Values(1, 3));

}  // namespace
}  // namespace gpusupernodal::test
