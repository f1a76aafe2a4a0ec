#include "tests/support/tall_trees.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gpusupernodal::test {
namespace {

/// Off-diagonal entries −1 − (row mod 3)/8 of a lower triangle, collected in any order.
class Edges {
 public:
  explicit Edges(std::int64_t n) : rows_(static_cast<std::size_t>(n)) {}

  void add(std::int64_t i, std::int64_t j) { rows_[static_cast<std::size_t>(std::min(i, j))].push_back(std::max(i, j)); }

  /// Connects rows first … first+count−1 to a path.
  void add_path(std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first + 1; i < first + count; ++i) add(i, i - 1);
  }

  io::SymmetricMatrix matrix(std::string name) {
    std::vector<double> diagonal(rows_.size(), 1.0);
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      std::sort(rows_[j].begin(), rows_[j].end());
      for (const std::int64_t i : rows_[j]) {
        diagonal[j] -= value(i);
        diagonal[static_cast<std::size_t>(i)] -= value(i);
      }
    }
    io::SymmetricMatrix a;
    a.name = std::move(name);
    a.n = static_cast<std::int64_t>(rows_.size());
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      a.indices.push_back(static_cast<std::int32_t>(j));
      a.values.push_back(diagonal[j]);
      for (const std::int64_t i : rows_[j]) {
        a.indices.push_back(static_cast<std::int32_t>(i));
        a.values.push_back(value(i));
      }
      a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
    }
    return a;
  }

 private:
  static double value(std::int64_t row) { return -1.0 - static_cast<double>(row % 3) / 8.0; }

  std::vector<std::vector<std::int64_t>> rows_;
};

std::string sized(const char* name, std::int64_t a, std::int64_t b) {
  return std::string(name) + "-" + std::to_string(a) + "-" + std::to_string(b);
}

}  // namespace

io::SymmetricMatrix comb_spd(std::int64_t spine, std::int64_t tooth) {
  const std::int64_t step = tooth + 1;
  Edges edges(spine * step);
  for (std::int64_t s = 0; s < spine; ++s) {
    edges.add_path(s * step, step);
    if (s > 0) edges.add(s * step - 1, s * step + tooth);
  }
  return edges.matrix(sized("comb", spine, tooth));
}

io::SymmetricMatrix broom_spd(std::int64_t handle, std::int64_t straws) {
  Edges edges(handle + straws);
  for (std::int64_t s = 0; s < straws; ++s) edges.add(s, straws);
  edges.add_path(straws, handle);
  return edges.matrix(sized("broom", handle, straws));
}

io::SymmetricMatrix spider_spd(std::int64_t legs, std::int64_t length) {
  Edges edges(legs * length + 1);
  for (std::int64_t l = 0; l < legs; ++l) {
    edges.add_path(l * length, length);
    edges.add(l * length + length - 1, legs * length);
  }
  return edges.matrix(sized("spider", legs, length));
}

io::SymmetricMatrix bordered_paths_spd(std::int64_t paths, std::int64_t length, std::int64_t border) {
  const std::int64_t n = paths * length;
  Edges edges(n + border);
  for (std::int64_t p = 0; p < paths; ++p) edges.add_path(p * length, length);
  for (std::int64_t b = 0; b < border; ++b) {
    for (std::int64_t i = b; i < n; i += 3) edges.add(i, n + b);
    for (std::int64_t other = 0; other < b; ++other) edges.add(n + other, n + b);
  }
  return edges.matrix(sized("bordered", paths, border));
}

io::SymmetricMatrix band_spd(std::int64_t n, std::int64_t width) {
  Edges edges(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t d = 1; d <= std::min(width, i); ++d) edges.add(i, i - d);
  }
  return edges.matrix(sized("band", n, width));
}

io::SymmetricMatrix path_of_blocks_spd(std::int64_t spine, std::int64_t block) {
  Edges edges(spine * block);
  for (std::int64_t s = 0; s < spine; ++s) {
    for (std::int64_t i = 0; i < block; ++i) {
      for (std::int64_t j = 0; j < i; ++j) edges.add(s * block + i, s * block + j);
    }
    if (s > 0) edges.add(s * block - 1, s * block + block - 1);
  }
  return edges.matrix(sized("blocks", spine, block));
}

std::vector<io::SymmetricMatrix> tall_trees(std::int64_t n) {
  std::vector<io::SymmetricMatrix> trees;
  for (const std::int64_t tooth : {0, 1, 3, 40}) trees.push_back(comb_spd(n / (tooth + 1), tooth));
  trees.push_back(broom_spd(n / 2, n / 2));
  for (const std::int64_t legs : {2, 7}) trees.push_back(spider_spd(legs, n / legs));
  trees.push_back(bordered_paths_spd(5, n / 5, 8));
  for (const std::int64_t width : {2, 12}) trees.push_back(band_spd(n, width));
  for (const std::int64_t block : {6, 30}) trees.push_back(path_of_blocks_spd(n / block, block));
  return trees;
}

}  // namespace gpusupernodal::test
