// Keeps the values of A, the right-hand side and the solution on the device: after the analysis the solver transfers
// nothing, and its calls return before the device has finished. Exits with code 77 if no device is available.
#include <cstdio>
#include <gpusupernodal/gpusupernodal.hpp>
#include <vector>

#include "device.hpp"
#include "grid.hpp"

using gpusupernodal::MemorySpace;

int main() {
  const std::string missing = example::device::missing();
  if (!missing.empty()) {
    std::printf("skipped: %s\n", missing.c_str());
    return 77;
  }
  example::Grid a(100);
  const std::vector<double> b(static_cast<std::size_t>(a.n()), 1.0);

  // The pattern is analyzed on the host.
  gpusupernodal::Options options;
  options.backend = gpusupernodal::Backend::cuda;
  gpusupernodal::Solver<double> solver(options);
  solver.analyze(a.view());

  // An application would compute the values and the right-hand side with kernels on the solver's stream, which is the
  // default stream because set_stream is not called.
  example::device::Array values(a.values.size());
  example::device::Array right_hand_side(b.size());
  example::device::Array x(b.size());
  right_hand_side.set(b, nullptr);

  for (const double reaction : {1.0, 0.1, 0.0}) {
    a.set_reaction(reaction);
    values.set(a.values, nullptr);
    // Both calls only enqueue work on the stream.
    solver.refactorize({values.data(), a.values.size()}, MemorySpace::device);
    solver.solve({right_hand_side.data(), a.n(), MemorySpace::device}, {x.data(), a.n(), MemorySpace::device});
    // x.get is the first call that waits for the device. If the factorization failed, x is NaN.
    const double error = example::backward_error(a, x.get(nullptr).data(), b.data());
    std::printf("reaction %4.2f on %s: backward error %.2e\n", reaction, solver.analyze_report().device.c_str(), error);
    if (!(error <= example::rounding_bound(a.n()))) return 1;
  }
  return 0;
}
