#pragma once

/// \file
/// Records which kernels were loaded before their first launch; the hooks of cuda_hooks.cpp write it.

#include <algorithm>
#include <array>
#include <cstddef>

namespace gpusupernodal::test {

/// A small table that never allocates, because hooks run while allocations fail.
class KernelWatch {
 public:
  /// Resets the records to those of a new process.
  void forget() { loaded_count_ = late_count_ = launched_count_ = 0; }
  /// Records the handle that launches use for a function.
  void stands_for(const void* handle, const void* function) {
    if (handles_ < aliases_.size()) aliases_[handles_++] = {handle, function};
  }
  void loaded(const void* kernel) { add(kernel, loaded_, loaded_count_); }
  void launched(const void* handle) {
    const void* const kernel = function_of(handle);
    add(kernel, launched_, launched_count_);
    if (!has(kernel, loaded_, loaded_count_)) add(kernel, late_, late_count_);
  }
  std::size_t loaded() const { return loaded_count_; }
  /// Number of kernels whose first launch preceded their loading.
  std::size_t late() const { return late_count_; }
  /// Number of kernels that were launched.
  std::size_t launched() const { return launched_count_; }

 private:
  struct Alias {
    const void* handle;
    const void* function;
  };
  const void* function_of(const void* handle) const {
    const auto end = aliases_.begin() + static_cast<std::ptrdiff_t>(handles_);
    const auto found = std::find_if(aliases_.begin(), end, [&](const Alias& a) { return a.handle == handle; });
    return found != end ? found->function : handle;
  }
  using Kernels = std::array<const void*, 256>;
  static bool has(const void* kernel, const Kernels& all, std::size_t count) {
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
    return std::find(all.begin(), end, kernel) != end;
  }
  static void add(const void* kernel, Kernels& all, std::size_t& count) {
    if (!has(kernel, all, count) && count < all.size()) all[count++] = kernel;
  }

  std::array<Alias, 256> aliases_{};
  std::size_t handles_ = 0;
  Kernels loaded_{}, launched_{}, late_{};
  std::size_t loaded_count_ = 0;
  std::size_t launched_count_ = 0;
  std::size_t late_count_ = 0;
};

/// The process's instance; only one thread calls CUDA in these tests.
KernelWatch& kernel_watch();

}  // namespace gpusupernodal::test
