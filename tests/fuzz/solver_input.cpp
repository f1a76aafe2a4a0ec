#include "tests/fuzz/solver_input.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>

namespace gpusupernodal::fuzz {
namespace {

std::int64_t take_order(ByteSource& source) {
  const std::uint8_t byte = source.take();
  switch (byte) {
    case 255:
      return -1;
    case 254:
      return std::int64_t{1} << 31;
    case 253:
      return std::numeric_limits<std::int64_t>::min();
    default:
      return byte % (largest_order + 1);
  }
}

/// Makes offsets and indices that are valid except for duplicates, order and sometimes the part.
void take_tame_pattern(ByteSource& source, std::int64_t n, const StoredPart part, bool columns,
                       std::vector<std::int64_t>& offsets, std::vector<std::int64_t>& indices) {
  offsets.assign(1, 0);
  for (std::int64_t outer = 0; outer < n; ++outer) {
    const bool upwards = part == StoredPart::lower ? columns : !columns;
    indices.push_back(outer);
    for (int more = source.take() % 4; more > 0; --more) {
      const std::int64_t room = part == StoredPart::full ? n : upwards ? n - outer : outer + 1;
      const std::int64_t first = part == StoredPart::full || !upwards ? 0 : outer;
      const std::int64_t inner = first + source.take() % room;
      const auto begin = indices.begin() + static_cast<std::ptrdiff_t>(offsets.back());
      if (std::find(begin, indices.end(), inner) == indices.end()) indices.push_back(inner);
    }
    offsets.push_back(static_cast<std::int64_t>(indices.size()));
  }
}

/// Makes arbitrary offsets and indices; the last offset gives the number of indices.
void take_wild_pattern(ByteSource& source, std::int64_t n, std::vector<std::int64_t>& offsets,
                       std::vector<std::int64_t>& indices) {
  const std::int64_t count = n >= 0 && n <= largest_order ? n + 1 : 1;
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    offsets.push_back(offset);
    const auto step = static_cast<std::int8_t>(source.take());
    offset += step > 8 || step < -8 ? step / 8 : step;
  }
  const std::int64_t entries = count > 0 ? offsets.back() : 0;
  for (std::int64_t e = 0; e < entries; ++e) {
    const auto byte = static_cast<std::int8_t>(source.take());
    indices.push_back(byte == 127 ? (std::int64_t{1} << 32) + 1 : byte);
  }
}

/// Makes each diagonal entry dominate its row, so that the matrix is positive definite if its pattern is valid.
template <class T>
void add_dominance(MatrixInput<T>& a, const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& indices) {
  for (std::int64_t outer = 0; outer < a.n; ++outer) {
    for (auto e = static_cast<std::size_t>(offsets[static_cast<std::size_t>(outer)]);
         e < static_cast<std::size_t>(offsets[static_cast<std::size_t>(outer) + 1]); ++e) {
      if (indices[e] == outer) a.values[e] = std::abs(a.values[e]) + T(600);
    }
  }
}

std::vector<std::int64_t> take_permutation(ByteSource& source) {
  std::vector<std::int64_t> permutation(source.take() % (largest_order + 2));
  const std::uint8_t factor = source.take();
  for (std::size_t k = 0; k < permutation.size(); ++k) {
    permutation[k] = static_cast<std::int64_t>((k * factor + k + factor / 16) % permutation.size());
  }
  if (!permutation.empty() && source.flag(8))
    permutation[source.take() % permutation.size()] = static_cast<std::int8_t>(source.take());
  return permutation;
}

/// Up to three groups of rows; most are distinct rows of a matrix of order up to 16.
std::vector<std::vector<std::int64_t>> take_last_rows(ByteSource& source) {
  std::vector<std::vector<std::int64_t>> groups(source.take() % 4);
  std::int64_t row = 0;
  for (auto& group : groups) {
    for (int left = source.take() % 4; left > 0; --left) group.push_back(row += source.take() % 5);
  }
  if (!groups.empty() && source.flag(8)) groups.front().push_back(static_cast<std::int8_t>(source.take()));
  return groups;
}

}  // namespace

void* ScarceMemory::allocate(std::size_t bytes, std::size_t alignment) {
  return left_-- > 0 ? ::operator new(bytes, std::align_val_t(alignment)) : nullptr;
}

void ScarceMemory::deallocate(void* pointer, std::size_t, std::size_t alignment) noexcept {
  ::operator delete(pointer, std::align_val_t(alignment));
}

Options good_options() {
  Options options;
  options.backend = Backend::host;
  options.ordering = Ordering::natural;
  options.threads = 1;
  return options;
}

Options take_options(ByteSource& source) {
  Options options = good_options();
  options.ordering =
      source.one_of(std::array{Ordering::natural, Ordering::amd, Ordering::user, Ordering::automatic, Ordering::metis});
  options.permutation = take_permutation(source);
  options.merging = source.one_of(std::array{Merging::bounded, Merging::narrow, Merging::none});
  options.merge_width = source.one_of(std::array{64, 1, 4, 2147483647, 0, -1});
  options.block_width = source.one_of(std::array{0, 8, 9, 65536, 7, -1, 65537});
  if (source.flag(4)) {
    options.backend = source.one_of(std::array{Backend::host, Backend::automatic, Backend::cuda});
    options.threads = source.one_of(std::array{1, 1, 1, -1, 4097});
    options.device = source.one_of(std::array{-1, 0, 7, -2});
    options.streams = source.one_of(std::array{4, 1, 32, 0, 33});
    options.cuda_schedule = source.one_of(std::array{CudaSchedule::levels, CudaSchedule::streams});
  }
  if (source.flag(4)) options.last_rows = take_last_rows(source);
  options.refinement.max_steps = source.one_of(std::array{0, 1, 4, -1});
  options.refinement.backward_error = source.one_of(std::array{0.0, 1e-10, std::nan(""), -1.0, HUGE_VAL});
  options.check_finite = !source.flag(4);
  options.check_right_hand_sides = !source.flag(4);
  if (source.flag(8)) options.host_allocator = std::make_shared<ScarceMemory>(source.take() % 16);
  if (source.flag(16)) options.progress = [left = source.take() % 8](const Progress&) mutable { return left-- > 0; };
  return options;
}

template <class T>
T take_value(ByteSource& source) {
  using Limits = std::numeric_limits<T>;
  const std::uint8_t byte = source.take();
  if (byte < 240) return static_cast<T>(static_cast<std::int8_t>(byte < 120 ? byte : byte - 240)) / T(4);
  const std::array<T, 16> special{T(0),
                                  -T(0),
                                  Limits::quiet_NaN(),
                                  Limits::infinity(),
                                  -Limits::infinity(),
                                  Limits::max(),
                                  Limits::lowest(),
                                  Limits::min(),
                                  Limits::denorm_min(),
                                  Limits::epsilon(),
                                  T(1e6),
                                  T(-1e6),
                                  T(1e-6),
                                  T(1) / T(3),
                                  T(1e30),
                                  T(1e-30)};
  return special[byte - 240U];
}

template <class T>
MatrixView<T> MatrixInput<T>::view() const {
  MatrixView<T> a;
  a.n = n;
  if (with_offsets) a.offsets = wide ? IndexArray(wide_offsets.data()) : IndexArray(narrow_offsets.data());
  if (with_indices) a.indices = wide ? IndexArray(wide_indices.data()) : IndexArray(narrow_indices.data());
  if (with_values) a.values = values.data();
  a.part = part;
  a.compression = compression;
  a.pattern_space = pattern_space;
  return a;
}

template <class T>
MatrixInput<T> take_matrix(ByteSource& source) {
  MatrixInput<T> a;
  const std::uint8_t form = source.take();
  a.wide = form % 2 != 0;
  a.part = std::array{StoredPart::lower, StoredPart::full, StoredPart::upper}[form / 2 % 3];
  a.compression = form / 6 % 2 == 0 ? Compression::columns : Compression::rows;
  const bool dominant = form / 12 % 2 == 0;
  const bool tame = source.take() % 4 != 3;
  a.n = take_order(source);
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> indices;
  if (tame && a.n >= 0 && a.n <= largest_order) {
    take_tame_pattern(source, a.n, a.part, a.compression == Compression::columns, offsets, indices);
    if (source.flag(8) && !indices.empty())
      indices[source.take() % indices.size()] = static_cast<std::int8_t>(source.take());
  } else {
    take_wild_pattern(source, a.n, offsets, indices);
    a.with_offsets = !source.flag(16);
    a.with_indices = !source.flag(16);
    a.with_values = !source.flag(16);
    if (source.flag(32)) a.pattern_space = MemorySpace::device;
  }
  for (std::size_t e = 0; e < indices.size(); ++e) a.values.push_back(take_value<T>(source));
  if (tame && dominant && a.n >= 0 && a.n <= largest_order) add_dominance(a, offsets, indices);
  a.narrow_offsets.assign(offsets.begin(), offsets.end());
  a.narrow_indices.assign(indices.begin(), indices.end());
  a.wide_offsets = offsets;
  a.wide_indices = indices;
  a.values.shrink_to_fit();
  return a;
}

template <class T>
RightHandSide<T> take_right_hand_side(ByteSource& source, std::int64_t order) {
  RightHandSide<T> r;
  const std::uint8_t form = source.take();
  const bool in_place = form % 4 == 1;
  const auto off_by = [&source](int rarity) { return source.flag(rarity) ? source.take() % 3 - std::int64_t{1} : 0; };
  const auto make = [&](std::vector<T>& data, DenseView<T>& view) {
    const std::int64_t rows = order + off_by(8);
    const std::int64_t cols = form / 4 % 4 + off_by(8);
    const std::int64_t ld = std::max<std::int64_t>(rows, 1) + off_by(2);
    data.resize(static_cast<std::size_t>(rows > 0 && cols > 0 ? (cols - 1) * std::max(ld, std::int64_t{0}) + rows : 0));
    data.shrink_to_fit();
    view = DenseView<T>(data.data(), rows, cols, ld, source.flag(32) ? MemorySpace::device : MemorySpace::host);
  };
  make(r.b, r.b_view);
  for (T& value : r.b) value = take_value<T>(source);
  if (in_place) {
    r.x_view = r.b_view;
  } else {
    make(r.x, r.x_view);
  }
  return r;
}

template struct MatrixInput<float>;
template struct MatrixInput<double>;
template MatrixInput<float> take_matrix(ByteSource&);
template MatrixInput<double> take_matrix(ByteSource&);
template float take_value(ByteSource&);
template double take_value(ByteSource&);
template RightHandSide<float> take_right_hand_side(ByteSource&, std::int64_t);
template RightHandSide<double> take_right_hand_side(ByteSource&, std::int64_t);

}  // namespace gpusupernodal::fuzz
