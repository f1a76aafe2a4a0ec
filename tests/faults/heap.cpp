#include "tests/faults/heap.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constinit gpusupernodal::test::Injection faults;
constinit std::atomic<std::int64_t> pieces{0};

void* counted(void* pointer) noexcept {
  if (pointer != nullptr) pieces.fetch_add(1, std::memory_order_relaxed);
  return pointer;
}

}  // namespace

namespace gpusupernodal::test {
Injection& heap_faults() { return faults; }
std::int64_t heap_pieces() { return pieces; }
}  // namespace gpusupernodal::test

extern "C" {
void* __real_malloc(std::size_t bytes);
void* __real_calloc(std::size_t count, std::size_t bytes);
void* __real_realloc(void* pointer, std::size_t bytes);
void __real_free(void* pointer);

void* __wrap_malloc(std::size_t bytes) { return faults.fails() ? nullptr : counted(__real_malloc(bytes)); }
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  return faults.fails() ? nullptr : counted(__real_calloc(count, bytes));
}
void* __wrap_realloc(void* pointer, std::size_t bytes) {
  if (faults.fails()) return nullptr;
  void* const moved = __real_realloc(pointer, bytes);
  return pointer == nullptr ? counted(moved) : moved;
}
void __wrap_free(void* pointer) {
  if (pointer != nullptr) pieces.fetch_sub(1, std::memory_order_relaxed);
  __real_free(pointer);
}
}

namespace {

void* take(std::size_t bytes, std::size_t alignment) noexcept {
  if (faults.fails()) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return counted(__real_malloc(bytes > 0 ? bytes : 1));
  return counted(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment));
}

void* take_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const pointer = take(bytes, alignment);
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}

}  // namespace

// The standard library's default array and other forms call these.
void* operator new(std::size_t bytes) { return take_or_throw(bytes, 1); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return take(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* pointer) noexcept { __wrap_free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { __wrap_free(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { __wrap_free(pointer); }
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept { __wrap_free(pointer); }
