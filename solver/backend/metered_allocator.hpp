#pragma once

/// \file
/// MeteredAllocator: counts what an allocator has given, and how much it was at most.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "gpusupernodal/allocator.hpp"

namespace gpusupernodal {

/// Not thread-safe.
class MeteredAllocator final : public Allocator {
 public:
  explicit MeteredAllocator(std::shared_ptr<Allocator> from) : from_(std::move(from)) {}

  void* allocate(std::size_t bytes, std::size_t alignment) override {
    void* const memory = from_->allocate(bytes, alignment);
    if (memory != nullptr) held_ += static_cast<std::int64_t>(bytes);
    peak_ = std::max(peak_, held_);
    return memory;
  }
  void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) noexcept override {
    held_ -= static_cast<std::int64_t>(bytes);
    from_->deallocate(pointer, bytes, alignment);
  }

  std::int64_t held() const { return held_; }
  std::int64_t peak() const { return peak_; }

 private:
  std::shared_ptr<Allocator> from_;
  std::int64_t held_ = 0;
  std::int64_t peak_ = 0;
};

}  // namespace gpusupernodal
