#pragma once

/// \file
/// An array of elements from an Allocator.

#include <cstdint>
#include <memory>
#include <utility>

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {

/// Uninitialised elements of a trivial type, given back when destroyed. Move-only; not resizable.
template <class T>
class Buffer {
 public:
  Buffer() noexcept = default;
  /// Throws OutOfMemory, naming `what` and the bytes, when the allocator has not enough.
  Buffer(std::shared_ptr<Allocator> allocator, std::int64_t size, const char* what) : allocator_(std::move(allocator)) {
    if (size <= 0) return;
    const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(T);
    data_ = static_cast<T*>(allocator_->allocate(bytes, alignment));
    if (data_ == nullptr) {
      throw OutOfMemory(format_sentence("no memory for {}: {} bytes were refused", fmt::make_format_args(what, bytes)),
                        __FILE__, __LINE__, static_cast<std::int64_t>(bytes), -1);
    }
    size_ = size;
  }
  Buffer(Buffer&& other) noexcept
      : allocator_(std::move(other.allocator_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(allocator_, other.allocator_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_ != nullptr) allocator_->deallocate(data_, static_cast<std::size_t>(size_) * sizeof(T), alignment);
  }

  T* data() const noexcept { return data_; }
  std::int64_t size() const noexcept { return size_; }
  T& operator[](std::int64_t i) const noexcept { return data_[i]; }

 private:
  static constexpr std::size_t alignment = 256;
  std::shared_ptr<Allocator> allocator_;
  T* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace gpusupernodal
