// Values of A, right-hand side and solution live on the device: after the analysis nothing crosses the bus, and the calls
// return before the device is done. Ends with code 77 where there is no device.
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

  // Here an application would compute values and right-hand side by kernels of its own, on the solver's stream: the
  // default stream, as set_stream names no other.
  example::device::Array values(a.values.size());
  example::device::Array right_hand_side(b.size());
  example::device::Array x(b.size());
  right_hand_side.set(b, nullptr);

  for (const double reaction : {1.0, 0.1, 0.0}) {
    a.set_reaction(reaction);
    values.set(a.values, nullptr);
    // Both only put work on the stream.
    solver.refactorize({values.data(), a.values.size()}, MemorySpace::device);
    solver.solve({right_hand_side.data(), a.n(), MemorySpace::device}, {x.data(), a.n(), MemorySpace::device});
    // The first to wait for the device. Where the factorization failed x would be NaN.
    const double error = example::backward_error(a, x.get(nullptr).data(), b.data());
    std::printf("reaction %4.2f on %s: backward error %.2e\n", reaction, solver.analyze_report().device.c_str(), error);
    if (!(error <= example::rounding_bound(a.n()))) return 1;
  }
  return 0;
}
