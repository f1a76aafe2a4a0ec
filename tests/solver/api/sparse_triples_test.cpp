#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "gpusupernodal/error.hpp"
#include "gpusupernodal/sparse_operator.hpp"
#include "tests/solver/sparse/sparse_problem.hpp"

namespace gpusupernodal::test::sparse {
namespace {

template <class T>
struct Triples {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  StoredPart part = StoredPart::full;
  std::vector<std::int64_t> row, column;
  std::vector<T> values;

  SparseTriples<T> view() const {
    SparseTriples<T> v;
    v.rows = rows;
    v.columns = columns;
    v.count = static_cast<std::int64_t>(row.size());
    v.row_indices = row.data();
    v.column_indices = column.data();
    v.values = values.data();
    v.part = part;
    return v;
  }
};

/// The entries of a matrix in random order, each split into one to `most` triples of small integers over 1024, so that sums
/// are exact.
template <class T>
Triples<T> split(const Entries& a, int most, StoredPart part = StoredPart::full) {
  std::mt19937_64 random(5);
  Triples<T> ordered;
  for (const auto& [place, value] : a.of) {
    const auto [i, j] = place;
    if ((part == StoredPart::lower && i < j) || (part == StoredPart::upper && i > j)) continue;
    const int pieces = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(most));
    for (int p = 0; p < pieces; ++p) {
      ordered.row.push_back(i);
      ordered.column.push_back(j);
      ordered.values.push_back(static_cast<T>(static_cast<double>(random() % 2048) / 1024.0 - 1.0));
    }
  }
  std::vector<std::size_t> order(ordered.row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  Triples<T> triples{a.rows, a.columns, part, {}, {}, {}};
  for (const std::size_t k : order) {
    triples.row.push_back(ordered.row[k]);
    triples.column.push_back(ordered.column[k]);
    triples.values.push_back(ordered.values[k]);
  }
  return triples;
}

/// The matrix that triples stand for, each place summed in the order of the triples.
template <class T>
Entries summed(const Triples<T>& triples) {
  std::map<std::pair<std::int64_t, std::int64_t>, T> sums;
  for (std::size_t k = 0; k < triples.row.size(); ++k) {
    const auto [place, is_new] = sums.try_emplace({triples.row[k], triples.column[k]}, triples.values[k]);
    if (!is_new) place->second += triples.values[k];
  }
  Entries a{"sums", triples.rows, triples.columns, {}};
  for (const auto& [place, value] : sums) {
    a.of[place] = static_cast<double>(value);
    if (triples.part != StoredPart::full) a.of[{place.second, place.first}] = static_cast<double>(value);
  }
  return a;
}

template <class T>
SparseOperator<T> host_operator(Format format = Format::automatic) {
  OperatorOptions options;
  options.backend = Backend::host;
  options.format = format;
  options.transposed = true;
  return SparseOperator<T>(options);
}

template <class T>
std::vector<T> product(SparseOperator<T>& a, const std::vector<T>& x, bool transposed = false) {
  std::vector<T> y(static_cast<std::size_t>(transposed ? a.columns() : a.rows()));
  const DenseView<const T> from(x.data(), static_cast<std::int64_t>(x.size()));
  const DenseView<T> to(y.data(), static_cast<std::int64_t>(y.size()));
  transposed ? a.multiply_transposed(from, to) : a.multiply(from, to);
  return y;
}

template <class T>
class TriplesOf : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TriplesOf, Scalars);

/// Equal bits to a compressed matrix with the sums, with and without duplicates, also after new values.
TYPED_TEST(TriplesOf, AreTheMatrixOfTheirSums) {
  using T = TypeParam;
  for (const Entries& a : general_matrices()) {
    for (const int most : {1, 3}) {
      Triples<T> triples = split<T>(a, most);
      SparseOperator<T> op = host_operator<T>(), expected = host_operator<T>();
      op.analyze(triples.view());
      const std::vector<T> x = vector_of_size<T>(a.columns, 1), z = vector_of_size<T>(a.rows, 2);
      for (int round = 0; round < 2; ++round) {
        expected.analyze(store<T>(summed(triples)).view());
        EXPECT_EQ(product(op, x), product(expected, x)) << a.name << ", " << most;
        EXPECT_EQ(product(op, z, true), product(expected, z, true)) << a.name << ", " << most;
        EXPECT_EQ(op.report().entries, expected.report().entries);
        EXPECT_EQ(op.report().kernel, expected.report().kernel);
        triples.values = vector_of_size<T>(static_cast<std::int64_t>(triples.values.size()), 9);
        op.update(triples.values);
      }
    }
  }
}

TYPED_TEST(TriplesOf, TakeHalvesOfSymmetricMatrices) {
  using T = TypeParam;
  for (const Entries& a : symmetric_matrices()) {
    for (const StoredPart part : {StoredPart::lower, StoredPart::upper}) {
      for (const int most : {1, 3}) {
        const Triples<T> triples = split<T>(a, most, part);
        SparseOperator<T> op = host_operator<T>();
        op.analyze(triples.view());
        const std::vector<T> x = vector_of_size<T>(a.columns, 1);
        const Expected<T> expected(summed(triples), 1.0, x.data(), 0.0, nullptr);
        EXPECT_EQ(expected.wrong_row(product(op, x).data()), -1) << a.name;
        EXPECT_EQ(product(op, x, true), product(op, x));
      }
    }
  }
}

/// Values whose sum depends on the order: it is that of the triples, for every format.
TEST(Triples, AreSummedInTheirOrder) {
  Triples<double> triples{
      2, 2, StoredPart::full, {1, 0, 1, 0, 1, 0}, {1, 0, 1, 0, 1, 0}, {1e16, 1.0, 1.0, 1.0, -1e16, 1e16}};
  for (const Format format : {Format::csr, Format::coo, Format::sell, Format::dia}) {
    SparseOperator<double> op = host_operator<double>(format);
    op.analyze(triples.view());
    EXPECT_EQ(product(op, {1.0, 1.0}), (std::vector<double>{(1.0 + 1.0) + 1e16, (1e16 + 1.0) - 1e16})) << name_of(format);
  }
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(Triples, SayWhatIsWrong) {
  const Triples<double> good{3, 2, StoredPart::full, {2, 0, 2}, {1, 0, 1}, {1.0, 2.0, 3.0}};
  SparseOperator<double> op = host_operator<double>();
  const auto analyze = [&](const std::function<void(Triples<double>&, SparseTriples<double>&)>& spoil) {
    Triples<double> triples = good;
    SparseTriples<double> view = triples.view();
    spoil(triples, view);
    return refusal([&] { op.analyze(view); });
  };
  EXPECT_EQ(analyze([](auto&, auto&) {}), "");
  EXPECT_EQ(analyze([](auto& t, auto&) { t.row[1] = 3; }),
            "triple 1 is in row 3, but the rows of the 3 by 2 matrix are 0 to 2");
  EXPECT_EQ(analyze([](auto& t, auto&) { t.column[2] = -1; }),
            "triple 2 is in column -1, but the columns of the 3 by 2 matrix are 0 to 1");
  EXPECT_EQ(analyze([](auto&, auto& v) { v.row_indices = IndexArray(); }),
            "the matrix has 3 triples, but their row or column indices are null");
  EXPECT_NE(analyze([](auto&, auto& v) { v.count = -1; }).find("-1 triples"), std::string::npos);
  EXPECT_NE(analyze([](auto&, auto& v) { v.part = StoredPart::lower; }).find("only a square matrix"), std::string::npos);
  EXPECT_NE(analyze([](auto&, auto& v) { v.rows = -3; }).find("-3 rows"), std::string::npos);
  EXPECT_NE(analyze([](auto& t, auto& v) {
              v.columns = 3;
              v.part = StoredPart::upper;
              t.row = {2, 0, 2};
              t.column = {2, 0, 1};
            }).find("triple 2 at row 2, column 1 is below the diagonal"),
            std::string::npos);
  EXPECT_EQ(product(op, {1.0, 1.0}), (std::vector<double>{2.0, 0.0, 4.0})) << "the operator is as it was";
  EXPECT_EQ(refusal([&] {
              op.update(std::vector<double>{1.0, 2.0});
            }),
            "2 values were given, but the analyzed matrix takes 3 values");
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
