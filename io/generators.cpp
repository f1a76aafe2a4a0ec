#include "io/generators.hpp"

#include <array>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "base/fmt.hpp"
#include "io/numbers.hpp"

namespace gpusupernodal::io {
namespace {

struct Kind {
  std::string_view name;
  int dimensions;
  bool diagonal_neighbours;  ///< Whether neighbours may differ in more than one coordinate.
  int unknowns;              ///< Unknowns per node.
};

constexpr std::array<Kind, 5> kinds{
    {{"lap2d", 2, false, 1}, {"lap3d", 3, false, 1}, {"lap27", 3, true, 1}, {"elas", 3, true, 3}, {"shell", 2, true, 6}}};
constexpr std::size_t largest_block = 6;

using Direction = std::array<int, 3>;  ///< x, y, z
using Block = std::array<std::array<double, largest_block>, largest_block>;

const Kind* find_kind(const std::string& spec) {
  const std::string_view name = std::string_view(spec).substr(0, spec.find(':'));
  if (name.size() == spec.size()) return nullptr;
  for (const Kind& kind : kinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

/// All directions of the stencil: first those to neighbours with higher numbers, ascending, then the opposite directions.
std::vector<Direction> stencil(const Kind& kind) {
  std::vector<Direction> forward;
  const int deep = kind.dimensions == 3 ? 1 : 0;
  for (int z = 0; z <= deep; ++z) {
    for (int y = -1; y <= 1; ++y) {
      for (int x = -1; x <= 1; ++x) {
        const bool later = z > 0 || (z == 0 && (y > 0 || (y == 0 && x > 0)));
        const bool on_axis = std::abs(x) + std::abs(y) + std::abs(z) == 1;
        if (later && (on_axis || kind.diagonal_neighbours)) forward.push_back({x, y, z});
      }
    }
  }
  std::vector<Direction> all = forward;
  for (const Direction& d : forward) all.push_back({-d[0], -d[1], -d[2]});
  return all;
}

/// The block M(d) defined in the header.
Block spring(const Kind& kind, const Direction& d) {
  Block m{};
  if (kind.unknowns == 1) {
    m[0][0] = 1.0;
    return m;
  }
  const auto unknowns = static_cast<std::size_t>(kind.unknowns);
  std::array<double, largest_block> v{};
  for (std::size_t c = 0; c < unknowns; ++c) {
    for (std::size_t k = 0; k < 3; ++k) v[c] += d[k] * ((c == k ? 1.0 : 0.0) + 1.0 / static_cast<double>(8 + 4 * (c + k)));
  }
  const double length_squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  for (std::size_t r = 0; r < unknowns; ++r) {
    for (std::size_t c = 0; c < unknowns; ++c) m[r][c] = v[r] * v[c] / length_squared + (r == c ? 0.125 : 0.0);
  }
  return m;
}

/// A grid and the blocks of its lower triangle.
class Grid {
 public:
  Grid(const Kind& kind, std::int64_t size)
      : size_(size), depth_(kind.dimensions == 3 ? size : 1), unknowns_(kind.unknowns) {
    const std::vector<Direction> all = stencil(kind);
    forward_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
    for (const Direction& d : all) {
      const Block m = spring(kind, d);
      if (springs_.size() < forward_.size()) springs_.push_back(m);
      for (std::size_t r = 0; r < largest_block; ++r) {
        for (std::size_t c = 0; c < largest_block; ++c) diagonal_[r][c] += m[r][c];
      }
    }
  }

  void fill(SymmetricMatrix& a) const {
    a.n = size_ * size_ * depth_ * unknowns_;
    const auto max_entries = static_cast<std::size_t>(a.n) * (static_cast<std::size_t>(unknowns_) * (forward_.size() + 1));
    a.offsets.reserve(static_cast<std::size_t>(a.n) + 1);
    a.indices.reserve(max_entries);
    a.values.reserve(max_entries);
    for (std::int64_t z = 0; z < depth_; ++z) {
      for (std::int64_t y = 0; y < size_; ++y) {
        for (std::int64_t x = 0; x < size_; ++x) append_node(a, x, y, z);
      }
    }
  }

 private:
  void append_node(SymmetricMatrix& a, std::int64_t x, std::int64_t y, std::int64_t z) const {
    const std::int64_t node = (z * size_ + y) * size_ + x;
    for (int c = 0; c < unknowns_; ++c) {
      for (int r = c; r < unknowns_; ++r)
        append(a, node, r, diagonal_[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)]);
      for (std::size_t s = 0; s < forward_.size(); ++s) {
        const Direction& d = forward_[s];
        if (!inside(x + d[0], size_) || !inside(y + d[1], size_) || !inside(z + d[2], depth_)) continue;
        const std::int64_t other = node + (d[2] * size_ + d[1]) * size_ + d[0];
        for (int r = 0; r < unknowns_; ++r) {
          append(a, other, r, -springs_[s][static_cast<std::size_t>(r)][static_cast<std::size_t>(c)]);
        }
      }
      a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
    }
  }

  void append(SymmetricMatrix& a, std::int64_t node, int unknown, double value) const {
    a.indices.push_back(static_cast<std::int32_t>(node * unknowns_ + unknown));
    a.values.push_back(value);
  }

  static bool inside(std::int64_t coordinate, std::int64_t size) { return coordinate >= 0 && coordinate < size; }

  std::int64_t size_;
  std::int64_t depth_;
  int unknowns_;
  std::vector<Direction> forward_;
  std::vector<Block> springs_;
  Block diagonal_{};
};

}  // namespace

std::int64_t generator_size(const std::string& spec, const std::function<double(double)>& rows) {
  const std::string_view word = std::string_view(spec).substr(spec.find(':') + 1);
  std::int64_t size = 0;
  const NumberError error = parse_integer(word, size);
  if (error == NumberError::not_a_number || (error == NumberError::none && size < 1)) {
    throw InvalidInput(fmt::format("'{}': the size after the colon must be a positive integer.", spec), __FILE__, __LINE__);
  }
  constexpr double limit = std::numeric_limits<std::int32_t>::max();
  if (error == NumberError::too_large || rows(static_cast<double>(size)) >= limit) {
    throw InvalidInput(fmt::format("'{}': the matrix would have 2³¹ − 1 rows or more.", spec), __FILE__, __LINE__);
  }
  return size;
}

std::vector<std::string> generator_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

bool is_generator(const std::string& spec) { return find_kind(spec) != nullptr; }

SymmetricMatrix generate(const std::string& spec) {
  const Kind* kind = find_kind(spec);
  if (kind == nullptr) {
    throw InvalidInput(fmt::format("'{}' is not a generated matrix: lap3d:N, lap27:N, elas:N, lap2d:N or shell:N.", spec),
                       __FILE__, __LINE__);
  }
  const auto rows = [kind](double size) { return size * size * (kind->dimensions == 3 ? size : 1.0) * kind->unknowns; };
  SymmetricMatrix matrix;
  matrix.name = spec;
  Grid(*kind, generator_size(spec, rows)).fill(matrix);
  return matrix;
}

}  // namespace gpusupernodal::io
