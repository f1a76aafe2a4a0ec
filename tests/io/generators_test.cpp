#include "io/generators.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "io/residual.hpp"

namespace gpusupernodal::io {
namespace {

using Wave = std::function<double(const std::array<double, 3>&)>;

/// sin(θx (i+1)) sin(θy (j+1)) sin(θz (k+1)) with θ = π p / (N+1): an eigenvector of all scalar stencils with zero
/// outside the grid.
std::vector<double> wave(int size, int depth, const std::array<double, 3>& theta) {
  std::vector<double> v;
  for (int z = 0; z < depth; ++z) {
    for (int y = 0; y < size; ++y) {
      for (int x = 0; x < size; ++x) {
        v.push_back(std::sin(theta[0] * (x + 1)) * std::sin(theta[1] * (y + 1)) *
                    (depth > 1 ? std::sin(theta[2] * (z + 1)) : 1));
      }
    }
  }
  return v;
}

/// The product and λv each have rounding errors of a few times stencil·eps relative to the entries, which are at most
/// 1.
constexpr double wave_tolerance = 4 * 27 * 27 * std::numeric_limits<double>::epsilon();

void expect_eigenvector(const SymmetricMatrix& a, int size, int depth, const Wave& eigenvalue) {
  const double unit = std::numbers::pi / (size + 1);
  for (const std::array<double, 3>& p : {std::array<double, 3>{1, 1, 1}, {2, 3, 1}, {4, 1, 3}}) {
    const std::array<double, 3> theta{p[0] * unit, p[1] * unit, p[2] * unit};
    const std::vector<double> v = wave(size, depth, theta);
    const std::vector<double> product = multiply(a, v);
    ASSERT_EQ(product.size(), v.size());
    for (std::size_t k = 0; k < v.size(); ++k) EXPECT_NEAR(product[k], eigenvalue(theta) * v[k], wave_tolerance);
  }
}

TEST(Generators, Lap2dHasTheEigenvaluesOfTheFivePointStencil) {
  expect_eigenvector(generate("lap2d:7"), 7, 1, [](const auto& t) { return 4 - 2 * std::cos(t[0]) - 2 * std::cos(t[1]); });
}

TEST(Generators, Lap3dHasTheEigenvaluesOfTheSevenPointStencil) {
  expect_eigenvector(generate("lap3d:5"), 5, 5,
                     [](const auto& t) { return 6 - 2 * std::cos(t[0]) - 2 * std::cos(t[1]) - 2 * std::cos(t[2]); });
}

TEST(Generators, Lap27HasTheEigenvaluesOfThe27PointStencil) {
  expect_eigenvector(generate("lap27:5"), 5, 5, [](const auto& t) {
    return 27 - (1 + 2 * std::cos(t[0])) * (1 + 2 * std::cos(t[1])) * (1 + 2 * std::cos(t[2]));
  });
}

/// Number of entries in the lower triangle, from nodes, pairs of neighbours and unknowns per node.
std::int64_t lower_entries(std::int64_t nodes, std::int64_t pairs, std::int64_t unknowns) {
  return nodes * unknowns * (unknowns + 1) / 2 + pairs * unknowns * unknowns;
}

TEST(Generators, OrderAndEntriesAreThoseOfTheGrid) {
  for (const std::int64_t n : {1, 2, 3, 6}) {
    const std::int64_t n2 = n * n;
    const std::int64_t n3 = n2 * n;
    const std::int64_t m = 3 * n - 2;  // Entries of a tridiagonal matrix; a box stencil is its Kronecker power.
    const std::string size = std::to_string(n);
    const auto check = [&](const std::string& name, std::int64_t nodes, std::int64_t pairs, std::int64_t unknowns) {
      const SymmetricMatrix a = generate(name + ":" + size);
      EXPECT_EQ(a.n, nodes * unknowns) << a.name;
      EXPECT_EQ(static_cast<std::int64_t>(a.indices.size()), lower_entries(nodes, pairs, unknowns)) << a.name;
      EXPECT_EQ(a.offsets.back(), static_cast<std::int64_t>(a.values.size())) << a.name;
    };
    check("lap2d", n2, 2 * n * (n - 1), 1);
    check("lap3d", n3, 3 * n2 * (n - 1), 1);
    check("lap27", n3, (m * m * m - n3) / 2, 1);
    check("elas", n3, (m * m * m - n3) / 2, 3);
    check("shell", n2, (m * m - n2) / 2, 6);
  }
}

class GeneratedMatrix : public testing::TestWithParam<const char*> {};

TEST_P(GeneratedMatrix, ColumnsBeginWithTheDiagonalAndAscend) {
  const SymmetricMatrix a = generate(GetParam());
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.n); ++j) {
    const auto begin = static_cast<std::size_t>(a.offsets[j]);
    ASSERT_EQ(a.indices[begin], static_cast<std::int32_t>(j));
    for (std::size_t k = begin + 1; k < static_cast<std::size_t>(a.offsets[j + 1]); ++k) {
      ASSERT_LT(a.indices[k - 1], a.indices[k]);
      ASSERT_NE(a.values[k], 0.0);
    }
    ASSERT_LT(a.indices[static_cast<std::size_t>(a.offsets[j + 1]) - 1], a.n);
  }
}

TEST_P(GeneratedMatrix, IsPositiveDefinite) {
  const SymmetricMatrix a = generate(GetParam());
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(a.n, a.n);
  for (std::int64_t j = 0; j < a.n; ++j) {
    for (auto k = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j)]);
         k < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(j) + 1]); ++k) {
      dense(a.indices[k], j) = a.values[k];
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(dense, Eigen::EigenvaluesOnly);
  EXPECT_GT(eigen.eigenvalues().minCoeff(), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, GeneratedMatrix,
                         testing::Values("lap2d:1", "lap2d:8", "lap3d:4", "lap27:4", "elas:1", "elas:3", "shell:1",
                                         "shell:5"));

TEST(Generators, ElasticityMapsTranslationsToZeroForces) {
  const int size = 5;
  const SymmetricMatrix a = generate("elas:5");
  const std::vector<double> force = multiply(a, std::vector<double>(static_cast<std::size_t>(a.n), 1.0));
  // Rounding of sums of 81 products below 30.
  constexpr double tolerance = 81 * 30 * std::numeric_limits<double>::epsilon();
  const std::size_t inner = 3 * ((2 * size + 2) * size + 2);  // Offset of the middle node's unknowns.
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(force[inner + c], 0.0, tolerance);
  EXPECT_GT(std::abs(force[0]), 1.0);
}

TEST(Generators, WrongNamesAndSizesAreRefused) {
  for (const char* spec : {"lap4d:3", "lap3d", "lap3d:", "lap3d:x", "lap3d:0", "lap3d:-2", "lap3d:3.5", "lap3d:3 ", ":3",
                           "lap3d:1291", "lap2d:46341", "elas:895", "shell:18919", "lap3d:99999999999999999999"}) {
    EXPECT_THROW(generate(spec), InvalidInput) << spec;
  }
}

TEST(Generators, LoadTellsGeneratorsFromFiles) {
  EXPECT_TRUE(is_generator("lap3d:x"));
  EXPECT_FALSE(is_generator("lap3d.mtx"));
  EXPECT_FALSE(is_generator("folder:lap3d"));
  EXPECT_EQ(load("lap2d:2").n, 4);
  EXPECT_THROW(load("lap2d"), FileError);
}

}  // namespace
}  // namespace gpusupernodal::io
