#pragma once

/// \file
/// Memory of large arrays.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace gpusupernodal {

/// Asks the system for large pages where there is room for some between `memory` and `memory + bytes`: an array's pages cost
/// a fault each when they are first touched, and a call when they are given back. A wish: the system may have none.
inline void wish_for_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20U;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  if (begin < end) static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
#endif
}

/// std::allocator whose large arrays lie on large pages where the system has some.
template <class T>
struct ArrayAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = ArrayAllocator<U>;
  };
  ArrayAllocator() = default;
  template <class U>
  explicit ArrayAllocator(const ArrayAllocator<U>& /*other*/) noexcept {}

  T* allocate(std::size_t count) {
    constexpr std::size_t large = std::size_t{4} << 20U;  // Smaller arrays have hardly a large page in them.
    T* const memory = std::allocator<T>::allocate(count);
    if (count * sizeof(T) >= large) wish_for_large_pages(memory, count * sizeof(T));
    return memory;
  }
};

/// A vector that may be large.
template <class T>
using LargeVector = std::vector<T, ArrayAllocator<T>>;

}  // namespace gpusupernodal
