#pragma once

/// \file
/// Fault injection: counts the sites at which something may fail, and makes one of them fail.

#include <atomic>
#include <cstdint>

namespace gpusupernodal::test {

/// Whether only the k-th site fails, or all from the k-th on, as when memory is exhausted.
enum class Lasting { once, from_then_on };

/// Called at every site of one kind (`operator new`, a CUDA call, …), from any thread. Allocates nothing.
class Injection {
 public:
  /// Starts counting sites; the `k`-th (from 1) fails. k = 0: none fails.
  void arm(std::int64_t k, Lasting lasting) noexcept {
    target_ = k;
    lasting_ = lasting == Lasting::from_then_on;
    seen_ = 0;
    armed_ = true;
  }
  void disarm() noexcept { armed_ = false; }

  /// Whether the calling site must fail.
  bool fails() noexcept {
    if (!armed_) return false;
    const std::int64_t number = ++seen_;
    const std::int64_t target = target_;
    return target > 0 && (lasting_ ? number >= target : number == target);
  }
  /// Number of sites since arm().
  std::int64_t seen() const noexcept { return seen_; }
  bool fired() const noexcept { return target_ > 0 && seen_ >= target_; }

 private:
  std::atomic<bool> armed_{false};
  std::atomic<bool> lasting_{false};
  std::atomic<std::int64_t> target_{0};
  std::atomic<std::int64_t> seen_{0};
};

}  // namespace gpusupernodal::test
