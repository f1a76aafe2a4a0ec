// Uses a custom allocator and a custom stream. The first half runs on the host. The second half does the same on a device
// and is skipped if none is available.
#include <cstdint>
#include <cstdio>
#include <gpusupernodal/gpusupernodal.hpp>
#include <memory>
#include <vector>

#include "budget.hpp"
#include "device.hpp"
#include "grid.hpp"

namespace {

/// A budget over device memory. An application could use its memory pool instead.
class DeviceBudget : public example::Budget {
 public:
  using Budget::Budget;

 private:
  void* take(std::size_t bytes, std::size_t) override { return example::device::allocate(bytes); }
  void give(void* memory) noexcept override { example::device::deallocate(memory); }
};

/// Solves on one backend and on `stream` (nullptr: the default stream). Returns whether the memory used matches the report
/// and the solution is accurate.
bool solve(gpusupernodal::Options options, const example::Budget& budget, void* stream) {
  const example::Grid a(60);
  const std::vector<double> b(static_cast<std::size_t>(a.n()), 1.0);
  std::vector<double> x(b.size());

  gpusupernodal::Solver<double> solver(std::move(options));
  solver.set_stream(stream);
  // analyze allocates all memory, and the report says how much. Index structures use the allocator on a device only.
  solver.analyze(a.view());
  const gpusupernodal::MemoryEstimate& memory = solver.analyze_report().memory;
  const std::int64_t index = solver.backend() == gpusupernodal::Backend::cuda ? memory.index : 0;
  const auto announced = static_cast<std::size_t>(memory.factor + memory.workspace + index);
  const std::size_t taken = budget.used();
  // These calls allocate nothing.
  solver.refactorize(a.values);
  solver.solve({b.data(), a.n()}, {x.data(), a.n()});

  const double error = example::backward_error(a, x.data(), b.data());
  std::printf("%s: %zu bytes announced, %zu taken by analyze, %zu at most, backward error %.2e\n", name_of(solver.backend()),
              announced, taken, budget.most(), error);
  return taken <= announced && budget.most() == taken && error <= example::rounding_bound(a.n());
}

}  // namespace

int main() {
  const auto host_budget = std::make_shared<example::Budget>(std::size_t{64} << 20);
  gpusupernodal::Options options;
  options.backend = gpusupernodal::Backend::host;
  options.host_allocator = host_budget;
  bool good = solve(options, *host_budget, nullptr);
  // The solver returned all memory when it was destroyed.
  good = good && host_budget->used() == 0;

  const std::string missing = example::device::missing();
  if (!missing.empty()) {
    std::printf("the part for a device is left out: %s\n", missing.c_str());
    return good ? 0 : 1;
  }
  const auto device_budget = std::make_shared<DeviceBudget>(std::size_t{256} << 20);
  options.backend = gpusupernodal::Backend::cuda;
  options.device_allocator = device_budget;
  void* const stream = example::device::create_stream();
  good = solve(options, *device_budget, stream) && device_budget->used() == 0 && good;
  example::device::destroy_stream(stream);
  return good ? 0 : 1;
}
