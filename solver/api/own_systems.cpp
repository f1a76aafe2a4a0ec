#include "solver/api/own_systems.hpp"

#include <new>
#include <utility>

#include "gpusupernodal/build_config.hpp"

namespace gpusupernodal {

Options of_one_system(Options options) {
  options.backend = Backend::host;
  options.threads = 1;
  options.progress = nullptr;
  return options;
}

template <class T>
bool OwnSystems<T>::move_out(std::size_t i, const T* values, std::int64_t factorizations, Repivot repivot) {
  try {
    auto own = std::make_unique<SolverState<T>>();
    own->options = options_;
    own->options.repivot = repivot;
    own->adopt({plan_, PlanSource::caller}, own->options);
    own->factor_report.factorizations = factorizations - 1;
    own->factorize(values, MemorySpace::host);
    own->read_outcome();
    own_[i] = std::move(own);
  } catch (const OutOfMemory&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class OwnSystems<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
