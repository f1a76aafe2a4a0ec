#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/large_pages.hpp"

namespace gpusupernodal {

/// Leaves elements uninitialized where std::allocator would write zeros, so that the threads that fill a large array touch
/// its pages first. Writing to allocated memory creates objects of trivially copyable types (C++20 [intro.object]).
template <class T>
struct UnsetAllocator : ArrayAllocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  using value_type = T;
  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };
  UnsetAllocator() = default;
  template <class U>
  explicit UnsetAllocator(const UnsetAllocator<U>& /*other*/) noexcept {}

  template <class U>
  void construct(U* /*place*/) noexcept {}
  template <class U, class... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }
};

/// A vector whose elements stay uninitialized until they are written.
template <class T>
using RawVector = std::vector<T, UnsetAllocator<T>>;

}  // namespace gpusupernodal
