#pragma once

/// \file
/// Waiting for what another thread does within microseconds.

#include <chrono>
#include <thread>

namespace gpusupernodal {

/// Hints to the processor that this thread polls a memory location.
inline void pause_processor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits first by pauses, then by offering the processor to other threads, and by sleeping where it takes a millisecond and
/// more, as beside one long task.
class Spin {
 public:
  void wait() {
    ++waits_;
    if (waits_ < pauses) {
      pause_processor();
    } else if (waits_ < pauses + yields) {
      std::this_thread::yield();
    } else {
      waits_ = pauses + yields;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

 private:
  static constexpr int pauses = 256;
  static constexpr int yields = 2048;
  int waits_ = 0;
};

}  // namespace gpusupernodal
