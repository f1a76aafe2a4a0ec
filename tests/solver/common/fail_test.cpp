#include "solver/common/fail.hpp"

#include <gtest/gtest.h>

#include <string>

#include "gpusupernodal/error.hpp"

namespace gpusupernodal {
namespace {

TEST(Fail, ThrowsTheTypeWithSentenceAndPlace) {
  int line = 0;
  try {
    line = __LINE__ + 1;
    fail<InvalidState>("{} of {} at {:.1f}", 3, "seven", 0.25);
  } catch (const InvalidState& error) {
    EXPECT_STREQ(error.what(), "3 of seven at 0.2");
    EXPECT_EQ(error.line(), line);
    EXPECT_NE(std::string(error.file()).find("fail_test.cpp"), std::string::npos);
    return;
  }
  FAIL() << "nothing thrown";
}

TEST(Fail, AcceptsNamedValuesOrNoValues) {
  const std::string name = "offsets";
  EXPECT_THROW(fail<InvalidInput>("{} are null", name), InvalidInput);
  EXPECT_THROW(fail<Cancelled>("cancelled"), Cancelled);
}

}  // namespace
}  // namespace gpusupernodal
