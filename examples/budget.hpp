#pragma once

/// \file
/// A custom allocator that limits and counts memory, on top of any pair of allocation functions.

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <gpusupernodal/allocator.hpp>

namespace example {

/// Refuses allocations that would exceed the budget; the solver then throws OutOfMemory and stays usable.
class Budget : public gpusupernodal::Allocator {
 public:
  explicit Budget(std::size_t bytes) : limit_(bytes) {}

  void* allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > limit_ - used_) return nullptr;
    void* const memory = take(bytes, alignment);
    if (memory != nullptr) used_ += bytes;
    most_ = (std::max)(most_, used_);
    return memory;
  }
  void deallocate(void* memory, std::size_t bytes, std::size_t) noexcept override {
    give(memory);
    used_ -= bytes;
  }

  void set_limit(std::size_t bytes) { limit_ = (std::max)(bytes, used_); }
  std::size_t used() const { return used_; }
  std::size_t most() const { return most_; }  ///< Peak of used().

 protected:
  /// Allocates host memory. Derived classes may allocate elsewhere.
  virtual void* take(std::size_t bytes, std::size_t alignment) {
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  virtual void give(void* memory) noexcept { std::free(memory); }

 private:
  std::size_t limit_;
  std::size_t used_ = 0;
  std::size_t most_ = 0;
};

}  // namespace example
