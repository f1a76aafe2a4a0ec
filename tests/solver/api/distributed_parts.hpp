#pragma once

/// \file
/// Matrices as a program of several processes would have them.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpusupernodal/distributed_solver.hpp"
#include "io/symmetric_matrix.hpp"
#include "kernels/common/scalar_traits.hpp"
#include "tests/support/thread_fabric.hpp"

namespace gpusupernodal::test {

/// Entry i of the diagonal D of a similarity transformation: a phase for complex T, else 1.
template <class T>
T phase_of(std::int64_t i) {
  if constexpr (ScalarTraits<T>::is_complex) {
    return static_cast<T>(std::polar(1.0, 0.7 * static_cast<double>(i)));
  } else {
    return T(1);
  }
}

/// The entries of D·A·Dᴴ that one part has, for a matrix A whose lower half is stored. They are from the lower half, or from
/// the upper one.
template <class T>
struct OwnPart {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
  std::vector<T> values;

  OwnPart(const io::SymmetricMatrix& a, const DistributedSolver<T>& solver, int part, bool upper = false) {
    for (std::int64_t j = 0; j < a.n; ++j) {
      for (auto k = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]);
           k < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]); ++k) {
        const std::int64_t i = a.indices[k];
        if (solver.part_of_entry(i, j) != part) continue;
        rows.push_back(upper ? j : i);
        columns.push_back(upper ? i : j);
        const T value(static_cast<typename ScalarTraits<T>::Real>(a.values[k]));
        if (i == j) {
          values.push_back(value);
        } else {
          values.push_back(value * phase_of<T>(rows.back()) * ScalarTraits<T>::conjugate(phase_of<T>(columns.back())));
        }
      }
    }
  }
};

template <class T>
void analyze(DistributedSolver<T>& solver, const io::SymmetricMatrix& a, Options options = {}) {
  options.threads = 1;
  MatrixView<T> view;
  view.n = a.n;
  view.offsets = a.offsets.data();
  view.indices = a.indices.data();
  view.part = StoredPart::lower;
  solver.analyze([&] { return Solver<T>::preview(view, options).plan; }, options);
}

/// Solves for all columns of b, whose columns have all n entries, and writes this part's entries of x.
template <class T>
void solve_columns(DistributedSolver<T>& solver, const std::vector<double>& b, std::vector<double>& x,
                   std::int64_t columns = 1) {
  const std::int64_t n = solver.order();
  const auto count = static_cast<std::int64_t>(solver.rows().size());
  std::vector<T> vectors(static_cast<std::size_t>(count * columns));
  const auto each = [&](const auto& visit) {
    for (std::int64_t c = 0; c < columns; ++c) {
      for (std::size_t i = 0; i < solver.rows().size(); ++i) {
        const std::int64_t row = solver.rows()[i];
        visit(vectors[static_cast<std::size_t>(c * count) + i], phase_of<T>(row), static_cast<std::size_t>(c * n + row));
      }
    }
  };
  each([&](T& entry, T phase, std::size_t place) { entry = phase * static_cast<typename ScalarTraits<T>::Real>(b[place]); });
  const DenseView<T> view(vectors.data(), count, columns, std::max<std::int64_t>(count, 1));
  solver.solve(view, view);
  each([&](T& entry, T phase, std::size_t place) {
    x[place] = static_cast<double>(ScalarTraits<T>::real(ScalarTraits<T>::conjugate(phase) * entry));
  });
}

}  // namespace gpusupernodal::test
