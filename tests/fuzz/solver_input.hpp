#pragma once

/// \file
/// Turns a fuzzer's bytes into a caller's arguments for a Solver. Arrays have exactly the length that the views
/// promise, so that the address sanitizer detects every read past an end; everything else may be wrong.

#include <cstdint>
#include <memory>
#include <vector>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/views.hpp"
#include "tests/fuzz/byte_source.hpp"

namespace gpusupernodal::fuzz {

/// Views of a larger order are refused because of it and need no arrays.
inline constexpr std::int64_t largest_order = 16;

/// An allocator that fails after a number of requests.
class ScarceMemory final : public Allocator {
 public:
  explicit ScarceMemory(int requests) : left_(requests) {}
  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) noexcept override;

 private:
  int left_;
};

/// Options that always work: host, one thread.
Options good_options();
/// Arbitrary options; the permutation is for a matrix of order up to 16.
Options take_options(ByteSource& source);

template <class T>
struct MatrixInput {
  std::int64_t n = 0;
  bool wide = false;
  std::vector<std::int32_t> narrow_offsets;
  std::vector<std::int32_t> narrow_indices;
  std::vector<std::int64_t> wide_offsets;
  std::vector<std::int64_t> wide_indices;
  std::vector<T> values;
  StoredPart part = StoredPart::lower;
  Compression compression = Compression::columns;
  MemorySpace pattern_space = MemorySpace::host;
  bool with_offsets = true;
  bool with_indices = true;
  bool with_values = true;

  MatrixView<T> view() const;
};

template <class T>
MatrixInput<T> take_matrix(ByteSource& source);

/// Mostly small integers and fractions; sometimes zero, tiny, huge or non-finite.
template <class T>
T take_value(ByteSource& source);

/// A right-hand side and an array for the solution, for a matrix of about `order` rows.
template <class T>
struct RightHandSide {
  std::vector<T> b;
  std::vector<T> x;
  DenseView<T> b_view;
  DenseView<T> x_view;
};
template <class T>
RightHandSide<T> take_right_hand_side(ByteSource& source, std::int64_t order);

}  // namespace gpusupernodal::fuzz
