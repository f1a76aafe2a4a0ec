#include "base/processor_name.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace gpusupernodal::test {
namespace {

std::string name_in(const std::string& text) {
  std::istringstream cpuinfo(text);
  return processor_name(cpuinfo, "aarch64");
}

TEST(ProcessorName, IsTheModelOfTheFirstProcessor) {
  EXPECT_EQ(name_in("processor\t: 0\nmodel\t\t: 17\nmodel name\t: A Chip 9000\n\nprocessor\t: 1\nmodel name\t: B\n"),
            "A Chip 9000");
}

/// ARM processors have no model name. Two kinds must have different names, because files of figures are told apart by them.
TEST(ProcessorName, OfArmHasImplementerAndPart) {
  const std::string neoverse = "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n";
  EXPECT_EQ(name_in(neoverse), "aarch64, implementer 0x41, part 0xd0c");
  EXPECT_NE(name_in("CPU implementer\t: 0x41\nCPU part\t: 0xd4f\n"), name_in(neoverse));
}

TEST(ProcessorName, IsEmptyIfTheSystemDoesNotName) {
  EXPECT_EQ(name_in(""), "");
  EXPECT_EQ(name_in("CPU implementer\t: 0x41\n"), "");
}

}  // namespace
}  // namespace gpusupernodal::test
