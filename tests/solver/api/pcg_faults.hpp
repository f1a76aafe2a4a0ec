#pragma once

/// \file
/// Conjugate gradients whose allocator refuses memory.

#include "gpusupernodal/error.hpp"
#include "tests/faults/injection.hpp"
#include "tests/solver/api/pcg_problems.hpp"

namespace gpusupernodal::test::pcg {

/// Lets the k-th allocation fail for every k until compute takes fewer; after each failure the object computes and solves.
/// `faults` belongs to the allocator of the options.
inline void expect_usable_after_each_fault(const PcgOptions& options, Injection& faults) {
  constexpr int enough = 100;
  const Stored<double> a(io::generate("lap2d:8"));
  const std::vector<double> b = random_side<double>(a.n);
  bool done = false;
  for (int fault = 1; !done && fault < enough; ++fault) {
    Pcg<double> pcg(options);
    std::vector<double> x(b.size());
    faults.arm(fault, Lasting::once);
    try {
      pcg.compute(a.view());
      done = true;
    } catch (const OutOfMemory& error) {
      EXPECT_GT(error.bytes_needed(), 0);
    }
    faults.disarm();
    pcg.compute(a.view());
    EXPECT_TRUE(pcg.solve(DenseView<const double>(b.data(), a.n), DenseView<double>(x.data(), a.n)).converged());
  }
  EXPECT_TRUE(done);
}

}  // namespace gpusupernodal::test::pcg
