#pragma once

/// \file
/// An allocator for Options whose k-th request is refused.

#include <atomic>
#include <cstdint>
#include <new>

#include "gpusupernodal/allocator.hpp"
#include "tests/faults/injection.hpp"

namespace gpusupernodal::test {

/// Host memory. A refusal is nullptr, as the interface asks, or std::bad_alloc, as a pool of the caller's may do.
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
  std::int64_t pieces() const { return pieces_; }  ///< Taken and not given back.

  Injection faults;
  bool throws = false;

 private:
  std::atomic<std::int64_t> pieces_{0};
};

}  // namespace gpusupernodal::test
