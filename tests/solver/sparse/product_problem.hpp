#pragma once

/// \file
/// Products of sparse matrices in long double, and checks of what a SparseProduct or NormalEquations computes. The tests of
/// both backends use them.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpusupernodal/sparse_product.hpp"
#include "tests/solver/sparse/sparse_problem.hpp"

namespace gpusupernodal::test::sparse {

inline ProductOptions product_on_host(int threads = 2, std::shared_ptr<Allocator> memory = nullptr) {
  ProductOptions options;
  options.backend = Backend::host;
  options.threads = threads;
  options.host_allocator = std::move(memory);
  return options;
}

/// A result on the host.
template <class T>
struct Computed {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> indices;
  std::vector<T> values;

  SparseView<T> view() const {
    SparseView<T> v;
    v.rows = rows;
    v.columns = columns;
    v.offsets = offsets.data();
    v.indices = indices.data();
    v.values = values.data();
    return v;
  }
  friend bool operator==(const Computed& x, const Computed& y) {
    return x.offsets == y.offsets && x.indices == y.indices && x.values == y.values;
  }
};

/// The result of a SparseProduct or a GalerkinProduct.
template <template <class> class Product, class T>
Computed<T> result_of(const Product<T>& product) {
  Computed<T> c;
  c.rows = product.rows();
  c.columns = product.columns();
  c.offsets.resize(static_cast<std::size_t>(c.rows) + 1);
  c.indices.resize(static_cast<std::size_t>(product.report().entries));
  c.values.resize(c.indices.size());
  product.copy_pattern(c.offsets, c.indices);
  product.copy_values(c.values);
  return c;
}

/// A·B of one analysis and one computation.
template <class T>
Computed<T> multiplied(SparseProduct<T>& product, const SparseView<T>& a, std::size_t a_count, const SparseView<T>& b,
                       std::size_t b_count) {
  product.analyze(a, b);
  product.compute({a.values, a_count}, {b.values, b_count});
  return result_of(product);
}

/// Entries of A·D·B, with the sum of magnitudes and the number of products of each.
struct LongProduct {
  struct Sum {
    long double value = 0.0L;
    long double magnitude = 0.0L;
    double products = 0.0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Sum> of;

  template <class T>
  static LongProduct make(const Entries& a, const Entries& b, const std::vector<T>* d, T) {
    std::vector<std::vector<std::pair<std::int64_t, double>>> rows(static_cast<std::size_t>(b.rows));
    for (const auto& [place, value] : b.of) rows[static_cast<std::size_t>(place.first)].emplace_back(place.second, value);
    LongProduct product;
    for (const auto& [place, value] : a.of) {
      const auto k = static_cast<std::size_t>(place.second);
      const long double weight = d != nullptr ? static_cast<long double>((*d)[k]) : 1.0L;
      for (const auto& [j, other] : rows[k]) {
        Sum& sum = product.of[{place.first, j}];
        const long double term =
            static_cast<long double>(static_cast<T>(value)) * weight * static_cast<long double>(static_cast<T>(other));
        sum.value += term;
        sum.magnitude += std::abs(term);
        sum.products += 1.0;
      }
    }
    return product;
  }

  /// What differs from the pattern, or is off by more than c·(products + 2)·eps·Σ|a·d·b| [Higham02 §3.1]; empty if nothing.
  template <class T>
  std::string difference(const Computed<T>& c) const {
    constexpr long double bound = 2.0L;
    if (static_cast<std::int64_t>(of.size()) != c.offsets.back())
      return "has " + std::to_string(c.offsets.back()) + " entries";
    auto next = of.begin();
    for (std::int64_t i = 0; i < c.rows; ++i) {
      for (std::int64_t e = c.offsets[static_cast<std::size_t>(i)]; e < c.offsets[static_cast<std::size_t>(i) + 1];
           ++e, ++next) {
        const std::pair<std::int64_t, std::int64_t> place{i, c.indices[static_cast<std::size_t>(e)]};
        const std::string where = std::to_string(place.first) + ", " + std::to_string(place.second);
        if (place != next->first) return "has an entry at " + where;
        const Sum& sum = next->second;
        const long double off = std::abs(static_cast<long double>(c.values[static_cast<std::size_t>(e)]) - sum.value);
        const auto eps = static_cast<long double>(std::numeric_limits<T>::epsilon());
        if (!(off <= bound * (static_cast<long double>(sum.products) + 2.0L) * eps * sum.magnitude))
          return "is wrong at " + where;
      }
    }
    return "";
  }
};

/// A·Aᵀ and, for square A, A·A and Aᵀ·A of all kinds of matrices, stored in all ways.
template <class T>
void expect_products(const ProductOptions& options, std::size_t step = 1) {
  const std::vector<Entries> all = general_matrices();
  for (std::size_t k = 0; k < all.size(); k += step) {
    const Entries& a = all[k];
    const Entries t = transposed_entries(a);
    SparseProduct<T> product(options);
    const LongProduct aat = LongProduct::make(a, t, static_cast<const std::vector<T>*>(nullptr), T());
    for (const Compression compression : {Compression::rows, Compression::columns}) {
      for (const bool shuffled : {false, true}) {
        const Stored<T> stored = store<T>(a, compression, StoredPart::full, shuffled);
        const std::size_t n = stored.values.size();
        EXPECT_EQ(aat.difference(multiplied(product, stored.view(), n, transposed(stored.view()), n)), "") << a.name;
        if (a.rows != a.columns || shuffled) continue;
        const LongProduct aa = LongProduct::make(a, a, static_cast<const std::vector<T>*>(nullptr), T());
        const LongProduct ata = LongProduct::make(t, a, static_cast<const std::vector<T>*>(nullptr), T());
        EXPECT_EQ(aa.difference(multiplied(product, stored.view(), n, stored.view(), n)), "") << a.name;
        EXPECT_EQ(ata.difference(multiplied(product, transposed(stored.view()), n, stored.view(), n)), "") << a.name;
      }
    }
  }
}

/// Halves of symmetric matrices mean the whole.
template <class T>
void expect_symmetric_products(const ProductOptions& options) {
  for (const Entries& a : symmetric_matrices()) {
    const LongProduct aa = LongProduct::make(a, a, static_cast<const std::vector<T>*>(nullptr), T());
    for (const StoredPart part : {StoredPart::lower, StoredPart::upper}) {
      const Stored<T> half = store<T>(a, Compression::columns, part), whole = store<T>(a);
      SparseProduct<T> product(options);
      EXPECT_EQ(aa.difference(multiplied(product, half.view(), half.values.size(), whole.view(), whole.values.size())), "")
          << a.name;
    }
  }
}

/// Blocks are found where there are some, and products of blocks are those of entries.
template <class T>
void expect_blocks(const ProductOptions& options) {
  for (const std::int64_t b : {2, 3, 6}) {
    Entries a = blocked(b, 90, 5, 17);
    const Stored<T> stored = store<T>(a);
    SparseProduct<T> product(options);
    static_cast<void>(multiplied(product, stored.view(), stored.values.size(), stored.view(), stored.values.size()));
    EXPECT_EQ(product.report().block, b);
    EXPECT_TRUE(product.report().has_places);
    a.of.erase(a.of.begin());  // An entry of a block is missing.
    const Stored<T> other = store<T>(a);
    EXPECT_EQ(LongProduct::make(a, a, static_cast<const std::vector<T>*>(nullptr), T())
                  .difference(multiplied(product, other.view(), other.values.size(), other.view(), other.values.size())),
              "");
    EXPECT_EQ(product.report().block, 1);
  }
}

/// New values give what a new product gives, bit for bit, and equal values give equal bits.
template <class T>
void expect_repeated_products(const ProductOptions& options) {
  for (const Entries& a : {one_dense_row(1500), blocked(3, 200, 4, 6), random_matrix(700, 700, 30.0, 1)}) {
    const Stored<T> stored = store<T>(a, Compression::rows, StoredPart::full, true);
    const auto other = vector_of_size<T>(static_cast<std::int64_t>(stored.values.size()), 8);
    SparseProduct<T> product(options), fresh(options);
    const Computed<T> first = multiplied(product, stored.view(), stored.values.size(), stored.view(), stored.values.size());
    product.compute(other, stored.values);
    fresh.analyze(stored.view(), stored.view());
    fresh.compute(other, stored.values);
    EXPECT_EQ(result_of(product), result_of(fresh)) << a.name;
    product.compute(stored.values, stored.values);
    EXPECT_EQ(result_of(product), first) << a.name;
  }
}

/// (A·B)x = A(Bx), and (A·B)·C = A·(B·C), up to the bounds of their sums.
template <class T>
void expect_laws(const ProductOptions& options) {
  const Entries a = random_matrix(300, 500, 9.0, 1), b = random_matrix(500, 400, 7.0, 2),
                c = random_matrix(400, 350, 8.0, 3);
  const Stored<T> sa = store<T>(a), sb = store<T>(b), sc = store<T>(c);
  SparseProduct<T> ab(options), bc(options), left(options), right(options);
  const Computed<T> p = multiplied(ab, sa.view(), sa.values.size(), sb.view(), sb.values.size());
  const Computed<T> q = multiplied(bc, sb.view(), sb.values.size(), sc.view(), sc.values.size());
  const Computed<T> one = multiplied(left, p.view(), p.values.size(), sc.view(), sc.values.size());
  const Computed<T> two = multiplied(right, sa.view(), sa.values.size(), q.view(), q.values.size());
  ASSERT_EQ(one.offsets, two.offsets);
  ASSERT_EQ(one.indices, two.indices);
  // |A|·|B|·|C| bounds each sum; a row of A has at most `longest` entries, and so has a row of B.
  Entries ma = a, mb = b;
  for (auto& entry : ma.of) entry.second = std::abs(entry.second);
  for (auto& entry : mb.of) entry.second = std::abs(entry.second);
  const LongProduct mab = LongProduct::make(ma, mb, static_cast<const std::vector<T>*>(nullptr), T());
  Entries first{"|A||B|", 300, 400, {}}, mc = c;
  for (const auto& [place, sum] : mab.of) first(place.first, place.second) = static_cast<double>(sum.value);
  for (auto& entry : mc.of) entry.second = std::abs(entry.second);
  const LongProduct all = LongProduct::make(first, mc, static_cast<const std::vector<double>*>(nullptr), 0.0);
  constexpr double products = 60.0;  // In a chain of two sums of the rows above.
  auto next = all.of.begin();
  for (std::size_t e = 0; e < one.values.size(); ++e, ++next) {
    const double bound = 4.0 * products * std::numeric_limits<T>::epsilon() * static_cast<double>(next->second.value);
    EXPECT_LE(std::abs(static_cast<double>(one.values[e]) - static_cast<double>(two.values[e])), bound);
  }
  const std::vector<T> x = vector_of_size<T>(400, 4);
  std::vector<double> bx(500, 0.0), abx(300, 0.0), size_bx(500, 0.0), size(300, 0.0);
  for (const auto& [place, value] : b.of) {
    const auto i = static_cast<std::size_t>(place.first), j = static_cast<std::size_t>(place.second);
    bx[i] += static_cast<double>(static_cast<T>(value)) * static_cast<double>(x[j]);
    size_bx[i] += std::abs(value * static_cast<double>(x[j]));
  }
  for (const auto& [place, value] : a.of) {
    const auto i = static_cast<std::size_t>(place.first), j = static_cast<std::size_t>(place.second);
    abx[i] += static_cast<double>(static_cast<T>(value)) * bx[j];
    size[i] += std::abs(value) * size_bx[j];
  }
  for (std::size_t i = 0; i < 300; ++i) {
    double sum = 0.0;
    for (auto e = static_cast<std::size_t>(p.offsets[i]); e < static_cast<std::size_t>(p.offsets[i + 1]); ++e)
      sum += static_cast<double>(p.values[e]) * static_cast<double>(x[static_cast<std::size_t>(p.indices[e])]);
    EXPECT_LE(std::abs(sum - abx[i]), 4.0 * products * std::numeric_limits<T>::epsilon() * size[i]);
  }
}

/// Dense matrices of prime order: more than 2³¹ products, which are looked up, in rows that are cut into parts.
template <class T>
void expect_many_products(const ProductOptions& options) {
  constexpr std::int64_t n = 1301;
  Stored<T> a;
  a.shape.rows = a.shape.columns = n;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      a.indices.push_back(static_cast<std::int32_t>(j));
      a.values.push_back(static_cast<T>(i % 3 - 1) * static_cast<T>(j % 5 - 2));
    }
    a.offsets.push_back(static_cast<std::int64_t>(a.indices.size()));
  }
  SparseProduct<T> product(options);
  const Computed<T> c = multiplied(product, a.view(), a.values.size(), a.view(), a.values.size());
  EXPECT_EQ(product.report().products, n * n * n);
  EXPECT_GT(product.report().products, std::int64_t{std::numeric_limits<std::int32_t>::max()});
  EXPECT_FALSE(product.report().has_places);
  double middle = 0.0;  // Σ (j mod 5 − 2)(j mod 3 − 1), small integers: exact.
  for (std::int64_t j = 0; j < n; ++j) middle += static_cast<double>((j % 5 - 2) * (j % 3 - 1));
  for (std::int64_t i = 0; i < n; i += 13) {
    for (std::int64_t j = 0; j < n; ++j) {
      ASSERT_EQ(static_cast<double>(c.values[static_cast<std::size_t>(i * n + j)]),
                static_cast<double>(i % 3 - 1) * middle * static_cast<double>(j % 5 - 2));
    }
  }
}

/// The lower half of A·D·Aᵀ + δI as entries.
template <class T>
Computed<T> lower_of(const NormalEquations<T>& normal, const std::vector<T>& values) {
  const MatrixView<T> m = normal.matrix();
  Computed<T> c;
  c.rows = c.columns = m.n;
  for (std::int64_t i = 0; i <= m.n; ++i) c.offsets.push_back(m.offsets[i]);
  for (std::int64_t e = 0; e < m.offsets[m.n]; ++e) c.indices.push_back(static_cast<std::int32_t>(m.indices[e]));
  c.values = values;
  return c;
}

template <class T>
std::string normal_difference(const Entries& a, const std::vector<T>& d, T shift, const Computed<T>& c) {
  LongProduct product = LongProduct::make(a, transposed_entries(a), &d, T());
  for (auto next = product.of.begin(); next != product.of.end();)
    next = next->first.second > next->first.first ? product.of.erase(next) : std::next(next);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    LongProduct::Sum& sum = product.of[{i, i}];
    sum.value += static_cast<long double>(shift);
    sum.magnitude += std::abs(static_cast<long double>(shift));
    sum.products += 1.0;
  }
  return product.difference(c);
}

/// Matrices as of linear programs: some columns alone, some rows empty, one row or column long.
inline std::vector<Entries> constraint_matrices() {
  std::vector<Entries> all = general_matrices();
  Entries program = random_matrix(150, 400, 6.0, 12);
  program.name = "a linear program";
  for (std::int64_t i = 0; i < 150; ++i) program(i, 250 + i) = 1.0;
  for (std::int64_t i = 0; i < 150; i += 2) program(i, 3) = 0.5;
  all.push_back(program);
  return all;
}

}  // namespace gpusupernodal::test::sparse
