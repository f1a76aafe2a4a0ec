#pragma once

/// \file
/// A fuzzer's bytes as what callers hand to a Solver. Arrays are as long as the views promise, not an element longer, so
/// that the address sanitizer sees every read past an end; all else may be wrong.

#include <cstdint>
#include <memory>
#include <vector>

#include "gpusupernodal/options.hpp"
#include "gpusupernodal/views.hpp"
#include "tests/fuzz/byte_source.hpp"

namespace gpusupernodal::fuzz {

/// Views of a larger order are refused for it, so there need not be arrays behind them.
inline constexpr std::int64_t largest_order = 16;

/// Memory that ends after a number of requests.
class ScarceMemory final : public Allocator {
 public:
  explicit ScarceMemory(int requests) : left_(requests) {}
  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) noexcept override;

 private:
  int left_;
};

/// Options that always work: the host, one thread.
Options good_options();
/// Options of any kind; the permutation belongs to a matrix of order up to 16.
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

/// Small whole numbers and fractions mostly; sometimes zero, tiny, huge or not finite.
template <class T>
T take_value(ByteSource& source);

/// A right-hand side and where the solution goes, for a matrix of about `order` rows.
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
