/// Products of a SparseOperator with many columns, beside those of the columns one by one.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/sparse_operator.hpp"
#include "tests/solver/sparse/sparse_problem.hpp"

namespace gpusupernodal::test::sparse {
namespace {

constexpr std::int64_t column_counts[] = {2, 3, 16, 17, 64, 100, 256};

template <class T>
void multiply_columns(SparseOperator<T>& op, bool transposed, const DenseView<const T>& x, const DenseView<T>& y, T alpha,
                      T beta) {
  transposed ? op.multiply_transposed(x, y, alpha, beta) : op.multiply(x, y, alpha, beta);
}

/// Every column has the bits of a product with it alone; rows behind the last are not written.
template <class T>
void expect_columns(SparseOperator<T>& op, bool transposed) {
  const std::int64_t from = transposed ? op.rows() : op.columns(), to = transposed ? op.columns() : op.rows();
  const std::int64_t ld_x = from + 3, ld_y = to + 1;
  for (const std::int64_t columns : column_counts) {
    const std::vector<T> x = vector_of_size<T>(ld_x * columns, 1), before = vector_of_size<T>(ld_y * columns, 2);
    std::vector<T> y = before, expected = before;
    multiply_columns<T>(op, transposed, {x.data(), from, columns, ld_x}, {y.data(), to, columns, ld_y}, T(2), T(-0.5));
    for (std::int64_t c = 0; c < columns; ++c)
      multiply_columns<T>(op, transposed, {x.data() + c * ld_x, from}, {expected.data() + c * ld_y, to}, T(2), T(-0.5));
    ASSERT_EQ(y, expected) << columns << " columns";
  }
}

template <class T>
class OperatorColumns : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(OperatorColumns, Scalars);

TYPED_TEST(OperatorColumns, EqualProductsOneByOneInEveryFormat) {
  using T = TypeParam;
  const Entries general = random_matrix(90, 70, 5.0, 1), symmetric = blocked(3, 30, 3, 6), band = banded(80, 80, {-9, 0, 9});
  const Stored<T> stored[] = {store<T>(general, Compression::columns, StoredPart::full, true), store<T>(symmetric),
                              store<T>(symmetric, Compression::columns, StoredPart::lower), store<T>(band)};
  for (const Stored<T>& a : stored) {
    int formats = 0;
    for (std::size_t f = 0; f < format_names.size(); ++f) {
      SCOPED_TRACE(testing::Message() << format_names[f] << ", " << a.shape.rows << " by " << a.shape.columns);
      OperatorOptions options;
      options.backend = Backend::host;
      options.format = static_cast<Format>(f);
      options.transposed = true;
      options.threads = f % 2 == 0 ? 1 : 3;
      SparseOperator<T> op(options);
      try {
        op.analyze(a.view());
      } catch (const InvalidInput&) {  // The format would pad the matrix too much.
        continue;
      }
      ++formats;
      expect_columns(op, false);
      expect_columns(op, true);
    }
    EXPECT_GE(formats, 5);
  }
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
