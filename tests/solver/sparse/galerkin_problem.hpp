#pragma once

/// \file
/// Problems for GalerkinProduct, and their products in long double. The tests of both backends use them.

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "gpusupernodal/galerkin_product.hpp"
#include "tests/solver/sparse/product_problem.hpp"

namespace gpusupernodal::test::sparse {

/// Square matrices with prolongations of their height: with empty rows and columns, wider than high, of blocks.
inline std::vector<std::pair<Entries, Entries>> galerkin_problems() {
  Entries aggregates{"aggregates", 300, 100, {}};
  for (std::int64_t i = 0; i < 300; ++i) aggregates(i, i / 3) = 1.0 + static_cast<double>(i % 4);
  return {{random_matrix(120, 120, 5.0, 1), random_matrix(120, 31, 2.0, 2)},
          {random_matrix(120, 120, 5.0, 1), random_matrix(120, 200, 2.0, 3)},
          {banded(300, 300, {-17, -1, 0, 1, 17}), aggregates},
          {blocked(3, 40, 3, 4), blocked(3, 40, 2, 5)},
          {one_dense_row(200), one_dense_row(200)},
          {random_matrix(50, 50, 3.0, 6), Entries{"no columns", 50, 0, {}}},
          {random_matrix(50, 50, 3.0, 6), Entries{"empty", 50, 7, {}}},
          {Entries{"0 by 0", 0, 0, {}}, Entries{"0 by 5", 0, 5, {}}}};
}

/// Pᵀ·A·P in long double. Each of its sums counts as one of all products that it is made of.
template <class T>
LongProduct long_galerkin(const Entries& a, const Entries& p) {
  const std::vector<T>* const none = nullptr;
  const LongProduct ap = LongProduct::make(a, p, none, T());
  LongProduct c;
  for (const auto& [place, weight] : p.of) {
    const auto row = ap.of.lower_bound({place.first, 0});
    for (auto next = row; next != ap.of.end() && next->first.first == place.first; ++next) {
      LongProduct::Sum& sum = c.of[{place.second, next->first.second}];
      const auto factor = static_cast<long double>(static_cast<T>(weight));
      sum.value += factor * next->second.value;
      sum.magnitude += std::abs(factor) * next->second.magnitude;
      sum.products += next->second.products + 1.0;
    }
  }
  return c;
}

/// Products of all problems, with matrices stored in all ways.
template <class T>
void expect_galerkin_products(const ProductOptions& options) {
  for (const auto& [a, p] : galerkin_problems()) {
    SCOPED_TRACE(a.name + ", " + p.name);
    const LongProduct expected = long_galerkin<T>(a, p);
    for (const Compression compression : {Compression::rows, Compression::columns}) {
      for (const bool shuffled : {false, true}) {
        const Stored<T> sa = store<T>(a, compression, StoredPart::full, shuffled);
        const Stored<T> sp = store<T>(p, compression, StoredPart::full, shuffled);
        GalerkinProduct<T> product(options);
        product.analyze(sa.view(), sp.view());
        product.compute(sa.values, sp.values);
        EXPECT_EQ(expected.difference(result_of(product)), "");
        EXPECT_EQ(product.result().rows, p.columns);
        EXPECT_EQ(product.result().columns, p.columns);
      }
    }
  }
}

}  // namespace gpusupernodal::test::sparse
