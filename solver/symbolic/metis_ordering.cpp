#include <metis.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/symbolic/ordering.hpp"

namespace gpusupernodal {
namespace {

/// METIS keeps its state in static variables, so its calls must be serialized. The mutex covers the library's calls; a
/// program that also calls METIS itself must not do so concurrently.
std::mutex& metis_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// METIS reseeds the process-wide random generator. The guard gives it a separate generator state and restores the caller's.
/// With glibc, rand() and random() share one state, so a caller's sequence continues unchanged unless another thread draws
/// from it meanwhile. Where rand() has a separate state, it stays reseeded.
class RandomStateGuard {
 public:
  RandomStateGuard() : callers_(initstate(1, state_.data(), state_.size())) {}
  ~RandomStateGuard() {
    if (callers_ != nullptr) setstate(callers_);
  }
  RandomStateGuard(const RandomStateGuard&) = delete;
  RandomStateGuard& operator=(const RandomStateGuard&) = delete;

 private:
  alignas(std::int64_t) std::array<char, 128> state_{};
  char* callers_;
};

void check(int status, std::int32_t order) {
  if (status == METIS_OK) return;
  if (status == METIS_ERROR_MEMORY) {
    throw OutOfMemory(fmt::format("METIS ran out of memory ordering a matrix of order {}", order), __FILE__, __LINE__, -1,
                      -1);
  }
  fail<InvalidInput>(
      "METIS_NodeND failed with status {} for a matrix of order {}; use the ordering nested_dissection or amd", status,
      order);
}

}  // namespace

EliminationOrder metis_order(const AdjacencyGraph& graph) {
  if (graph.offsets.back() > static_cast<std::int64_t>(std::numeric_limits<idx_t>::max())) {
    fail<InvalidInput>(
        "this build of METIS supports at most {} off-diagonal entries in both triangles, but the matrix has {}; use the "
        "ordering nested_dissection or amd",
        std::numeric_limits<idx_t>::max(), graph.offsets.back());
  }
  // METIS does not support graphs without edges.
  if (graph.neighbours.empty()) return natural_order(graph.order);

  std::vector<idx_t> offsets(graph.offsets.begin(), graph.offsets.end());
  std::vector<idx_t> neighbours(graph.neighbours.size());
  for (std::size_t k = 0; k < neighbours.size(); ++k) neighbours[k] = graph.neighbours[k].value;
  std::vector<idx_t> old_of_new(static_cast<std::size_t>(graph.order));
  std::vector<idx_t> new_of_old(static_cast<std::size_t>(graph.order));
  idx_t vertices = graph.order;
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  {
    const std::lock_guard lock(metis_mutex());
    const RandomStateGuard guard;
    check(METIS_NodeND(&vertices, offsets.data(), neighbours.data(), nullptr, options.data(), old_of_new.data(),
                       new_of_old.data()),
          graph.order);
  }
  EliminationOrder order(old_of_new.size());
  for (NewIndex k : order.ids()) order[k] = OldIndex(old_of_new[static_cast<std::size_t>(k.value)]);
  return order;
}

}  // namespace gpusupernodal
