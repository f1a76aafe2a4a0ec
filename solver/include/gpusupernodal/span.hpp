#pragma once

/// \file
/// A view of contiguous elements for C++17 callers; C++20 has std::span.

#include <cstddef>
#include <type_traits>
#include <vector>

namespace gpusupernodal {

/// Non-owning view of `size()` contiguous elements, which the caller keeps alive.
template <class T>
class Span {
 public:
  constexpr Span() noexcept = default;  ///< An empty view.
  /// Views `size` elements starting at `data`, which may be null if `size` is 0.
  constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  /// Views a vector; a `Span<const T>` binds to a `std::vector<T>`.
  template <class U, class A, class = std::enable_if_t<std::is_convertible<U (*)[], T (*)[]>::value>>
  Span(std::vector<U, A>& v) noexcept : data_(v.data()), size_(v.size()) {}
  /// Views a constant vector.
  template <class U, class A, class = std::enable_if_t<std::is_convertible<const U (*)[], T (*)[]>::value>>
  Span(const std::vector<U, A>& v) noexcept : data_(v.data()), size_(v.size()) {}

  /// A view of mutable elements converts to a view of constant ones.
  template <class U, class = std::enable_if_t<std::is_convertible<U (*)[], T (*)[]>::value>>
  constexpr Span(const Span<U>& other) noexcept : data_(other.data()), size_(other.size()) {}

  /// Address of the first element; null for a default-constructed view.
  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }  ///< Number of elements.
  constexpr bool empty() const noexcept { return size_ == 0; }   ///< Whether size() is 0.
  constexpr T* begin() const noexcept { return data_; }          ///< Equal to data().
  constexpr T* end() const noexcept { return data_ + size_; }    ///< One past the last element.
  /// Element i. Precondition: i < size(); not checked.
  constexpr T& operator[](std::size_t i) const noexcept { return data_[i]; }
  /// `count` elements from `offset` on. Precondition: offset + count ≤ size(); not checked.
  constexpr Span subspan(std::size_t offset, std::size_t count) const noexcept { return Span(data_ + offset, count); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gpusupernodal
