// Tests of sequence hashes: changing one number at any position changes the hash; the width of an index type does not.
#include "base/hash.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

namespace gpusupernodal {
namespace {

template <class Number>
std::uint64_t hash_of(const std::vector<Number>& numbers) {
  std::uint64_t hash = 0;
  mix_all(hash, numbers.data(), static_cast<std::int64_t>(numbers.size()));
  return hash;
}

std::vector<std::int32_t> ascending(int count) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(HashOfASequence, DiffersIfOneNumberDiffers) {
  for (int count = 1; count <= 19; ++count) {
    std::set<std::uint64_t> hashes{hash_of(ascending(count))};
    for (std::size_t place = 0; place < static_cast<std::size_t>(count); ++place) {
      for (std::int32_t change : {1, -1, 1 << 30}) {
        std::vector<std::int32_t> numbers = ascending(count);
        numbers[place] += change;
        hashes.insert(hash_of(numbers));
      }
    }
    EXPECT_EQ(hashes.size(), 1 + 3 * static_cast<std::size_t>(count)) << count;
  }
}

TEST(HashOfASequence, DiffersIfTwoNumbersAreSwapped) {
  std::vector<std::int32_t> numbers = ascending(6);
  std::set<std::uint64_t> hashes;
  std::size_t permutations = 0;
  do {
    hashes.insert(hash_of(numbers));
    ++permutations;
  } while (std::next_permutation(numbers.begin(), numbers.end()));
  EXPECT_EQ(hashes.size(), permutations);
}

TEST(HashOfASequence, DoesNotDependOnTheIntegerType) {
  for (int count : {0, 1, 5, 8, 1001}) {
    const std::vector<std::int32_t> narrow = ascending(count);
    EXPECT_EQ(hash_of(narrow), hash_of(std::vector<std::int64_t>(narrow.begin(), narrow.end())));
  }
}

TEST(HashOfASequence, DependsOnTheInitialValue) {
  std::uint64_t first = 1;
  std::uint64_t second = 2;
  const std::vector<std::int32_t> numbers = ascending(9);
  mix_all(first, numbers.data(), 9);
  mix_all(second, numbers.data(), 9);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace gpusupernodal
