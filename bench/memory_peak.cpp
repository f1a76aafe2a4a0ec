#include "bench/memory_peak.hpp"

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> held{0};
std::atomic<std::int64_t> peak{0};

void* taken(std::size_t bytes, std::size_t alignment) {
  void* const pointer = alignment <= alignof(std::max_align_t)
                            ? std::malloc(bytes > 0 ? bytes : 1)
                            : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (pointer == nullptr) return nullptr;
  const auto size = static_cast<std::int64_t>(::malloc_usable_size(pointer));
  const std::int64_t now = held.fetch_add(size, std::memory_order_relaxed) + size;
  std::int64_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
  return pointer;
}

void* taken_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const pointer = taken(bytes, alignment);
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}

void give_back(void* pointer) {
  if (pointer != nullptr)
    held.fetch_sub(static_cast<std::int64_t>(::malloc_usable_size(pointer)), std::memory_order_relaxed);
  std::free(pointer);
}

}  // namespace

namespace gpusupernodal::bench {
std::int64_t held_bytes() { return held; }
std::int64_t peak_bytes() { return peak; }
void restart_peak() { peak = held.load(); }
}  // namespace gpusupernodal::bench

// The standard library's default implementations of the array and other forms call these.
void* operator new(std::size_t bytes) { return taken_or_throw(bytes, 1); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return taken(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return taken_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return taken(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* pointer) noexcept { give_back(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { give_back(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { give_back(pointer); }
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept { give_back(pointer); }
