#include <gtest/gtest.h>

#include <numeric>

#include "gpusupernodal/error.hpp"
#include "solver/sparse/format_model.hpp"
#include "solver/sparse/sparse_apply.hpp"
#include "tests/solver/sparse/apply_checks.hpp"

namespace gpusupernodal::test::sparse {
namespace {

template <class T>
class HostApply : public ::testing::Test {
 protected:
  static std::unique_ptr<SparseApply<T>> make(const SparseLayout& layout, int threads = 3) {
    ApplyOptions options;
    options.threads = threads;
    return make_host_apply<T>(layout, options);
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(HostApply, Scalars);

TYPED_TEST(HostApply, MultipliesInEveryFormat) {
  using T = TypeParam;
  for (const Entries& a : general_matrices()) {
    const Stored<T> stored = store<T>(a, Compression::rows, StoredPart::full, true);
    for_each_layout(make_row_pattern(stored.pattern()), sizeof(T),
                    [&](const SparseLayout& layout, const std::string& kernel) {
                      const auto apply = this->make(layout);
                      apply->update(stored.values.data(), MemorySpace::host);
                      expect_products<T>(*apply, a, HostMemory<T>(), a.name + ", " + kernel);
                    });
  }
}

TYPED_TEST(HostApply, MultipliesSymmetricHalves) {
  using T = TypeParam;
  for (const Entries& a : symmetric_matrices()) {
    for (const StoredPart part : {StoredPart::lower, StoredPart::upper}) {
      const Stored<T> stored = store<T>(a, Compression::columns, part);
      for_each_layout(make_row_pattern(stored.pattern()), sizeof(T),
                      [&](const SparseLayout& layout, const std::string& kernel) {
                        const auto apply = this->make(layout);
                        apply->update(stored.values.data(), MemorySpace::host);
                        expect_products<T>(*apply, a, HostMemory<T>(), a.name + ", half, " + kernel);
                      });
    }
  }
}

TYPED_TEST(HostApply, GivesEqualBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const Entries a = random_matrix(9000, 9000, 12.0, 4);
  const Stored<T> stored = store<T>(a);
  const std::vector<T> x = vector_of_size<T>(a.columns, 1);
  for_each_layout(make_row_pattern(stored.pattern()), sizeof(T), [&](const SparseLayout& layout, const std::string& kernel) {
    std::vector<std::vector<T>> results;
    std::vector<std::vector<double>> sums;
    for (const int threads : {1, 4}) {
      const auto apply = this->make(layout, threads);
      apply->update(stored.values.data(), MemorySpace::host);
      results.emplace_back(x.size());
      sums.emplace_back(static_cast<std::size_t>(apply->dot_partials()));
      apply->multiply_dot(x.data(), results.back().data(), sums.back().data());
    }
    EXPECT_EQ(results[0], results[1]) << kernel;
    EXPECT_EQ(sums[0], sums[1]) << kernel;
  });
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
