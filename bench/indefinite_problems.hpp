#pragma once

/// \file
/// Symmetric indefinite model problems: shifted Laplacians, and saddle point systems.

#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "io/general_matrix.hpp"

namespace gpusupernodal::bench {

/// Adds add(row) to the diagonal entries.
template <class Add>
void add_to_diagonal(io::GeneralMatrix& a, const Add& add) {
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (std::int64_t k = a.offsets[static_cast<std::size_t>(j)]; k < a.offsets[static_cast<std::size_t>(j) + 1]; ++k) {
      if (a.indices[static_cast<std::size_t>(k)] == j) a.values[static_cast<std::size_t>(k)] += add(j);
    }
  }
}

/// The 7-point Laplacian on N³ points minus 0.501·I.
inline io::GeneralMatrix shifted_laplacian(const std::string& size) {
  io::GeneralMatrix a = io::load_general("lap3d:" + size);
  add_to_diagonal(a, [](std::int64_t) { return -0.501; });
  a.name = "shift:" + size;
  return a;
}

/// [A Bᵀ; B 0]: A is the 7-point Laplacian on N³ points plus a diagonal from 1e-2 to 1e2. Each of the N³/8 rows of B has 19
/// entries at random places. The zeros of the lower block's diagonal are stored.
inline io::GeneralMatrix saddle_point(const std::string& size) {
  constexpr int per_constraint = 19;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  io::GeneralMatrix a = io::load_general("lap3d:" + size);
  add_to_diagonal(a, [&](std::int64_t) { return std::pow(10.0, 2.0 * value(random)); });
  const std::int64_t constraints = a.n / 8;
  io::GeneralMatrix whole;
  whole.name = "kkt:" + size;
  whole.n = a.n + constraints;
  whole.offsets.assign(1, 0);
  std::vector<std::vector<std::int32_t>> rows_of(static_cast<std::size_t>(a.n));
  std::vector<std::set<std::int32_t>> columns_of(static_cast<std::size_t>(constraints));
  for (std::size_t c = 0; c < columns_of.size(); ++c) {
    while (columns_of[c].size() < per_constraint)
      columns_of[c].insert(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(a.n)));
    for (const std::int32_t j : columns_of[c])
      rows_of[static_cast<std::size_t>(j)].push_back(static_cast<std::int32_t>(a.n + static_cast<std::int64_t>(c)));
  }
  const auto put = [&](std::int32_t row, double entry) {
    whole.indices.push_back(row);
    whole.values.push_back(entry);
  };
  const auto entry_of_b = [](std::int64_t sum) { return sum % 3 == 0 ? -1.0 : 1.0; };
  for (std::int64_t j = 0; j < a.n; ++j) {
    const auto column = static_cast<std::size_t>(j);
    for (auto k = static_cast<std::size_t>(a.offsets[column]); k < static_cast<std::size_t>(a.offsets[column + 1]); ++k)
      put(static_cast<std::int32_t>(a.indices[k]), a.values[k]);
    for (const std::int32_t row : rows_of[column]) put(row, entry_of_b(row + j));
    whole.offsets.push_back(static_cast<std::int64_t>(whole.indices.size()));
  }
  for (std::int64_t c = 0; c < constraints; ++c) {
    for (const std::int32_t j : columns_of[static_cast<std::size_t>(c)]) put(j, entry_of_b(a.n + c + j));
    put(static_cast<std::int32_t>(a.n + c), 0.0);
    whole.offsets.push_back(static_cast<std::int64_t>(whole.indices.size()));
  }
  return whole;
}

/// A model problem of this header, shift:N or kkt:N, or what io::load_general takes.
inline io::GeneralMatrix load_problem(const std::string& name) {
  if (name.starts_with("shift:")) return shifted_laplacian(name.substr(6));
  if (name.starts_with("kkt:")) return saddle_point(name.substr(4));
  return io::load_general(name);
}

}  // namespace gpusupernodal::bench
