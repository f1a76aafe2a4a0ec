#pragma once

/// \file
/// Waiting for another thread that is expected to finish within microseconds.

#include <chrono>
#include <thread>

namespace gpusupernodal {

/// Waits without a lock, for what other threads announce by atomic variables: first by yields, then by sleeps, for waits of
/// a millisecond or more, such as for a long task.
class Spin {
 public:
  void wait() {
    if (waits_ < yields) {
      ++waits_;
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

 private:
  static constexpr int yields = 2048;
  int waits_ = 0;
};

}  // namespace gpusupernodal
