#pragma once

/// \file
/// Large arrays on large pages.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace gpusupernodal {

/// Advises the system to use large pages for the aligned 2 MiB ranges between `memory` and `memory + bytes`, because each
/// page costs a fault when it is first touched and work when it is returned. The system may ignore the advice.
inline void advise_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20U;
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
  if (begin < end) static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
#endif
}

/// A std::allocator that requests large pages for large arrays.
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
    constexpr std::size_t large = std::size_t{4} << 20U;  // Smaller arrays hardly contain an aligned large page.
    T* const memory = std::allocator<T>::allocate(count);
    if (count * sizeof(T) >= large) advise_large_pages(memory, count * sizeof(T));
    return memory;
  }
};

/// A vector that may be large.
template <class T>
using LargeVector = std::vector<T, ArrayAllocator<T>>;

}  // namespace gpusupernodal
