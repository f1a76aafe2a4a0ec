#include <tbb/global_control.h>
#include <tbb/info.h>

#include <algorithm>

#include "tests/support/allow_threads.hpp"

namespace gpusupernodal::test {

void allow_threads(int threads) {
  const int most = std::max(threads, tbb::info::default_concurrency());
  static const tbb::global_control control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(most));
}

}  // namespace gpusupernodal::test
