#include "tests/support/random_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gpusupernodal::test {
namespace {

using Edge = std::pair<std::int64_t, std::int64_t>;  ///< column < row
using EdgeList = std::vector<Edge>;                  ///< In any order, repeated or not.

/// Unlike std::uniform_real_distribution, this gives the same numbers with every standard library.
double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-52 - 1.0; }

std::int64_t below(std::mt19937_64& random, std::int64_t n) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

/// Random values on the edges and a diagonal that exceeds their row sums by one.
io::SymmetricMatrix on_edges(std::string name, std::int64_t n, EdgeList edges, std::uint64_t seed) {
  if (!std::is_sorted(edges.begin(), edges.end())) std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::mt19937_64 random(seed);
  std::vector<double> values;
  std::vector<double> diagonal(static_cast<std::size_t>(n), 1.0);
  for (const auto& [j, i] : edges) {
    values.push_back(uniform(random));
    diagonal[static_cast<std::size_t>(i)] += std::abs(values.back());
    diagonal[static_cast<std::size_t>(j)] += std::abs(values.back());
  }
  io::SymmetricMatrix a;
  a.name = std::move(name);
  a.n = n;
  auto edge = edges.begin();
  auto value = values.begin();
  for (std::int64_t j = 0; j < n; ++j) {
    a.indices.push_back(static_cast<std::int32_t>(j));
    a.values.push_back(diagonal[static_cast<std::size_t>(j)]);
    for (; edge != edges.end() && edge->first == j; ++edge, ++value) {
      a.indices.push_back(static_cast<std::int32_t>(edge->second));
      a.values.push_back(*value);
    }
    a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
  }
  return a;
}

std::string sized(const char* name, std::int64_t n) { return std::string(name) + "-" + std::to_string(n); }

constexpr std::uint64_t fixed_seed = 20110;

}  // namespace

io::SymmetricMatrix random_spd(std::int64_t n, std::int64_t edges, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  EdgeList chosen;
  for (std::int64_t k = 0; k < edges && n > 1; ++k) {
    const std::int64_t i = below(random, n);
    const std::int64_t j = below(random, n);
    if (i != j) chosen.emplace_back(std::minmax(i, j));
  }
  return on_edges(sized("random", n) + "-" + std::to_string(edges), n, std::move(chosen), seed + 1);
}

io::SymmetricMatrix diagonal_spd(std::int64_t n) {
  io::SymmetricMatrix a = on_edges(sized("diagonal", n), n, {}, fixed_seed);
  for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] = static_cast<double>(1 + i % 7);
  return a;
}

io::SymmetricMatrix chain_spd(std::int64_t n) {
  EdgeList edges;
  for (std::int64_t i = 1; i < n; ++i) edges.emplace_back(i - 1, i);
  return on_edges(sized("chain", n), n, std::move(edges), fixed_seed);
}

io::SymmetricMatrix star_spd(std::int64_t n, std::int64_t centre) {
  EdgeList edges;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i != centre) edges.emplace_back(std::minmax(i, centre));
  }
  return on_edges(sized("star", n) + "-" + std::to_string(centre), n, std::move(edges), fixed_seed);
}

io::SymmetricMatrix arrowhead_spd(std::int64_t n) {
  io::SymmetricMatrix a = star_spd(n, n - 1);
  a.name = sized("arrowhead", n);
  return a;
}

io::SymmetricMatrix dense_spd(std::int64_t n, std::uint64_t seed) {
  io::SymmetricMatrix a = blocks_spd(1, n, seed);
  a.name = sized("dense", n);
  return a;
}

io::SymmetricMatrix blocks_spd(std::int64_t blocks, std::int64_t size, std::uint64_t seed) {
  EdgeList edges;
  for (std::int64_t first = 0; first < blocks * size; first += size) {
    for (std::int64_t j = first; j < first + size; ++j) {
      for (std::int64_t i = j + 1; i < first + size; ++i) edges.emplace_back(j, i);
    }
  }
  return on_edges(sized("blocks", blocks) + "-" + std::to_string(size), blocks * size, std::move(edges), seed);
}

io::SymmetricMatrix joined_cliques_spd(std::int64_t cliques, std::int64_t size, std::int64_t shared, std::uint64_t seed) {
  EdgeList edges;
  const std::int64_t n = cliques * size + shared;
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t end = std::min(n, (j / size + 1) * size);
    for (std::int64_t i = j + 1; i < end; ++i) edges.emplace_back(j, i);
    for (std::int64_t i = std::max(j + 1, cliques * size); i < n; ++i) edges.emplace_back(j, i);
  }
  return on_edges(sized("cliques", cliques) + "-" + std::to_string(size), n, std::move(edges), seed);
}

io::SymmetricMatrix late_sources_spd() {
  constexpr std::int64_t early = 10;
  constexpr std::int64_t clique = 70;
  constexpr std::int64_t target = early + 2 * clique;
  constexpr std::int64_t n = target + 256;
  EdgeList edges;
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t end = j < early ? early : j < early + clique ? early + clique : j < target ? target : n;
    for (std::int64_t i = j + 1; i < end; ++i) edges.emplace_back(j, i);
    for (std::int64_t i = target + (j < early ? 0 : 64); j < target && i < n; ++i) edges.emplace_back(j, i);
  }
  return on_edges("late-sources", n, std::move(edges), fixed_seed);
}

std::vector<io::SymmetricMatrix> small_matrices() {
  std::vector<io::SymmetricMatrix> family;
  for (const std::int64_t n : {0, 1, 2, 3, 5, 17, 64, 65, 301}) {
    family.push_back(diagonal_spd(n));
    family.push_back(chain_spd(n));
    family.push_back(arrowhead_spd(n));
    if (n > 0) family.push_back(star_spd(n, 0));
    if (n > 2) family.push_back(star_spd(n, n / 2));
    for (const std::int64_t edges_a_row : {1, 4}) {
      family.push_back(random_spd(n, n * edges_a_row, fixed_seed + static_cast<std::uint64_t>(n)));
    }
  }
  for (const std::int64_t n : {2, 3, 7, 33, 130}) family.push_back(dense_spd(n, fixed_seed));
  family.push_back(blocks_spd(5, 7, fixed_seed));
  family.push_back(blocks_spd(40, 3, fixed_seed));
  family.push_back(blocks_spd(2, 70, fixed_seed));
  for (const char* spec : {"lap2d:9", "lap3d:6", "lap27:5", "elas:3", "shell:4"}) family.push_back(io::generate(spec));
  return family;
}

std::vector<double> random_vector(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> v(static_cast<std::size_t>(n));
  for (double& value : v) value = uniform(random);
  return v;
}

}  // namespace gpusupernodal::test
