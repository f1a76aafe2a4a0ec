#pragma once

/// \file
/// Lists of systems with several patterns.

#include <memory>
#include <vector>

#include "gpusupernodal/variable_batch.hpp"
#include "tests/solver/api/batch_problems.hpp"

namespace gpusupernodal::test::batch {

/// Systems on k×k grids, with their values, right-hand sides and solutions. Systems of one size have different values.
template <class T>
struct GridList {
  std::vector<std::unique_ptr<Grid<T>>> grids;  ///< By system; each has its own arrays.
  std::vector<std::vector<T>> values, b, x;
  std::int64_t columns;

  GridList(Form form, const std::vector<std::int64_t>& sizes, std::int64_t right_hand_sides = 1)
      : columns(right_hand_sides) {
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      grids.push_back(std::make_unique<Grid<T>>(form, sizes[s]));
      values.push_back(grids[s]->values(s));
      grids[s]->reference = values[s];
      b.push_back(vectors<T>(grids[s]->n * columns, s + 5));
      x.emplace_back(b[s].size(), T(7));
    }
  }
  std::int64_t count() const { return static_cast<std::int64_t>(grids.size()); }
  std::vector<MatrixView<T>> views() const {
    std::vector<MatrixView<T>> views;
    for (const auto& grid : grids) views.push_back(grid->view());
    return views;
  }
  std::vector<const T*> addresses() const {
    std::vector<const T*> addresses;
    for (const auto& of_system : values) addresses.push_back(of_system.data());
    return addresses;
  }
  std::vector<DenseView<const T>> right() const {
    std::vector<DenseView<const T>> views;
    for (std::size_t s = 0; s < b.size(); ++s)
      views.emplace_back(b[s].data(), grids[s]->n, columns, std::max<std::int64_t>(grids[s]->n, 1));
    return views;
  }
  std::vector<DenseView<T>> solutions() {
    std::vector<DenseView<T>> views;
    for (std::size_t s = 0; s < x.size(); ++s)
      views.emplace_back(x[s].data(), grids[s]->n, columns, std::max<std::int64_t>(grids[s]->n, 1));
    return views;
  }
  void refactorize(VariableBatchSolver<T>& batch) const { batch.refactorize(addresses()); }
  void solve(VariableBatchSolver<T>& batch, System part = System::a) {
    for (auto& of_system : x) std::fill(of_system.begin(), of_system.end(), T(7));
    batch.solve(right(), solutions(), part);
  }
  /// The first system of this pattern: its values decide the exchange of rows.
  MatrixView<T> first_of_pattern(const VariableBatchSolver<T>& batch, std::int64_t system) const {
    std::int64_t first = 0;
    while (batch.pattern_of(first) != batch.pattern_of(system)) ++first;
    return grids[static_cast<std::size_t>(first)]->view();
  }
  /// Expects of each system what a Solver gives.
  void expect_solvers(const VariableBatchSolver<T>& batch, System part = System::a) const {
    for (std::int64_t s = 0; s < count(); ++s) {
      const auto at = static_cast<std::size_t>(s);
      expect_as_solver(batch, first_of_pattern(batch, s), s, values[at].data(), b[at].data(), x[at].data(), columns, T(7),
                       part);
    }
  }
};

}  // namespace gpusupernodal::test::batch
