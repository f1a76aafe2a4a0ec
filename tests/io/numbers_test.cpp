#include "io/numbers.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gpusupernodal::io {
namespace {

TEST(Numbers, WordsAreSeparatedByBlanksAndTabs) {
  std::string_view line = "  12\t-3.5  ";
  EXPECT_EQ(take_word(line), "12");
  EXPECT_EQ(take_word(line), "-3.5");
  EXPECT_EQ(take_word(line), "");
}

TEST(Numbers, RealsAreParsedExactly) {
  double value = 0.0;
  ASSERT_EQ(parse_real("0.1", value), NumberError::none);
  EXPECT_EQ(value, 0.1);
  ASSERT_EQ(parse_real("+2.5E+3", value), NumberError::none);
  EXPECT_EQ(value, 2500.0);
  ASSERT_EQ(parse_real("-1.7976931348623157e308", value), NumberError::none);
  EXPECT_EQ(value, std::numeric_limits<double>::lowest());
  ASSERT_EQ(parse_real("5e-324", value), NumberError::none);
  EXPECT_EQ(value, std::numeric_limits<double>::denorm_min());
}

TEST(Numbers, TooSmallBecomesZero) {
  double value = 1.0;
  ASSERT_EQ(parse_real("1e-400", value), NumberError::none);
  EXPECT_EQ(value, 0.0);
  ASSERT_EQ(parse_real("-0." + std::string(400, '0') + "1", value), NumberError::none);
  EXPECT_EQ(value, 0.0);
}

TEST(Numbers, TooLargeAndNotFiniteAreErrors) {
  double value = 0.0;
  EXPECT_EQ(parse_real("1e400", value), NumberError::too_large);
  EXPECT_EQ(parse_real("-1e400", value), NumberError::too_large);
  EXPECT_EQ(parse_real(std::string(400, '9'), value), NumberError::too_large);
  EXPECT_EQ(parse_real("nan", value), NumberError::not_finite);
  EXPECT_EQ(parse_real("-inf", value), NumberError::not_finite);
}

TEST(Numbers, TextThatIsNotANumberIsAnError) {
  double real = 0.0;
  for (const char* word : {"", "x", "1.0x", "1d5", "+-1", "++1", "+", "-", "1,5", "0x10"}) {
    EXPECT_EQ(parse_real(word, real), NumberError::not_a_number) << word;
  }
  std::int64_t integer = 0;
  for (const char* word : {"", "1.5", "1e3", "a", "+-2"}) {
    EXPECT_EQ(parse_integer(word, integer), NumberError::not_a_number) << word;
  }
  EXPECT_EQ(parse_integer("9223372036854775808", integer), NumberError::too_large);
  EXPECT_EQ(parse_integer("-9223372036854775808", integer), NumberError::none);
}

}  // namespace
}  // namespace gpusupernodal::io
