#include "tests/kernels/host/guarded_matrix.hpp"

namespace gpusupernodal::test {
namespace {

TEST(HostKernelDispatch, BestKernelRunsOnThisProcessor) {
  const auto found = kernels_of_this_processor<double>();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(&host_kernels<double>(), found.back());
  EXPECT_EQ(&host_kernels<float>(), kernels_of_this_processor<float>().back());
}

TEST(HostKernelDispatch, NamesDiffer) {
  const auto found = kernels_of_this_processor<double>();
  for (std::size_t i = 1; i < found.size(); ++i) {
    EXPECT_STRNE(found[i - 1]->name, found[i]->name);
  }
}

TEST(HostKernelDispatch, TypesShareNames) { EXPECT_STREQ(host_kernels<double>().name, host_kernels<float>().name); }

}  // namespace
}  // namespace gpusupernodal::test
