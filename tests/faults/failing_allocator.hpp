#pragma once

/// \file
/// An allocator for Options that refuses its k-th request.

#include <atomic>
#include <cstdint>
#include <new>

#include "gpusupernodal/allocator.hpp"
#include "tests/faults/injection.hpp"

namespace gpusupernodal::test {

/// Allocates host memory. Refuses by nullptr, as the interface asks, or by std::bad_alloc, as a caller's pool may do.
class FailingAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    if (faults.fails()) {
      if (throws) throw std::bad_alloc();
      return nullptr;
    }
    ++pieces_;
    return ::operator new(bytes, std::align_val_t(alignment));
  }
  void deallocate(void* pointer, std::size_t, std::size_t alignment) noexcept override {
    --pieces_;
    ::operator delete(pointer, std::align_val_t(alignment));
  }
  std::int64_t pieces() const { return pieces_; }  ///< Allocations not freed.

  Injection faults;
  bool throws = false;

 private:
  std::atomic<std::int64_t> pieces_{0};
};

}  // namespace gpusupernodal::test
