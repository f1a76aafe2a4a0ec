#include <atomic>
#include <limits>
#include <string_view>
#include <utility>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"
#include "solver/common/index_dispatch.hpp"
#include "solver/symbolic/adjacency.hpp"

namespace gpusupernodal {
namespace {

/// Names of the two directions of a pattern in messages.
struct Words {
  std::string_view outer;
  std::string_view inner;
};

Words words_of(Compression compression) {
  return compression == Compression::columns ? Words{"column", "row"} : Words{"row", "column"};
}

template <class Offset>
void check_offsets(const PatternView& pattern, const Offset* offsets) {
  const Words words = words_of(pattern.compression);
  if (offsets[0] != 0) {
    fail<InvalidInput>("offsets[0] is {}, but offsets start at 0{}", offsets[0],
                       offsets[0] == 1 ? " (offsets and indices count from 0, not from 1)" : "");
  }
  for (std::int64_t outer = 0; outer < pattern.n; ++outer) {
    if (offsets[outer + 1] < 0) {
      fail<InvalidInput>("offsets[{}] is {}, but offsets cannot be negative (32-bit offsets count to 2147483647)", outer + 1,
                         offsets[outer + 1]);
    }
    if (offsets[outer + 1] < offsets[outer]) {
      fail<InvalidInput>("offsets decrease at {} {}: offsets[{}] is {}, offsets[{}] is {}", words.outer, outer, outer,
                         offsets[outer], outer + 1, offsets[outer + 1]);
    }
  }
}

/// The (row, column) of an entry for either compression.
std::pair<std::int64_t, std::int64_t> row_and_column(const PatternView& pattern, std::int64_t outer, std::int64_t inner) {
  return pattern.compression == Compression::columns ? std::pair{inner, outer} : std::pair{outer, inner};
}

void check_entry(const PatternView& pattern, std::int64_t outer, std::int64_t position, std::int64_t inner) {
  const Words words = words_of(pattern.compression);
  if (inner < 0 || inner >= pattern.n) {
    fail<InvalidInput>("indices[{}] in {} {} is {}, but {}s of a matrix of order {} are 0 to {}", position, words.outer,
                       outer, inner, words.inner, pattern.n, pattern.n - 1);
  }
  const auto [row, column] = row_and_column(pattern, outer, inner);
  if (pattern.part == StoredPart::lower && row < column) {
    fail<InvalidInput>(
        "the entry at row {}, column {} (indices[{}]) is above the diagonal, but the view says that only the lower part is "
        "stored; use StoredPart::full if both triangles are stored",
        row, column, position);
  }
  if (pattern.part == StoredPart::upper && row > column) {
    fail<InvalidInput>(
        "the entry at row {}, column {} (indices[{}]) is below the diagonal, but the view says that only the upper part is "
        "stored; use StoredPart::full if both triangles are stored",
        row, column, position);
  }
}

template <class Offset, class Index>
void check_indices(const PatternView& pattern, const Offset* offsets, const Index* indices) {
  std::vector<std::int32_t> last_outer(static_cast<std::size_t>(pattern.n), -1);
  for (std::int64_t outer = 0; outer < pattern.n; ++outer) {
    for (std::int64_t position = offsets[outer]; position < offsets[outer + 1]; ++position) {
      const std::int64_t inner = indices[position];
      check_entry(pattern, outer, position, inner);
      std::int32_t& seen = last_outer[static_cast<std::size_t>(inner)];
      if (seen == outer) {
        const auto [row, column] = row_and_column(pattern, outer, inner);
        fail<InvalidInput>(
            "the entry at row {}, column {} occurs more than once (again at indices[{}]); sum duplicate entries first", row,
            column, position);
      }
      seen = static_cast<std::int32_t>(outer);
    }
  }
}

/// Whether the entries of columns begin … end−1 ascend and lie in the stored part, which proves them valid.
template <class Offset, class Index>
bool plainly_valid(const PatternView& pattern, const Offset* offsets, const Index* indices, std::int64_t begin,
                   std::int64_t end) {
  const bool whole = pattern.part == StoredPart::full;
  const bool greater = (pattern.part == StoredPart::lower) == (pattern.compression == Compression::columns);
  for (std::int64_t outer = begin; outer < end; ++outer) {
    std::int64_t min_inner = !whole && greater ? outer : 0;
    const std::int64_t inner_end = !whole && !greater ? outer + 1 : pattern.n;
    for (std::int64_t position = offsets[outer]; position < offsets[outer + 1]; ++position) {
      const std::int64_t inner = indices[position];
      if (inner < min_inner || inner >= inner_end) return false;
      min_inner = inner + 1;
    }
  }
  return true;
}

void check_order_and_offsets(const PatternView& pattern) {
  constexpr std::int64_t largest_order = std::numeric_limits<std::int32_t>::max();
  if (pattern.n < 0) fail<InvalidInput>("the order of the matrix is {}, but cannot be negative", pattern.n);
  if (pattern.n > largest_order) {
    fail<InvalidInput>("the order of the matrix is {}, but at most {} is supported", pattern.n, largest_order);
  }
  if (pattern.offsets.is_null()) {
    if (pattern.n == 0) return;
    fail<InvalidInput>("offsets are null, but a matrix of order {} has {} of them", pattern.n, pattern.n + 1);
  }
  with_index_pointer(pattern.offsets, [&](auto offsets) { check_offsets(pattern, offsets); });
  if (pattern.entries() > 0 && pattern.indices.is_null()) {
    fail<InvalidInput>("indices are null, but according to the offsets the matrix has {} entries", pattern.entries());
  }
}

}  // namespace

void validate_pattern(const PatternView& pattern, ThreadTeam& team) {
  check_order_and_offsets(pattern);
  if (pattern.n == 0 || pattern.entries() == 0) return;
  std::atomic<bool> valid{true};
  with_index_pointers(pattern.offsets, pattern.indices, [&](auto offsets, auto indices) {
    team.for_intervals(pattern.n, 4096, [&](std::int64_t begin, std::int64_t end) {
      if (!plainly_valid(pattern, offsets, indices, begin, end)) valid = false;
    });
    if (!valid) check_indices(pattern, offsets, indices);
  });
}

void validate_pattern(const PatternView& pattern) {
  ThreadTeam one(1);
  validate_pattern(pattern, one);
}

}  // namespace gpusupernodal
