#pragma once

/// \file
/// Matrices and solves for the tests of conjugate gradients.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpusupernodal/pcg.hpp"
#include "io/symmetric_matrix.hpp"
#include "tests/solver/backend/backends.hpp"
#include "tests/support/random_matrices.hpp"

namespace gpusupernodal::test::pcg {

/// All preconditioners that the backend has.
inline std::vector<Preconditioner> preconditioners(Backend backend) {
  std::vector<Preconditioner> all{Preconditioner::automatic,    Preconditioner::none, Preconditioner::jacobi,
                                  Preconditioner::block_jacobi, Preconditioner::fsai, Preconditioner::factor};
  if (backend == Backend::host) all.push_back(Preconditioner::ic0);
  return all;
}

/// A matrix in T by columns, of which one triangle is stored.
template <class T>
struct Stored {
  explicit Stored(const io::SymmetricMatrix& a)
      : n(a.n), offsets(a.offsets), indices(a.indices), values(a.values.begin(), a.values.end()) {}
  MatrixView<T> view() const {
    MatrixView<T> v;
    v.n = n;
    v.offsets = offsets.data();
    v.indices = indices.data();
    v.values = values.data();
    v.part = StoredPart::lower;
    return v;
  }
  std::int64_t n;
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> indices;
  std::vector<T> values;
};

/// A diagonal matrix with these entries.
inline io::SymmetricMatrix diagonal(const std::vector<double>& entries) {
  io::SymmetricMatrix a;
  a.n = static_cast<std::int64_t>(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    a.offsets.push_back(static_cast<std::int64_t>(i) + 1);
    a.indices.push_back(static_cast<std::int32_t>(i));
    a.values.push_back(entries[i]);
  }
  return a;
}

/// tridiag(−1, d, −1) with the first and the last diagonal entry `ends`.
inline io::SymmetricMatrix chain(std::int64_t n, double d, double ends) {
  io::SymmetricMatrix a;
  a.n = n;
  for (std::int64_t j = 0; j < n; ++j) {
    a.indices.push_back(static_cast<std::int32_t>(j));
    a.values.push_back(j == 0 || j == n - 1 ? ends : d);
    if (j + 1 < n) {
      a.indices.push_back(static_cast<std::int32_t>(j + 1));
      a.values.push_back(-1.0);
    }
    a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
  }
  return a;
}

/// A in double times x.
template <class T>
std::vector<double> product(const Stored<T>& a, const std::vector<T>& x) {
  std::vector<double> y(x.size(), 0.0);
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]);
         e < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]); ++e) {
      const auto i = static_cast<std::size_t>(a.indices[e]);
      const auto c = static_cast<std::size_t>(j);
      const auto value = static_cast<double>(a.values[e]);
      y[i] += value * static_cast<double>(x[c]);
      if (i != c) y[c] += value * static_cast<double>(x[i]);
    }
  }
  return y;
}

/// ‖b − A x‖₂ in double.
template <class T>
double residual(const Stored<T>& a, const std::vector<T>& x, const std::vector<T>& b) {
  const std::vector<double> y = product(a, x);
  double sum = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += (static_cast<double>(b[i]) - y[i]) * (static_cast<double>(b[i]) - y[i]);
  return std::sqrt(sum);
}

template <class T>
double norm(const std::vector<T>& v) {
  double sum = 0.0;
  for (const T& value : v) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum);
}

template <class T>
std::vector<T> random_side(std::int64_t n, std::uint64_t seed = 5) {
  const std::vector<double> v = random_vector(n, seed);
  return {v.begin(), v.end()};
}

inline PcgOptions options_on(Backend backend, Preconditioner preconditioner = Preconditioner::automatic) {
  PcgOptions options;
  options.backend = backend;
  options.preconditioner = preconditioner;
  options.threads = 2;
  return options;
}

template <class T>
struct Solved {
  PcgReport report;
  std::vector<T> x;
};

/// Solves with a new object, from 0 or from `start`.
template <class T>
Solved<T> solve(const PcgOptions& options, const Stored<T>& a, const std::vector<T>& b, const std::vector<T>& start = {}) {
  Pcg<T> pcg(options);
  pcg.compute(a.view());
  std::vector<T> x = start.empty() ? std::vector<T>(b.size(), T(-7)) : start;
  const PcgReport report = pcg.solve(DenseView<const T>(b.data(), a.n), DenseView<T>(x.data(), a.n), !start.empty());
  return {report, x};
}

/// Iterations of a converged solve in double on the host.
inline std::int64_t iterations(Preconditioner preconditioner, const io::SymmetricMatrix& a) {
  PcgOptions options = options_on(Backend::host, preconditioner);
  options.max_iterations = 100000;
  const Stored<double> stored(a);
  const Solved<double> solved = solve(options, stored, random_side<double>(a.n));
  EXPECT_TRUE(solved.report.converged()) << name_of(preconditioner) << " on " << a.name << ": "
                                         << name_of(solved.report.status) << " after " << solved.report.iterations;
  return solved.report.iterations;
}

}  // namespace gpusupernodal::test::pcg
