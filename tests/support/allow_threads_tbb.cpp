#include <tbb/global_control.h>

#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {

void allow_threads(int threads) {
  static const tbb::global_control control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
}

}  // namespace gpusupernodal::test
