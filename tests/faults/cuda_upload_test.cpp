/// Tests of uploads of lists: few bytes and many, and calls that fail on the way. Without a device, on a simulated
/// one.

#include <numeric>

#include "solver/cuda/run/upload.hpp"
#include "tests/faults/cuda_subject.hpp"

namespace gpusupernodal::test {
namespace {

/// Its size does not divide the size of a copy.
struct Element {
  std::array<std::int32_t, 7> numbers;
};

Element element(std::int64_t k) {
  Element e;
  std::iota(e.numbers.begin(), e.numbers.end(), static_cast<std::int32_t>(3 * k));
  return e;
}

/// Lists of `count` numbers, an empty list, and a list of `count` elements that are generated during the upload.
struct Lists {
  explicit Lists(std::int64_t length) : count(length), numbers(static_cast<std::size_t>(length)), bytes(0) {
    std::iota(numbers.begin(), numbers.end(), 5);
    bytes = count * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(Element)) + 4 * cuda::Slab::alignment;
  }

  void send(cuda::Slab& slab, int threads) {
    ThreadTeam team(threads);
    team.execute([&] {
      cuda::Upload upload(slab);
      on_device = upload.add(numbers);
      upload.add(std::vector<double>());
      made = upload.add_generated<Element>(count, [](std::int64_t first, std::int64_t last, Element* to) {
        for (std::int64_t k = first; k < last; ++k) *to++ = element(k);
      });
      upload.run(team);
      upload.run(team);  // No lists are left.
    });
  }

  void expect_there() const {
    std::vector<std::int32_t> back(numbers.size());
    cudaMemcpy(back.data(), on_device, back.size() * sizeof(std::int32_t), cudaMemcpyDeviceToHost);
    EXPECT_EQ(back, numbers);
    std::vector<Element> elements(numbers.size());
    cudaMemcpy(elements.data(), made, elements.size() * sizeof(Element), cudaMemcpyDeviceToHost);
    std::int64_t wrong = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      wrong += elements[static_cast<std::size_t>(k)].numbers == element(k).numbers ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0);
  }

  std::int64_t count;
  std::vector<std::int32_t> numbers;
  std::int64_t bytes;
  const std::int32_t* on_device = nullptr;
  const Element* made = nullptr;
};

constexpr std::int64_t min_count = 1000;
constexpr std::int64_t many = 600'001;         // Enough for two lanes.
constexpr std::int64_t max_count = 1'500'001;  // Enough for three lanes.

TEST(Upload, CopiesListsUnchanged) {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, min_count, many, max_count}) {
    for (const int threads : {1, 3, 16}) {
      Lists lists(count);
      cuda::Slab slab(cuda::make_device_allocator(0), lists.bytes, "a test");
      lists.send(slab, threads);
      lists.expect_there();
    }
  }
}

/// Any failing call is reported and leaves nothing behind.
TEST(Upload, ReportsFailedCalls) {
  for (const std::int64_t count : {min_count, many}) {
    Lists lists(count);
    cuda::Slab slab(cuda::make_device_allocator(0), 100 * lists.bytes, "a test");
    const std::int64_t objects = cuda_objects();
    std::int64_t failures = 0;
    for (std::int64_t k = 1;; k = k < 40 ? k + 1 : 2 * k) {
      cuda_faults(CudaCall::any).arm(k, Lasting::once);
      bool thrown = false;
      try {
        lists.send(slab, 2);
      } catch (const Error&) {
        thrown = true;
      }
      const bool fired = cuda_faults(CudaCall::any).fired();
      cuda_faults(CudaCall::any).disarm();
      EXPECT_EQ(cuda_objects(), objects) << "call " << k;
      if (!fired) break;
      failures += thrown ? 1 : 0;
      if (slab.size() - slab.used() < lists.bytes)
        slab = cuda::Slab(cuda::make_device_allocator(0), 100 * lists.bytes, "a test");
    }
    EXPECT_GT(failures, 0);
    lists.send(slab, 2);
    lists.expect_there();
  }
}

}  // namespace
}  // namespace gpusupernodal::test
