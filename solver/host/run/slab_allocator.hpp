#pragma once

/// \file
/// SlabAllocator: one request for the memory of many small arrays.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpusupernodal/allocator.hpp"
#include "solver/backend/buffer.hpp"

namespace gpusupernodal {

/// Bytes that an array takes in a slab.
inline std::int64_t slab_bytes(std::size_t bytes, std::size_t alignment) {
  return static_cast<std::int64_t>((bytes + alignment - 1) / alignment * alignment);
}

/// Counts what is requested of another allocator.
class MeasuringAllocator final : public Allocator {
 public:
  explicit MeasuringAllocator(std::shared_ptr<Allocator> source) : source_(std::move(source)) {}

  void* allocate(std::size_t bytes, std::size_t alignment) override {
    bytes_ += slab_bytes(bytes, alignment);
    return source_->allocate(bytes, alignment);
  }
  void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) noexcept override {
    source_->deallocate(pointer, bytes, alignment);
  }
  /// What a slab needs for all requests so far.
  std::int64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<Allocator> source_;
  std::int64_t bytes_ = 0;
};

/// Gives parts of one array, one after another; memory comes back when the slab is destroyed. Refuses what exceeds the
/// array.
class SlabAllocator final : public Allocator {
 public:
  /// Throws OutOfMemory, naming `what`.
  SlabAllocator(std::shared_ptr<Allocator> source, std::int64_t bytes, const char* what)
      : slab_(std::move(source), bytes, what) {}

  void* allocate(std::size_t bytes, std::size_t alignment) override {
    const std::int64_t size = slab_bytes(bytes, alignment);
    if (size > slab_.size() - used_) return nullptr;
    void* const result = slab_.data() + used_;
    used_ += size;
    return result;
  }
  void deallocate(void*, std::size_t, std::size_t) noexcept override {}

 private:
  Buffer<std::byte> slab_;
  std::int64_t used_ = 0;
};

}  // namespace gpusupernodal
