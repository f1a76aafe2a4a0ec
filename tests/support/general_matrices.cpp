#include "tests/support/general_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <set>
#include <tuple>
#include <utility>

namespace gpusupernodal::test {
namespace {

using Place = std::pair<std::int64_t, std::int64_t>;  ///< column, row

std::int64_t index_below(std::mt19937_64& random, std::int64_t n) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

/// Unlike std::uniform_real_distribution, this gives the same numbers with every standard library.
double uniform_in(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-52 - 1.0; }

std::set<Place> random_places(std::int64_t n, std::int64_t entries, std::mt19937_64& random) {
  std::set<Place> places;
  for (std::int64_t k = 0; k < entries && n > 0; ++k) {
    const std::int64_t column = index_below(random, n);
    places.emplace(column, index_below(random, n));
  }
  return places;
}

io::GeneralMatrix with_random_values(std::int64_t n, const std::set<Place>& places, double exponents,
                                     std::mt19937_64& random) {
  std::vector<Triplet> entries;
  for (const auto& [column, row] : places) {
    const double magnitude = std::exp2(exponents * uniform_in(random));
    entries.push_back({row, column, random() % 2 == 0 ? magnitude : -magnitude});
  }
  return general_matrix(n, std::move(entries));
}

}  // namespace

io::GeneralMatrix general_matrix(std::int64_t n, std::vector<Triplet> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Triplet& a, const Triplet& b) { return std::tie(a.column, a.row) < std::tie(b.column, b.row); });
  io::GeneralMatrix a;
  a.n = n;
  a.offsets.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const Triplet& t : entries) {
    ++a.offsets[static_cast<std::size_t>(t.column) + 1];
    a.indices.push_back(static_cast<std::int32_t>(t.row));
    a.values.push_back(t.value);
  }
  std::partial_sum(a.offsets.begin(), a.offsets.end(), a.offsets.begin());
  return a;
}

io::GeneralMatrix random_general(std::int64_t n, std::int64_t entries, double exponents, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::set<Place> places = random_places(n, entries, random);
  return with_random_values(n, places, exponents, random);
}

io::GeneralMatrix random_matched(std::int64_t n, std::int64_t entries, double exponents, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::set<Place> places = random_places(n, entries, random);
  const std::vector<std::int32_t> permutation = random_permutation(n, random());
  for (std::size_t j = 0; j < permutation.size(); ++j) places.emplace(static_cast<std::int64_t>(j), permutation[j]);
  return with_random_values(n, places, exponents, random);
}

std::vector<std::int32_t> random_permutation(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> permutation(static_cast<std::size_t>(n));
  std::iota(permutation.begin(), permutation.end(), 0);
  for (std::int64_t k = n; k > 1; --k) {
    std::swap(permutation[static_cast<std::size_t>(k) - 1], permutation[static_cast<std::size_t>(index_below(random, k))]);
  }
  return permutation;
}

io::GeneralMatrix transposed(const io::GeneralMatrix& a) {
  std::vector<Triplet> entries = triplets(a);
  for (Triplet& t : entries) std::swap(t.row, t.column);
  return general_matrix(a.n, std::move(entries));
}

std::vector<Triplet> triplets(const io::GeneralMatrix& a) {
  std::vector<Triplet> entries;
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (auto k = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]);
         k < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]); ++k) {
      entries.push_back({a.indices[k], j, a.values[k]});
    }
  }
  return entries;
}

}  // namespace gpusupernodal::test
