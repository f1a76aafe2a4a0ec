#include "gpusupernodal/names.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <set>
#include <string>

namespace gpusupernodal::test {
namespace {

TEST(Names, AreThoseInOptions) {
  EXPECT_STREQ(name_of(Backend::automatic), "auto");
  EXPECT_STREQ(name_of(Backend::host), "host");
  EXPECT_STREQ(name_of(Backend::cuda), "cuda");
  EXPECT_STREQ(name_of(Ordering::automatic), "auto");
  EXPECT_STREQ(name_of(Ordering::nested_dissection), "nested_dissection");
  EXPECT_STREQ(name_of(Ordering::metis), "metis");
  EXPECT_STREQ(name_of(Ordering::amd), "amd");
  EXPECT_STREQ(name_of(Ordering::natural), "natural");
  EXPECT_STREQ(name_of(Ordering::user), "user");
  EXPECT_STREQ(name_of(Merging::none), "none");
  EXPECT_STREQ(name_of(Merging::narrow), "narrow");
  EXPECT_STREQ(name_of(Merging::bounded), "bounded");
  EXPECT_STREQ(name_of(CudaSchedule::levels), "levels");
  EXPECT_STREQ(name_of(CudaSchedule::streams), "streams");
  EXPECT_STREQ(name_of(Status::success), "success");
  EXPECT_STREQ(name_of(Status::not_positive_definite), "not_positive_definite");
  EXPECT_STREQ(name_of(Status::non_finite_input), "non_finite_input");
}

/// Every name maps to an enumerator and back, all names differ, and no other text or value has an enumerator.
template <class Enum, std::size_t Count, class ValueOf>
void expect_round_trip(const std::array<const char*, Count>& names, ValueOf value_of) {
  for (std::size_t k = 0; k < Count; ++k) {
    const auto value = value_of(names[k]);
    ASSERT_TRUE(value.has_value()) << names[k];
    EXPECT_EQ(static_cast<std::size_t>(*value), k);
    EXPECT_STREQ(name_of(*value), names[k]);
  }
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), Count);
  for (const char* other : {"", "automatic", "Host", "metis ", "unknown"}) EXPECT_FALSE(value_of(other)) << other;
  EXPECT_STREQ(name_of(static_cast<Enum>(Count)), "unknown");
  EXPECT_STREQ(name_of(static_cast<Enum>(-1)), "unknown");
}

TEST(Names, ConvertBackToTheirEnumerators) {
  expect_round_trip<Backend>(backend_names, backend_of);
  expect_round_trip<Ordering>(ordering_names, ordering_of);
  expect_round_trip<Merging>(merging_names, merging_of);
  expect_round_trip<LuSchedule>(lu_schedule_names, lu_schedule_of);
  expect_round_trip<CudaSchedule>(cuda_schedule_names, cuda_schedule_of);
}

}  // namespace
}  // namespace gpusupernodal::test
