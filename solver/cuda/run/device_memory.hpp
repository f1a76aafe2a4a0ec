#pragma once

/// \file
/// Device memory in a few large allocations.

#include <cstdint>
#include <memory>
#include <span>

#include "gpusupernodal/allocator.hpp"
#include "solver/backend/buffer.hpp"

namespace gpusupernodal::cuda {

/// Returns an allocator that uses cudaMalloc and cudaFree on `device`.
std::shared_ptr<Allocator> make_device_allocator(int device);

/// Throws OutOfMemory, with the bytes needed and free, if the current device has less than `bytes` free.
void require_free_memory(std::int64_t bytes);

/// One allocation of device memory from which arrays are taken one after another, each aligned to 256 bytes.
class Slab {
 public:
  static constexpr std::int64_t alignment = 256;

  Slab() noexcept = default;
  /// Allocates uninitialised memory. Throws OutOfMemory, naming `what`.
  Slab(const std::shared_ptr<Allocator>& allocator, std::int64_t bytes, const char* what) : bytes_(allocator, bytes, what) {}

  /// Returns the next `count` elements. Throws InvalidState if the slab is too small.
  template <class Element>
  Element* take(std::int64_t count) {
    return static_cast<Element*>(cut(count * static_cast<std::int64_t>(sizeof(Element))));
  }
  /// Takes the next elements and copies them from the host; waits for the copy.
  template <class Element>
  const Element* upload(std::span<const Element> host) {
    return static_cast<const Element*>(upload_bytes(host.data(), static_cast<std::int64_t>(host.size_bytes())));
  }

  std::int64_t size() const { return bytes_.size(); }
  std::int64_t used() const { return used_; }

 private:
  void* cut(std::int64_t bytes);
  void* upload_bytes(const void* host, std::int64_t bytes);

  Buffer<unsigned char> bytes_;
  std::int64_t used_ = 0;
};

}  // namespace gpusupernodal::cuda
