#include "gpusupernodal/sparse_operator.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "gpusupernodal/error.hpp"
#include "io/general_matrix.hpp"
#include "io/symmetric_matrix.hpp"
#include "tests/solver/backend/counting_allocator.hpp"
#include "tests/solver/sparse/sparse_problem.hpp"
#include "tests/support/data.hpp"
#include "tests/support/every.hpp"

namespace gpusupernodal::test::sparse {
namespace {

OperatorOptions operator_on_host(Format format = Format::automatic) {
  OperatorOptions options;
  options.backend = Backend::host;
  options.format = format;
  options.transposed = true;
  return options;
}

template <class T>
std::vector<T> product(SparseOperator<T>& a, const std::vector<T>& x, bool transposed = false) {
  std::vector<T> y(static_cast<std::size_t>(transposed ? a.columns() : a.rows()), T(7));
  const DenseView<const T> from(x.data(), static_cast<std::int64_t>(x.size()));
  const DenseView<T> to(y.data(), static_cast<std::int64_t>(y.size()));
  transposed ? a.multiply_transposed(from, to) : a.multiply(from, to);
  return y;
}

template <class T>
class Operators : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Operators, Scalars);

TYPED_TEST(Operators, MultiplyByAAndItsTranspose) {
  using T = TypeParam;
  for (const Entries& a : general_matrices()) {
    const Stored<T> stored = store<T>(a, Compression::columns, StoredPart::full, true);
    for (const Tuning tuning : {Tuning::model, Tuning::measured}) {
      OperatorOptions options = operator_on_host();
      options.tuning = tuning;
      SparseOperator<T> op(options);
      op.analyze(stored.view());
      EXPECT_EQ(op.report().entries, static_cast<std::int64_t>(a.of.size()));
      const std::vector<T> x = vector_of_size<T>(a.columns, 1), z = vector_of_size<T>(a.rows, 2);
      EXPECT_EQ(Expected<T>(a, 1.0, x.data(), 0.0, nullptr).wrong_row(product(op, x).data()), -1) << a.name;
      const Entries t = transposed_entries(a);
      EXPECT_EQ(Expected<T>(t, 1.0, z.data(), 0.0, nullptr).wrong_row(product(op, z, true).data()), -1) << t.name;
    }
  }
}

/// An update gives the bits of an analysis with those values, in every format.
TYPED_TEST(Operators, UpdateIsAnalyzeWithOtherValues) {
  using T = TypeParam;
  const Entries a = blocked(3, 80, 4, 6);
  const Stored<T> first = store<T>(a, Compression::columns, StoredPart::lower);
  Stored<T> second = first;
  second.values = vector_of_size<T>(static_cast<std::int64_t>(first.values.size()), 8);
  const std::vector<T> x = vector_of_size<T>(a.columns, 1);
  for (std::size_t f = 0; f < format_names.size(); ++f) {
    SparseOperator<T> updated(operator_on_host(static_cast<Format>(f))), fresh(operator_on_host(static_cast<Format>(f)));
    if (static_cast<Format>(f) == Format::dia) {
      EXPECT_THROW(updated.analyze(first.view()), InvalidInput);
      continue;
    }
    updated.analyze(first.view());
    updated.update(second.values);
    fresh.analyze(second.view());
    EXPECT_EQ(product(updated, x), product(fresh, x)) << format_names[f];
    EXPECT_EQ(product(updated, x, true), product(fresh, x)) << format_names[f];
    EXPECT_TRUE(f == 0 || updated.report().format == static_cast<Format>(f));
  }
}

/// The matrices of the project, against io's product.
TYPED_TEST(Operators, MultiplyByRealMatrices) {
  using T = TypeParam;
  Thinned cases;
  for (const std::string& path : project_matrices()) {
    if (!cases.takes_next()) continue;
    const io::SymmetricMatrix matrix = io::read_matrix_market(path);
    Entries a{matrix.name, matrix.n, matrix.n, {}};
    for (std::int64_t j = 0; j < matrix.n; ++j) {
      for (auto e = matrix.offsets[static_cast<std::size_t>(j)]; e < matrix.offsets[static_cast<std::size_t>(j) + 1]; ++e) {
        const std::int64_t i = matrix.indices[static_cast<std::size_t>(e)];
        a(i, j) = a(j, i) = matrix.values[static_cast<std::size_t>(e)];
      }
    }
    const std::vector<T> x = vector_of_size<T>(a.columns, 1);
    const Expected<T> expected(a, 1.0, x.data(), 0.0, nullptr);
    for (std::size_t f = 0; f < format_names.size(); ++f) {
      for (const StoredPart part : {StoredPart::full, StoredPart::lower}) {
        SparseOperator<T> op(operator_on_host(static_cast<Format>(f)));
        try {
          op.analyze(store<T>(a, Compression::columns, part).view());
        } catch (const InvalidInput&) {
          EXPECT_TRUE(op.options().format == Format::dia || op.options().format == Format::ell ||
                      op.options().format == Format::block || op.options().format == Format::sell);
          continue;
        }
        EXPECT_EQ(expected.wrong_row(product(op, x).data()), -1) << a.name << " " << op.report().kernel;
      }
    }
  }
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Operator, SaysWhatIsWrong) {
  const Entries a = random_matrix(6, 9, 2.0, 1);
  const Stored<double> stored = store<double>(a);
  OperatorOptions options = operator_on_host();
  options.transposed = false;
  SparseOperator<double> op(options);
  std::vector<double> x(9), y(6), both(20);
  const DenseView<const double> from(x.data(), 9);
  const DenseView<double> to(y.data(), 6);
  EXPECT_EQ(refusal([&] { op.multiply(from, to); }), "multiply needs an analyzed matrix; call analyze first");
  SparseView<double> pattern = stored.view();
  pattern.values = nullptr;
  op.analyze(pattern);
  EXPECT_EQ(refusal([&] { op.multiply(from, to); }), "multiply needs the values of the matrix; call update first");
  EXPECT_EQ(refusal([&] { op.update(both); }),
            "20 values were given, but the analyzed matrix takes " + std::to_string(a.of.size()) + " values");
  op.update(stored.values);
  op.multiply(from, to);
  EXPECT_EQ(refusal([&] { op.multiply(DenseView<const double>(x.data(), 6), to); }),
            "x has 6 rows, but the product needs 9");
  EXPECT_EQ(refusal([&] { op.multiply(from, DenseView<double>(y.data(), 5)); }), "y has 5 rows, but the product needs 6");
  EXPECT_EQ(refusal([&] { op.multiply(from, DenseView<double>(y.data(), 6, 2, 6)); }), "x has 1 columns, but y has 2");
  EXPECT_EQ(refusal([&] { op.multiply(DenseView<const double>(both.data(), 9), DenseView<double>(both.data() + 8, 6)); }),
            "x and y overlap, but a product reads x while it writes y");
  EXPECT_EQ(refusal([&] { op.multiply_transposed(DenseView<const double>(y.data(), 6), DenseView<double>(x.data(), 9)); }),
            "multiply_transposed needs the transposed matrix; set OperatorOptions::transposed before analyze");
  options.format = static_cast<Format>(9);
  EXPECT_EQ(refusal([&] { op.set_options(options); }), "format is 9; it must be 0 to 7");
  options.format = Format::block;
  op.set_options(options);
  const Stored<double> odd = store<double>(random_matrix(35, 35, 2.0, 1));
  EXPECT_EQ(
      refusal([&] { op.analyze(odd.view()); }),
      "the matrix cannot be stored in the format block: no blocks of 2, 3 or 6 divide its rows and columns without more "
      "than tripling the entries");
  EXPECT_EQ(op.rows(), 6) << "the analysis before is kept";
}

/// A diagonal matrix with a far corner would take far more memory as DIA or ELL; they are refused before memory is taken.
TEST(Operator, BoundsPadding) {
  Entries a{"arrow", 20000, 20000, {}};
  for (std::int64_t i = 0; i < a.rows; ++i) a(i, i) = a(0, i) = 1.0;
  const Stored<double> stored = store<double>(a);
  for (const Format format : {Format::dia, Format::ell}) {
    const auto memory = std::make_shared<CountingAllocator>();
    OperatorOptions options = operator_on_host(format);
    options.host_allocator = memory;
    SparseOperator<double> op(options);
    EXPECT_THROW(op.analyze(stored.view()), InvalidInput);
    EXPECT_EQ(memory->requests(), 0);
  }
}

/// Memory is refused at each request in turn: analyze throws OutOfMemory, gives everything back, and keeps what was there.
TEST(Operator, SurvivesRefusedMemory) {
  const Entries a = one_dense_row(400);
  const Stored<double> stored = store<double>(a);
  const std::vector<double> x = vector_of_size<double>(a.columns, 1);
  for (std::size_t f = 0; f < format_names.size(); ++f) {
    const auto format = static_cast<Format>(f);
    if (format == Format::dia || format == Format::ell || format == Format::block || format == Format::sell) continue;
    const auto memory = std::make_shared<CountingAllocator>();
    OperatorOptions options = operator_on_host(format);
    options.host_allocator = memory;
    SparseOperator<double> op(options);
    std::int64_t granted = 0;
    for (;; ++granted) {
      memory->refuse_after(memory->requests() + granted);
      try {
        op.analyze(stored.view());
        break;
      } catch (const OutOfMemory& error) {
        EXPECT_GT(error.bytes_needed(), 0);
        EXPECT_EQ(memory->alive(), 0);
        EXPECT_FALSE(op.is_analyzed());
      }
    }
    EXPECT_GE(granted, 2) << format_names[f];
    const std::vector<double> before = product(op, x);
    memory->refuse_after(memory->requests());
    EXPECT_THROW(op.analyze(stored.view()), OutOfMemory);
    EXPECT_EQ(product(op, x), before);
  }
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
