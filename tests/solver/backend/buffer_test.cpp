#include "solver/backend/buffer.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/solver/backend/counting_allocator.hpp"

namespace gpusupernodal::test {
namespace {

TEST(Buffer, AllocatesAlignedMemoryAndFreesIt) {
  const auto allocator = std::make_shared<CountingAllocator>();
  {
    const Buffer<double> buffer(allocator, 10, "a test");
    EXPECT_EQ(buffer.size(), 10);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256, 0U);
    EXPECT_EQ(allocator->bytes(), 80);
  }
  EXPECT_EQ(allocator->alive(), 0);
  EXPECT_EQ(allocator->bytes(), 0);
}

TEST(Buffer, EmptyBufferAllocatesNothing) {
  const auto allocator = std::make_shared<CountingAllocator>();
  const Buffer<float> buffer(allocator, 0, "nothing");
  EXPECT_EQ(buffer.data(), nullptr);
  EXPECT_EQ(buffer.size(), 0);
  EXPECT_EQ(allocator->requests(), 0);
}

TEST(Buffer, MovesWithoutCopying) {
  const auto allocator = std::make_shared<CountingAllocator>();
  Buffer<int> first(allocator, 4, "a test");
  int* const data = first.data();
  Buffer<int> second(std::move(first));
  EXPECT_EQ(second.data(), data);
  Buffer<int> third(allocator, 2, "a test");
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.size(), 4);
  EXPECT_EQ(allocator->requests(), 2);
}

TEST(Buffer, RefusedAllocationNamesItsPurpose) {
  const auto allocator = std::make_shared<CountingAllocator>();
  allocator->refuse_after(0);
  try {
    const Buffer<double> buffer(allocator, 1000, "the values of L");
    FAIL() << "nothing thrown";
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.bytes_needed(), 8000);
    EXPECT_NE(std::string(error.what()).find("the values of L"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("8000"), std::string::npos) << error.what();
  }
  EXPECT_EQ(allocator->alive(), 0);
}

}  // namespace
}  // namespace gpusupernodal::test
