#include <gtest/gtest.h>

#include <numeric>

#include "solver/sparse/sparse_apply.hpp"
#include "tests/solver/sparse/sparse_problem.hpp"

namespace gpusupernodal::test::sparse {
namespace {

template <class T>
std::unique_ptr<SparseApply<T>> host_apply_of(const Stored<T>& stored, int threads = 3) {
  ApplyOptions options;
  options.threads = threads;
  auto apply = make_host_apply<T>(make_layout(make_row_pattern(stored.pattern()), {}), options);
  apply->update(stored.values.data(), MemorySpace::host);
  return apply;
}

template <class T>
class HostApply : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(HostApply, Scalars);

TYPED_TEST(HostApply, MultipliesColumns) {
  using T = TypeParam;
  for (const Entries& a : general_matrices()) {
    const auto apply = host_apply_of(store<T>(a));
    constexpr std::int64_t columns = 3;
    const std::vector<T> x = vector_of_size<T>(a.columns * columns, 1), before = vector_of_size<T>(a.rows * columns, 2);
    for (const double beta : {0.0, -0.5}) {
      std::vector<T> y = before;
      apply->multiply(T(2), DenseView<const T>(x.data(), a.columns, columns, a.columns), static_cast<T>(beta),
                      DenseView<T>(y.data(), a.rows, columns, a.rows));
      for (std::int64_t c = 0; c < columns; ++c) {
        const Expected<T> expected(a, 2.0, x.data() + c * a.columns, beta, before.data() + c * a.rows);
        EXPECT_EQ(expected.wrong_row(y.data() + c * a.rows), -1) << a.name;
      }
    }
  }
}

TYPED_TEST(HostApply, SumsDotProductsAlike) {
  using T = TypeParam;
  const Entries a = random_matrix(9000, 9000, 6.0, 4);
  const std::vector<T> x = vector_of_size<T>(a.columns, 1);
  std::vector<double> sums;
  for (const int threads : {1, 3}) {
    const auto apply = host_apply_of(store<T>(a), threads);
    std::vector<T> y(x.size());
    std::vector<double> partials(static_cast<std::size_t>(apply->dot_partials()), -1.0);
    EXPECT_LE(apply->dot_partials(), SparseApply<T>::max_dot_partials);
    apply->multiply_dot(x.data(), y.data(), partials.data());
    EXPECT_EQ(Expected<T>(a, 1.0, x.data(), 0.0, nullptr).wrong_row(y.data()), -1);
    sums.push_back(std::accumulate(partials.begin(), partials.end(), 0.0));
    double expected = 0.0, magnitude = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      expected += static_cast<double>(x[i]) * static_cast<double>(y[i]);
      magnitude += std::abs(static_cast<double>(x[i]) * static_cast<double>(y[i]));
    }
    EXPECT_NEAR(sums.back(), expected, 9000.0 * std::numeric_limits<double>::epsilon() * magnitude);
  }
  EXPECT_EQ(sums[0], sums[1]);
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
