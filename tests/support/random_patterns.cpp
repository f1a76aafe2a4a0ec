#include "tests/support/random_patterns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gpusupernodal::test {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  /// A random number in first … last.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(last - first + 1));
  }
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-52 - 1.0; }  ///< A random number in [−1, 1].
  std::int64_t order() { return between(0, 9) == 0 ? between(151, 500) : between(1, 150); }

 private:
  std::mt19937_64 random_;
};

/// Entries below the diagonal in any order; duplicates are dropped at the end.
class Pattern {
 public:
  explicit Pattern(std::int64_t n) : n_(n) {}
  std::int64_t order() const { return n_; }
  void connect(std::int64_t i, std::int64_t j) {
    if (i != j && std::max(i, j) < n_) edges_.emplace_back(std::min(i, j), std::max(i, j));
  }
  /// Connects all of first … last−1 with each other.
  void fill(std::int64_t first, std::int64_t last) {
    for (std::int64_t j = first; j < last; ++j) {
      for (std::int64_t i = j + 1; i < last; ++i) connect(i, j);
    }
  }
  /// Adds random values and a diagonal that exceeds the sum of the others in its row by `margin`.
  io::SymmetricMatrix matrix(Draw& draw, double margin) {
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    std::vector<double> values;
    std::vector<double> diagonal(static_cast<std::size_t>(n_), margin);
    for (const auto& [j, i] : edges_) {
      values.push_back(draw.uniform());
      diagonal[static_cast<std::size_t>(i)] += std::abs(values.back());
      diagonal[static_cast<std::size_t>(j)] += std::abs(values.back());
    }
    io::SymmetricMatrix a;
    a.n = n_;
    std::size_t e = 0;
    for (std::int64_t j = 0; j < n_; ++j) {
      a.indices.push_back(static_cast<std::int32_t>(j));
      a.values.push_back(diagonal[static_cast<std::size_t>(j)]);
      for (; e < edges_.size() && edges_[e].first == j; ++e) {
        a.indices.push_back(static_cast<std::int32_t>(edges_[e].second));
        a.values.push_back(values[e]);
      }
      a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
    }
    return a;
  }

 private:
  std::int64_t n_;
  std::vector<std::pair<std::int64_t, std::int64_t>> edges_;
};

Pattern diagonal(Draw& draw) { return Pattern(draw.order()); }

Pattern chain(Draw& draw) {
  Pattern p(draw.order());
  for (std::int64_t i = 1; i < p.order(); ++i) p.connect(i - 1, i);
  return p;
}

Pattern star(Draw& draw) {
  Pattern p(draw.order());
  const std::int64_t centre = draw.between(0, p.order() - 1);
  for (std::int64_t i = 0; i < p.order(); ++i) p.connect(i, centre);
  return p;
}

/// The last few rows are full, the rest is diagonal.
Pattern arrowhead(Draw& draw) {
  Pattern p(draw.order());
  const std::int64_t full = draw.between(1, std::min<std::int64_t>(p.order(), 40));
  for (std::int64_t j = p.order() - full; j < p.order(); ++j) {
    for (std::int64_t i = 0; i < p.order(); ++i) p.connect(i, j);
  }
  return p;
}

Pattern dense(Draw& draw) {
  Pattern p(draw.between(1, 140));
  p.fill(0, p.order());
  return p;
}

/// Disconnected dense blocks of many sizes.
Pattern blocks(Draw& draw) {
  Pattern p(draw.order());
  for (std::int64_t first = 0; first < p.order();) {
    const std::int64_t last = std::min(p.order(), first + draw.between(1, draw.between(1, 40)));
    p.fill(first, last);
    first = last;
  }
  return p;
}

Pattern banded(Draw& draw) {
  Pattern p(draw.order());
  const std::int64_t band = draw.between(1, 35);
  for (std::int64_t j = 0; j < p.order(); ++j) {
    for (std::int64_t i = j + 1; i <= j + band; ++i) p.connect(i, j);
  }
  return p;
}

Pattern sparse(Draw& draw) {
  Pattern p(draw.order());
  const std::int64_t edges = p.order() * draw.between(1, 4);
  for (std::int64_t e = 0; e < edges; ++e) p.connect(draw.between(0, p.order() - 1), draw.between(0, p.order() - 1));
  return p;
}

/// Each row is connected to an earlier one; sometimes several trees.
Pattern forest(Draw& draw) {
  Pattern p(draw.order());
  for (std::int64_t i = 1; i < p.order(); ++i) {
    if (draw.between(0, 30) != 0) p.connect(i, draw.between(std::max<std::int64_t>(0, i - 12), i - 1));
  }
  return p;
}

/// A rectangular grid with a 5-point or 9-point stencil.
Pattern grid(Draw& draw) {
  const std::int64_t rows = draw.between(1, 20);
  const std::int64_t columns = draw.between(1, 20);
  const bool diagonals = draw.between(0, 1) == 1;
  Pattern p(rows * columns);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t i = r * columns + c;
      if (c + 1 < columns) p.connect(i, i + 1);
      if (r + 1 < rows) p.connect(i, i + columns);
      if (diagonals && r + 1 < rows && c + 1 < columns) p.connect(i, i + columns + 1);
      if (diagonals && r + 1 < rows && c > 0) p.connect(i, i + columns - 1);
    }
  }
  return p;
}

/// A dense core that is most of the matrix, and single rows connected to a few of its rows.
Pattern huge_supernode(Draw& draw) {
  const std::int64_t core = draw.between(60, 260);
  const std::int64_t leaves = draw.between(0, 60);
  Pattern p(core + leaves);
  p.fill(leaves, p.order());
  for (std::int64_t i = 0; i < leaves; ++i) {
    for (std::int64_t k = draw.between(1, 5); k > 0; --k) p.connect(i, draw.between(leaves, p.order() - 1));
  }
  return p;
}

/// Dense blocks connected only to a common border.
Pattern bordered_blocks(Draw& draw) {
  const std::int64_t border = draw.between(1, 70);
  const std::int64_t size = draw.between(1, 25);
  const std::int64_t count = draw.between(1, 12);
  Pattern p(count * size + border);
  p.fill(count * size, p.order());
  for (std::int64_t b = 0; b < count; ++b) {
    p.fill(b * size, (b + 1) * size);
    for (std::int64_t k = draw.between(1, 3 * size); k > 0; --k) {
      p.connect(draw.between(b * size, (b + 1) * size - 1), draw.between(count * size, p.order() - 1));
    }
  }
  return p;
}

struct Family {
  const char* name;
  Pattern (*draw)(Draw&);
};
constexpr std::array<Family, pattern_families> families{{{"diagonal", diagonal},
                                                         {"chain", chain},
                                                         {"star", star},
                                                         {"arrowhead", arrowhead},
                                                         {"dense", dense},
                                                         {"blocks", blocks},
                                                         {"banded", banded},
                                                         {"sparse", sparse},
                                                         {"forest", forest},
                                                         {"grid", grid},
                                                         {"huge supernode", huge_supernode},
                                                         {"bordered blocks", bordered_blocks}}};

/// a := D A D, where D has numbers from 2⁻⁸ to 2⁸, not only powers of two.
void scale_from_both_sides(io::SymmetricMatrix& a, Draw& draw) {
  std::vector<double> d;
  for (std::int64_t i = 0; i < a.n; ++i) d.push_back(std::exp2(8.0 * draw.uniform()));
  for (std::size_t j = 0; j < d.size(); ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
      a.values[e] *= d[j] * d[static_cast<std::size_t>(a.indices[e])];
    }
  }
}

}  // namespace

io::SymmetricMatrix random_pattern(std::uint64_t seed) {
  Draw draw(seed);
  const Family& family = families[seed % families.size()];
  Pattern pattern = family.draw(draw);
  const std::int64_t kind = draw.between(0, 2);
  io::SymmetricMatrix a = pattern.matrix(draw, kind == 1 ? 0x1p-6 : 1.0);
  if (kind == 2) scale_from_both_sides(a, draw);
  a.name = std::string(family.name) + ", order " + std::to_string(a.n) + ", seed " + std::to_string(seed);
  return a;
}

io::SymmetricMatrix tiny_blocks(std::int64_t blocks) {
  io::SymmetricMatrix a;
  a.name = std::to_string(blocks) + " tiny blocks";
  for (std::int64_t b = 0; b < blocks; ++b) {
    const std::int64_t size = 1 + b % 3;
    for (std::int64_t k = 0; k < size; ++k, ++a.n) {
      a.indices.push_back(static_cast<std::int32_t>(a.n));
      a.values.push_back(3.0 + static_cast<double>(b % 5));
      if (k + 1 < size) {
        a.indices.push_back(static_cast<std::int32_t>(a.n + 1));
        a.values.push_back(b % 2 == 0 ? -1.0 : 0.5);
      }
      a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
    }
  }
  return a;
}

io::SymmetricMatrix single_front(std::int64_t width, std::int64_t rows) {
  Draw draw(static_cast<std::uint64_t>(1000 * width + rows));
  const std::int64_t beside = rows > 0 ? 1 : 0;
  Pattern p(width + beside + rows);
  p.fill(0, width);
  for (std::int64_t i = width + beside; i < p.order(); ++i) {
    for (std::int64_t j = 0; j < width + beside; ++j) p.connect(i, j);
  }
  io::SymmetricMatrix a = p.matrix(draw, 1.0);
  a.name = "front of " + std::to_string(width) + " columns and " + std::to_string(rows) + " rows below";
  return a;
}

}  // namespace gpusupernodal::test
