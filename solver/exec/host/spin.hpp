#pragma once

/// \file
/// Waiting for what another thread does within microseconds.

#include <thread>

namespace gpusupernodal {

/// Tells the processor that this thread looks at the same place again and again.
inline void pause_processor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits first by pauses; what takes longer is waited for by offering the processor to other threads.
class Spin {
 public:
  void wait() {
    if (waits_ < pauses_before_yielding) {
      ++waits_;
      pause_processor();
    } else {
      std::this_thread::yield();
    }
  }

 private:
  static constexpr int pauses_before_yielding = 256;
  int waits_ = 0;
};

}  // namespace gpusupernodal
