#include "tests/plugin/petsc/ranks_together.hpp"

#include <gtest/gtest.h>
#include <petscsys.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {

void expect_together(const Outcome& outcome, int ranks, int m) {
  const int n = m * m * m;
  const double bound = backward_error_bound<PetscReal>(n);
  const std::string output = "\n" + outcome.output;
  ASSERT_EQ(outcome.exit_code, 0) << output;
  EXPECT_TRUE(outcome.says("\nfinished")) << output;
  for (const char* check : {"\nsolve ", "\nother ", "\nrecovered ", "\nafter another pattern ", "\nafter options ",
                            "\nafter views ", "\ngrown "}) {
    const std::vector<double> errors = numbers_after(output, check);
    ASSERT_FALSE(errors.empty()) << check << output;
    for (const double error : errors) EXPECT_LE(error, bound) << check << output;
  }
  // Both solutions have backward errors within the bound, and ‖A‖∞ ‖A⁻¹‖∞ ≤ 13. Each differs from the exact one by twice
  // their product, because the bound is relative to ‖A‖∞ ‖x‖∞ + ‖b‖∞.
  constexpr double condition = 13.0;
  EXPECT_LE(numbers_after(output, "\ndifference ").at(0), 4.0 * condition * bound) << output;
  EXPECT_EQ(numbers_after(output, "\nequal bits "), std::vector<double>{1}) << output;
  const double rounding_of_sum = 8.0 * ranks * std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(numbers_after(output, "\nmemory ").at(0), 1.0, rounding_of_sum) << output;
  EXPECT_EQ(numbers_after(output, "\nlargest "), std::vector<double>{1}) << output;
  EXPECT_GE(numbers_after(output, "\nnonzeros ").at(0), 1.0 * n) << output;
  EXPECT_TRUE(outcome.says("ranks: " + std::to_string(ranks) + ", all factorize together")) << output;
  for (int rank = 0; rank < ranks; ++rank) EXPECT_TRUE(outcome.says("rank " + std::to_string(rank) + ": ")) << output;
  // MAT_FACTOR_NUMERIC_ZEROPIVOT for a negative entry of the diagonal and for one that is not a number.
  EXPECT_EQ(numbers_after(output, "\ncode "), (std::vector<double>{2, 2})) << output;
  EXPECT_EQ(numbers_after(output, "\nrow "), (std::vector<double>{0, 0})) << output;
  EXPECT_EQ(numbers_after(output, "\nsign "), (std::vector<double>{-1, 0})) << output;
  for (const double count : numbers_after(output, "\nerrors ")) EXPECT_EQ(count, ranks) << output;
  for (const double count : numbers_after(output, "\nmessages ")) EXPECT_EQ(count, ranks) << output;
  EXPECT_EQ(numbers_after(output, "\nerrors ").size(), 13U) << output;
  // What -malloc_dump says if an object is lost.
  for (const char* lost : {"bytes Mat", "bytes PetscSF"}) EXPECT_FALSE(outcome.says(lost)) << output;
}

}  // namespace gpusupernodal::test
