#include "bench/device_wait.hpp"

namespace gpusupernodal::bench {

void wait_for_device() {}

}  // namespace gpusupernodal::bench
