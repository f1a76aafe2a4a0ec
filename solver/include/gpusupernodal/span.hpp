#pragma once

/// \file
/// A view of contiguous elements for C++17 callers (std::span arrives with C++20).

#include <cstddef>
#include <type_traits>
#include <vector>

namespace gpusupernodal {

/// Non-owning view of `size()` contiguous elements; the caller keeps them alive.
template <class T>
class Span {
 public:
  constexpr Span() noexcept = default;
  constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  /// Views a vector; a `Span<const T>` binds to a `std::vector<T>`.
  template <class U, class A, class = std::enable_if_t<std::is_convertible<U (*)[], T (*)[]>::value>>
  Span(std::vector<U, A>& v) noexcept : data_(v.data()), size_(v.size()) {}
  template <class U, class A, class = std::enable_if_t<std::is_convertible<const U (*)[], T (*)[]>::value>>
  Span(const std::vector<U, A>& v) noexcept : data_(v.data()), size_(v.size()) {}

  /// A view of mutable elements converts to a view of constant ones.
  template <class U, class = std::enable_if_t<std::is_convertible<U (*)[], T (*)[]>::value>>
  constexpr Span(const Span<U>& other) noexcept : data_(other.data()), size_(other.size()) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }
  constexpr T& operator[](std::size_t i) const noexcept { return data_[i]; }
  constexpr Span subspan(std::size_t offset, std::size_t count) const noexcept { return Span(data_ + offset, count); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gpusupernodal
