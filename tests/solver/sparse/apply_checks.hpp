#pragma once

/// \file
/// What every SparseApply must do, for tests of all backends.

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "solver/sparse/format_model.hpp"
#include "solver/sparse/sparse_apply.hpp"
#include "tests/solver/sparse/sparse_problem.hpp"

namespace gpusupernodal::test::sparse {

/// Vectors in host memory. Tests of a device have a class with the same members.
template <class T>
class HostMemory {
 public:
  class Array {
   public:
    explicit Array(const std::vector<T>& values) : values_(values) {}
    T* get() { return values_.data(); }
    std::vector<T> host() const { return values_; }

   private:
    std::vector<T> values_;
  };
  class Sums {
   public:
    explicit Sums(std::int32_t count) : values_(static_cast<std::size_t>(count), -1.0) {}
    double* get() { return values_.data(); }
    std::vector<double> host() const { return values_; }

   private:
    std::vector<double> values_;
  };
};

/// Calls visit(layout, kernel) for every layout that the models of both backends offer.
template <class Visit>
void for_each_layout(const RowPattern& pattern, std::int64_t scalar_bytes, const Visit& visit) {
  for (std::size_t f = 1; f < format_names.size(); ++f) {
    for (const LayoutCandidate& candidate :
         layout_candidates(pattern, {static_cast<Format>(f), Backend::cuda, scalar_bytes})) {
      if (!candidate.refusal.empty()) continue;
      const SparseLayout layout = candidate.make();
      EXPECT_EQ(layout.format, candidate.format);
      visit(layout, candidate.kernel);
    }
  }
}

/// Products of one and of several columns, with strides, alpha and beta; y of NaN where beta is 0, x of NaN where alpha is
/// 0.
template <class T, class Memory>
void expect_products(SparseApply<T>& apply, const Entries& a, const Memory&, const std::string& what) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto ld_x = std::max<std::int64_t>(1, a.columns + 3), ld_y = std::max<std::int64_t>(1, a.rows + 5);
  for (const std::int64_t columns : {1, 2, 3, 6, 31}) {
    const std::vector<T> x = vector_of_size<T>(ld_x * columns, 1);
    for (const double beta : {0.0, -0.5}) {
      for (const double alpha : {2.0, 0.0}) {
        std::vector<T> before = vector_of_size<T>(ld_y * columns, 2);
        if (beta == 0.0) before.assign(before.size(), nan);
        typename Memory::Array device_x(alpha == 0.0 ? std::vector<T>(x.size(), nan) : x), device_y(before);
        apply.multiply(static_cast<T>(alpha), DenseView<const T>(device_x.get(), a.columns, columns, ld_x, apply.space()),
                       static_cast<T>(beta), DenseView<T>(device_y.get(), a.rows, columns, ld_y, apply.space()));
        const std::vector<T> y = device_y.host();
        for (std::int64_t c = 0; c < columns; ++c) {
          const Expected<T> expected(a, alpha, x.data() + c * ld_x, beta, before.data() + c * ld_y);
          ASSERT_EQ(expected.wrong_row(y.data() + c * ld_y), -1)
              << what << ", column " << c << " of " << columns << ", alpha " << alpha << ", beta " << beta;
          for (std::int64_t i = a.rows; i < ld_y && c + 1 < columns; ++i) {
            const auto at = static_cast<std::size_t>(c * ld_y + i);
            ASSERT_TRUE(y[at] == before[at] || beta == 0.0) << what << ": a row behind the last was written";
            ASSERT_TRUE(beta != 0.0 || std::isnan(y[at])) << what << ": a row behind the last was written";
          }
        }
      }
    }
  }
  if (a.rows != a.columns) return;
  const std::vector<T> x = vector_of_size<T>(a.columns, 5);
  ASSERT_LE(apply.dot_partials(), SparseApply<T>::max_dot_partials);
  typename Memory::Array device_x(x), device_y(std::vector<T>(x.size(), nan));
  typename Memory::Sums partials(apply.dot_partials());
  apply.multiply_dot(device_x.get(), device_y.get(), partials.get());
  const std::vector<T> y = device_y.host();
  ASSERT_EQ(Expected<T>(a, 1.0, x.data(), 0.0, nullptr).wrong_row(y.data()), -1) << what << ", with dot product";
  double expected = 0.0, magnitude = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    expected += static_cast<double>(x[i]) * static_cast<double>(y[i]);
    magnitude += std::abs(static_cast<double>(x[i]) * static_cast<double>(y[i]));
  }
  const std::vector<double> sums = partials.host();
  const double c_n_eps = static_cast<double>(a.rows + 1) * std::numeric_limits<double>::epsilon();
  ASSERT_NEAR(std::accumulate(sums.begin(), sums.end(), 0.0), expected, c_n_eps * magnitude) << what;
}

}  // namespace gpusupernodal::test::sparse
