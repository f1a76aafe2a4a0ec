/// \file
/// Products with complex matrices: against plain sums, laws of adjoints, halves and their expansions, refusals.

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/sparse_operator.hpp"
#include "tests/solver/sparse/complex_problem.hpp"
#include "tests/support/every.hpp"

namespace gpusupernodal::test::sparse {
namespace {

OperatorOptions on_host(Format format = Format::automatic) {
  OperatorOptions options;
  options.backend = Backend::host;
  options.format = format;
  options.transposed = true;
  return options;
}

template <class T>
void apply(SparseOperator<T>& op, Op which, const DenseView<const T>& x, const DenseView<T>& y, T alpha, T beta) {
  if (which == Op::plain) op.multiply(x, y, alpha, beta);
  if (which == Op::transposed) op.multiply_transposed(x, y, alpha, beta);
  if (which == Op::adjoint) op.multiply_adjoint(x, y, alpha, beta);
}

/// Compares products of two columns with op(A), with and without y.
template <class T>
void expect_products(SparseOperator<T>& op, const Matrix& a, const std::string& name) {
  for (const Op which : {Op::plain, Op::transposed, Op::adjoint}) {
    const Matrix b = a.changed(which);
    const std::vector<T> x = numbers<T>(2 * b.columns, 1), before = numbers<T>(2 * b.rows, 2);
    for (const T beta : {T(0), T(-0.5F, 2.0F)}) {
      const T alpha(0.75F, -1.5F);
      std::vector<T> y = before;
      const std::int64_t ld_x = std::max<std::int64_t>(b.columns, 1), ld_y = std::max<std::int64_t>(b.rows, 1);
      apply(op, which, DenseView<const T>(x.data(), b.columns, 2, ld_x), DenseView<T>(y.data(), b.rows, 2, ld_y), alpha,
            beta);
      for (const std::int64_t c : {0, 1}) {
        EXPECT_TRUE(is_product(b, x.data() + c * b.columns, alpha, before.data() + c * b.rows, beta, y.data() + c * b.rows))
            << name << ", operation " << static_cast<int>(which) << ", column " << c;
      }
    }
  }
}

template <class T>
class ComplexOperators : public ::testing::Test {};
using ComplexScalars = ::testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ComplexOperators, ComplexScalars);

TYPED_TEST(ComplexOperators, MultiplyInEveryFormat) {
  using T = TypeParam;
  Thinned cases;
  for (const Entries& entries : general_matrices()) {
    if (!cases.takes_next()) continue;
    const Matrix a(entries);
    const Arrays<T> stored(a, StoredPart::full, Compression::columns);
    for (std::size_t f = 0; f < format_names.size(); ++f) {
      const auto format = static_cast<Format>(f);
      SparseOperator<T> op(on_host(format));
      try {
        op.analyze(stored.view());
      } catch (const InvalidInput& refusal) {  // Too much padding.
        EXPECT_TRUE(format != Format::automatic && format != Format::csr && format != Format::coo) << refusal.what();
        continue;
      }
      expect_products(op, a, entries.name + " as " + format_names[f]);
    }
  }
}

/// All products with one half of `a`, and equal bits of those with all entries, except where `dia` adds in another order.
template <class T>
void expect_half_is_expansion(const Matrix& a, Symmetry symmetry, const SparseView<T>& view, Format format) {
  OperatorOptions options = on_host(format);
  options.transposed = false;
  options.symmetry = symmetry;
  SparseOperator<T> half(options), full(on_host(format));
  half.analyze(view);
  full.analyze(Arrays<T>(a).view());
  EXPECT_EQ(half.report().entries, full.report().entries);
  expect_products(half, a, name_of(format));
  const std::vector<T> x = numbers<T>(a.columns, 5);
  std::vector<T> y(x.size()), z(x.size());
  half.multiply(DenseView<const T>(x.data(), a.columns), DenseView<T>(y.data(), a.rows));
  full.multiply(DenseView<const T>(x.data(), a.columns), DenseView<T>(z.data(), a.rows));
  if (format != Format::dia) {
    EXPECT_EQ(y, z) << name_of(format);
  }
}

TYPED_TEST(ComplexOperators, HalvesAreTheirExpansions) {
  using T = TypeParam;
  for (const Symmetry symmetry : {Symmetry::hermitian, Symmetry::symmetric}) {
    for (const Entries& entries : {random_matrix(300, 300, 2.0, 8), banded(300, 300, {-30, 0, 1})}) {
      const Matrix a = mirrored(entries, symmetry);
      const bool is_banded = entries.name.find("banded") == 0;
      for (const StoredPart part : {StoredPart::lower, StoredPart::upper}) {
        for (const Compression compression : {Compression::rows, Compression::columns}) {
          const Arrays<T> stored(a, part, compression);
          for (const Format format : {Format::csr, Format::sell, Format::coo, Format::dia}) {
            if (format == Format::dia && !is_banded) continue;  // Too many diagonals.
            expect_half_is_expansion<T>(a, symmetry, stored.view(), format);
          }
        }
      }
    }
  }
}

/// ⟨A x, y⟩ = ⟨x, Aᴴ y⟩ up to 8·n·eps·Σ|yᵢ||aᵢⱼ||xⱼ|.
TYPED_TEST(ComplexOperators, AdjointsSatisfyTheirLaw) {
  using T = TypeParam;
  const Matrix a(random_matrix(700, 90, 12.0, 1));
  SparseOperator<T> op(on_host());
  op.analyze(Arrays<T>(a).view());
  const std::vector<T> x = numbers<T>(a.columns, 1), y = numbers<T>(a.rows, 2);
  std::vector<T> ax(y.size()), ay(x.size());
  op.multiply(DenseView<const T>(x.data(), a.columns), DenseView<T>(ax.data(), a.rows));
  op.multiply_adjoint(DenseView<const T>(y.data(), a.rows), DenseView<T>(ay.data(), a.columns));
  Wide left = 0.0, right = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) left += std::conj(Wide(y[i])) * Wide(ax[i]);
  for (std::size_t j = 0; j < x.size(); ++j) right += std::conj(Wide(ay[j])) * Wide(x[j]);
  for (const auto& [place, value] : a.of)
    size +=
        std::abs(Wide(y[static_cast<std::size_t>(place.first)]) * value * Wide(x[static_cast<std::size_t>(place.second)]));
  EXPECT_LE(std::abs(left - right), 8.0 * 700 * std::numeric_limits<typename T::value_type>::epsilon() * size);
}

TYPED_TEST(ComplexOperators, TriplesAreSummedBeforeTheyAreMirrored) {
  using T = TypeParam;
  const std::vector<std::int32_t> rows{2, 0, 2, 1, 2, 0}, columns{0, 0, 0, 1, 1, 0};
  const std::vector<T> values{T(1, 2), T(3, 1), T(1, -1), T(2, 0), T(0, 5), T(1, -1)};  // The diagonal's sums are real.
  SparseTriples<T> triples;
  triples.rows = triples.columns = 3;
  triples.count = 6;
  triples.row_indices = rows.data();
  triples.column_indices = columns.data();
  triples.values = values.data();
  triples.part = StoredPart::lower;
  SparseOperator<T> op(on_host());
  op.analyze(triples);
  Matrix a(Entries{"", 3, 3, {}});
  a.of = {{{0, 0}, 4.0},         {{1, 1}, 2.0},        {{2, 0}, {2.0, 1.0}},
          {{0, 2}, {2.0, -1.0}}, {{2, 1}, {0.0, 5.0}}, {{1, 2}, {0.0, -5.0}}};
  expect_products(op, a, "triples");
  op.update(values);
  expect_products(op, a, "updated triples");
}

TYPED_TEST(ComplexOperators, UpdatesAreAnalysesWithOtherValues) {
  using T = TypeParam;
  Matrix a = mirrored(random_matrix(200, 200, 2.0, 8), Symmetry::hermitian);
  SparseOperator<T> op(on_host());
  op.analyze(Arrays<T>(a, StoredPart::lower).view());
  for (auto& [place, value] : a.of) value *= 3.0;
  const Arrays<T> other(a, StoredPart::lower);
  op.update(other.values);
  expect_products(op, a, "update");
}

template <class Error, class Call>
void expect_error(const Call& call, const std::string& part) {
  try {
    call();
    FAIL() << "nothing was thrown; expected '" << part << "'";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(ComplexOperator, RefusesADiagonalThatIsNotReal) {
  using T = std::complex<double>;
  Matrix a = mirrored(random_matrix(40, 40, 2.0, 8), Symmetry::hermitian);
  for (std::int64_t i = 0; i < 40; ++i) a.of[{i, i}] = 2.0;
  SparseOperator<T> op(on_host());
  op.analyze(Arrays<T>(a, StoredPart::upper).view());
  Matrix wrong = a;
  wrong.of[{17, 17}] = {2.0, 1e-3};
  const Arrays<T> values(wrong, StoredPart::upper);
  expect_error<InvalidInput>([&] { op.update(values.values); }, "the diagonal entry of row 17 (counted from 0)");
  expect_error<InvalidInput>([&] { op.analyze(values.view()); }, "set the option symmetry to symmetric");
  expect_products(op, a, "after refusals");
  OperatorOptions symmetric = on_host();
  symmetric.symmetry = Symmetry::symmetric;
  SparseOperator<T>(symmetric).analyze(values.view());
}

TEST(ComplexOperator, RunsOnTheHostOnly) {
  using T = std::complex<double>;
  const Arrays<T> a(mirrored(random_matrix(10, 10, 2.0, 8), Symmetry::hermitian));
  OperatorOptions options;
  SparseOperator<T> op(options);
  op.analyze(a.view());
  EXPECT_EQ(op.report().backend, Backend::host);
  options.backend = Backend::cuda;
  op.set_options(options);
  expect_error<BackendUnavailable>([&] { op.analyze(a.view()); }, "products with complex matrices run on the host only");
  std::vector<T> x(10), y(10);
  expect_error<InvalidState>([&] { op.multiply_adjoint(DenseView<const T>(x.data(), 10), DenseView<T>(y.data(), 10)); },
                             "multiply_adjoint needs the transposed matrix; set OperatorOptions::transposed before analyze");
}

TEST(RealOperator, HasItsTransposeAsAdjoint) {
  const Entries a = random_matrix(70, 40, 3.0, 4);
  SparseOperator<double> op(on_host());
  op.analyze(store<double>(a).view());
  const std::vector<double> x(70, 0.5);
  std::vector<double> y(40), z(40);
  op.multiply_transposed(DenseView<const double>(x.data(), 70), DenseView<double>(y.data(), 40));
  op.multiply_adjoint(DenseView<const double>(x.data(), 70), DenseView<double>(z.data(), 40));
  EXPECT_EQ(y, z);
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
