#include "solver/host/run/subnormals.hpp"

#include <algorithm>
#include <atomic>
#include <functional>

#include "gpusupernodal/build_config.hpp"
#include "solver/host/plan/host_plan.hpp"
#include "solver/host/run/assembled_entry.hpp"
#include "solver/host/run/ordered_runner.hpp"

namespace gpusupernodal {
namespace {

/// Entries of A's map that a worker checks at a time.
constexpr std::int64_t piece_entries = 1 << 16;

}  // namespace

template <class T>
bool subnormals_are_negligible(const HostPlan& plan, const FactorInput<T>& input, WorkerTeam& team) {
  using Real = typename ScalarTraits<T>::Real;
  if constexpr (!ScalarTraits<T>::is_single) return false;
  const Real least = least_diagonal_to_flush<T>(plan.structure->symbolic.order());
  const AssemblyMap& map = map_of(plan, input);
  const auto entries = static_cast<std::int64_t>(map.source.size());
  SharedLoop pieces;
  pieces.reset((entries + piece_entries - 1) / piece_entries);
  std::atomic<std::int64_t> large = 0;
  const auto count = [&](int) {
    pieces.work([&](std::int64_t piece) {
      std::int64_t found = 0;
      const auto end = static_cast<std::size_t>(std::min(entries, (piece + 1) * piece_entries));
      for (auto e = static_cast<std::size_t>(piece * piece_entries); e < end; ++e) {
        if (map.row[e] == map.column[e] &&
            input.scale * ScalarTraits<T>::real(input.values[map.source[e]]) + input.shift >= least)
          ++found;
      }
      large += found;
    });
  };
  team.run(static_cast<int>(std::min<std::int64_t>(pieces.count(), team.count())), std::ref(count));
  return large == plan.structure->symbolic.order();
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template bool subnormals_are_negligible(const HostPlan&, const FactorInput<T>&, WorkerTeam&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
