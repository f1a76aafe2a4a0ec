#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace gpusupernodal {

/// Leaves numbers unset where std::allocator would write zeros: large arrays are first touched by the threads that fill
/// them.
template <class T>
struct UnsetAllocator : std::allocator<T> {
  static_assert(std::is_trivially_destructible_v<T>);
  using value_type = T;
  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };
  UnsetAllocator() = default;
  template <class U>
  explicit UnsetAllocator(const UnsetAllocator<U>& /*other*/) noexcept {}

  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Args>
  void construct(U* place, Args&&... args) {
    std::allocator_traits<std::allocator<U>>::construct(*this, place, std::forward<Args>(args)...);
  }
};

/// A vector whose elements are not set until they are written.
template <class T>
using RawVector = std::vector<T, UnsetAllocator<T>>;

}  // namespace gpusupernodal
