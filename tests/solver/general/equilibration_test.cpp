#include "solver/general/equilibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <new>
#include <random>

#include "tests/solver/general/entries.hpp"
#include "tests/support/general_matrices.hpp"

namespace {

std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace gpusupernodal {
namespace {

using test::entries_of;
using test::for_each_entry;
using test::general_matrix;

constexpr double infinity = std::numeric_limits<double>::infinity();

Scales equilibrated(const io::GeneralMatrix& a) {
  Scales scales;
  equilibrate(entries_of(a), a.values.data(), scales);
  return scales;
}

/// log2 of the largest scaled magnitude of each row and column; −∞ without nonzeros.
struct Maxima {
  std::vector<double> row;
  std::vector<double> column;
};

Maxima maxima_of(const io::GeneralMatrix& a, const Scales& scales) {
  const auto n = static_cast<std::size_t>(a.n);
  Maxima maxima{std::vector<double>(n, -infinity), std::vector<double>(n, -infinity)};
  for_each_entry(entries_of(a), [&](std::size_t i, std::size_t j, std::size_t k) {
    const double logarithm = std::log2(scales.row[i]) + std::log2(std::abs(a.values[k])) + std::log2(scales.column[j]);
    maxima.row[i] = std::max(maxima.row[i], logarithm);
    maxima.column[j] = std::max(maxima.column[j], logarithm);
  });
  return maxima;
}

/// Checks the bounds of the header. 2^−distance is what 5 sweeps may leave of maxima below 1.
void expect_equilibrated(const io::GeneralMatrix& a, double distance) {
  const Scales scales = equilibrated(a);
  const Maxima maxima = maxima_of(a, scales);
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.n); ++i) {
    for (const double scale : {scales.row[i], scales.column[i]}) {
      int exponent = 0;
      EXPECT_EQ(std::frexp(scale, &exponent), 0.5) << scale;
    }
    for (const double maximum : {maxima.row[i], maxima.column[i]}) {
      EXPECT_LE(maximum, std::log2(3.0)) << i;
      EXPECT_TRUE(maximum >= -std::log2(6.0) - distance || maximum == -infinity) << i << ": " << maximum;
    }
    if (maxima.row[i] == -infinity) {
      EXPECT_EQ(scales.row[i], 1.0);
    }
    if (maxima.column[i] == -infinity) {
      EXPECT_EQ(scales.column[i], 1.0);
    }
  }
}

TEST(Equilibration, LargestEntriesOfRowsAndColumnsAreAboutOne) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto n = static_cast<std::int64_t>(1 + seed * seed % 211);
    expect_equilibrated(test::random_general(n, n * static_cast<std::int64_t>(seed % 6), seed % 2 == 0 ? 10 : 16, seed), 0);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

/// Where magnitudes lie in 2^±500, the maxima lie in [2^−500, 1] after one sweep, and each further sweep takes their root.
TEST(Equilibration, ConvergesWhereMagnitudesAreFarApart) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    expect_equilibrated(test::random_general(60, 200, 500, seed), 500.0 / 16);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(Equilibration, OfSymmetricMatricesIsSymmetric) {
  const Scales scales = equilibrated(io::expanded(io::generate("elas:3")));
  EXPECT_EQ(scales.row, scales.column);
}

TEST(Equilibration, OfADiagonalSplitsEvenly) {
  const Scales scales = equilibrated(general_matrix(3, {{0, 0, 0x1p40}, {1, 1, -0x1p-20}, {2, 2, 1.0}}));
  EXPECT_EQ(scales.row[0] * scales.column[0], 0x1p-40);
  EXPECT_EQ(scales.row[1] * scales.column[1], 0x1p20);
  EXPECT_EQ(scales.row, scales.column);
}

TEST(Equilibration, EndsOfTheRange) {
  for (const double x : {std::numeric_limits<double>::denorm_min(), 1e-310, 1e-300, 1e300, 1.7e308}) {
    expect_equilibrated(general_matrix(1, {{0, 0, x}}), 0);
    expect_equilibrated(general_matrix(2, {{0, 0, x}, {1, 1, 1.0}, {0, 1, 1e-5}}), 1100.0 / 32);
    expect_equilibrated(general_matrix(2, {{0, 0, x}, {0, 1, -x}, {1, 0, x}, {1, 1, x}}), 0);
  }
}

TEST(Equilibration, WhatIsNotFiniteDoesNotCount) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Scales expected = equilibrated(general_matrix(2, {{0, 0, 16.0}, {1, 1, 4.0}}));
  const Scales scales = equilibrated(general_matrix(2, {{0, 0, 16.0}, {0, 1, nan}, {1, 0, -infinity}, {1, 1, 4.0}}));
  EXPECT_EQ(scales.row, expected.row);
  EXPECT_EQ(scales.column, expected.column);
}

template <class T>
Scales scales_of(const io::GeneralMatrix& a, const std::vector<T>& values) {
  Scales scales;
  equilibrate(entries_of(a), values.data(), scales);
  return scales;
}

TEST(Equilibration, OfAllScalarTypesIsEqual) {
  io::GeneralMatrix a = test::random_general(30, 150, 12, 9);
  std::vector<float> floats;
  std::vector<std::complex<double>> real_parts;
  std::vector<std::complex<double>> imaginary_parts;
  std::vector<std::complex<float>> small_imaginary_parts;
  for (double& x : a.values) {
    const auto narrow = static_cast<float>(x);
    x = narrow;
    floats.push_back(narrow);
    real_parts.emplace_back(x, x / 2);
    imaginary_parts.emplace_back(x / 2, -x);
    small_imaginary_parts.emplace_back(narrow, narrow / 8);
  }
  const Scales expected = equilibrated(a);
  for (const Scales& scales : {scales_of(a, floats), scales_of(a, real_parts), scales_of(a, imaginary_parts),
                               scales_of(a, small_imaginary_parts)}) {
    EXPECT_EQ(scales.row, expected.row);
    EXPECT_EQ(scales.column, expected.column);
  }
}

TEST(Equilibration, FollowsTheIndicesIntoTheValues) {
  const io::GeneralMatrix a = test::random_general(40, 200, 12, 3);
  const io::GeneralMatrix t = test::transposed(a);
  PatternView by_rows = test::pattern_of(t);
  by_rows.compression = Compression::rows;
  Scales scales;
  equilibrate(column_entries(by_rows), t.values.data(), scales);
  const Scales expected = equilibrated(a);
  EXPECT_EQ(scales.row, expected.row);
  EXPECT_EQ(scales.column, expected.column);
}

TEST(Equilibration, AgainTakesNoMemoryAndForgetsTheLastScales) {
  const io::GeneralMatrix a = test::random_general(100, 600, 12, 5);
  const ColumnEntries entries = entries_of(a);
  Scales scales;
  equilibrate(entries, a.values.data(), scales);
  const Scales first = scales;
  std::vector<double> others = a.values;
  for (double& x : others) x = 1 / x;
  equilibrate(entries, others.data(), scales);
  EXPECT_NE(scales.row, first.row);
  const std::size_t before = allocations;
  equilibrate(entries, a.values.data(), scales);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(scales.row, first.row);
  EXPECT_EQ(scales.column, first.column);
}

}  // namespace
}  // namespace gpusupernodal
