#pragma once

/// \file
/// A host allocator that counts requests and refuses every request after a given number.

#include <cstdint>
#include <limits>
#include <mutex>
#include <new>

#include "gpusupernodal/allocator.hpp"

namespace gpusupernodal::test {

class CountingAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    const std::lock_guard lock(mutex_);
    ++requests_;
    if (requests_ > granted_) return nullptr;
    bytes_ += static_cast<std::int64_t>(bytes);
    ++alive_;
    return ::operator new(bytes, std::align_val_t(alignment));
  }
  void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) noexcept override {
    const std::lock_guard lock(mutex_);
    bytes_ -= static_cast<std::int64_t>(bytes);
    --alive_;
    ::operator delete(pointer, std::align_val_t(alignment));
  }

  void refuse_after(std::int64_t requests) { granted_ = requests; }
  std::int64_t requests() const { return requests_; }
  std::int64_t alive() const { return alive_; }
  std::int64_t bytes() const { return bytes_; }  ///< Requested bytes of live allocations.

 private:
  std::mutex mutex_;
  std::int64_t granted_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t requests_ = 0;
  std::int64_t alive_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace gpusupernodal::test
