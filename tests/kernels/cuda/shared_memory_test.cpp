/// Compares the shared memory that kernel launches request with the limits of every compute capability. Needs no device.

#include "kernels/cuda/shared_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace gpusupernodal::test {
namespace {

using cuda::SharedMemory;

/// Limits in bytes by compute capability, from the CUDA programming guide.
struct Device {
  const char* capability;
  cuda::SharedMemoryLimits limits;
};
constexpr std::array devices{
    Device{"7.5", {65536, 65536, 0}},       Device{"8.0", {166912, 167936, 1024}},  Device{"8.6", {101376, 102400, 1024}},
    Device{"8.7", {166912, 167936, 1024}},  Device{"8.9", {101376, 102400, 1024}},  Device{"9.0", {232448, 233472, 1024}},
    Device{"10.0", {232448, 233472, 1024}}, Device{"12.0", {101376, 102400, 1024}},
};

struct Launch {
  std::string kernel;
  SharedMemory memory;
};

template <class T, int Columns>
Launch many_rhs(const cuda::SharedMemoryLimits& limits) {
  using namespace cuda;
  const int shared_memory =
      memory_for_ctas(many_rhs_ctas<T>, min_memory<T, Columns>, max_memory<T, Columns>, many_rhs_static_bytes<T>, limits);
  return {"solves for " + std::to_string(Columns), {shared_memory, many_rhs_static_bytes<T>}};
}

/// Launches that every executor needs.
template <class T>
std::vector<Launch> launches_on(const cuda::SharedMemoryLimits& limits) {
  using namespace cuda;
  return {{"trsm", trsm_memory<T>(limits.per_cta)},
          {"invert", invert_memory<T>(limits.per_cta)},
          {"product", product_memory<T>()},
          {"diagonal blocks and products", diagonal_and_product_memory<T>()},
          {"small fronts", small_front_memory<T>(small_entries)},
          {"solves for one", one_rhs_memory<T>(limits.per_cta)},
          many_rhs<T, solve_few>(limits),
          many_rhs<T, solve_many>(limits)};
}

template <class T>
class SharedMemoryLimits : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SharedMemoryLimits, Scalars);

TYPED_TEST(SharedMemoryLimits, EveryLaunchFits) {
  for (const Device& device : devices) {
    for (const Launch& launch : launches_on<TypeParam>(device.limits)) {
      EXPECT_TRUE(launch.memory.fits(device.limits.per_cta))
          << launch.kernel << " on " << device.capability << ": " << launch.memory.dynamic_bytes << " + "
          << launch.memory.static_bytes << " bytes of " << device.limits.per_cta;
    }
  }
}

/// Kernels compiled for compute capability 8.0 or newer use the full layout only, so these devices must have the memory for
/// it.
TYPED_TEST(SharedMemoryLimits, FullLayoutFitsFromCapability80) {
  using T = TypeParam;
  for (const Device& device : devices) {
    if (std::string(device.capability) == "7.5") continue;
    EXPECT_EQ(cuda::trsm_memory<T>(device.limits.per_cta).dynamic_bytes, static_cast<int>(sizeof(cuda::TrsmMemory<T>)));
    EXPECT_EQ(cuda::invert_memory<T>(device.limits.per_cta).dynamic_bytes,
              2 * cuda::tile_size * cuda::piece_stride * static_cast<int>(sizeof(T)));
    EXPECT_TRUE(cuda::column_memory<T>().fits(device.limits.per_cta)) << device.capability;
  }
}

/// Devices that have too little memory for complex scalars are refused by most_complex_memory(); on the others every launch
/// fits.
template <class T>
void expect_complex_launches_fit(const std::vector<std::string>& refused) {
  using namespace cuda;
  for (const Device& device : devices) {
    const int limit = device.limits.per_cta;
    const bool is_refused = !most_complex_memory<T>().fits(limit);
    EXPECT_EQ(is_refused, std::count(refused.begin(), refused.end(), device.capability) > 0) << device.capability;
    if (is_refused) continue;
    std::vector<Launch> launches = {{"trsm", {static_cast<int>(sizeof(TrsmMemory<T>)), trace_bytes}},
                                    {"diagonal blocks", {static_cast<int>(sizeof(DiagonalMemory<T>)), trace_bytes}},
                                    {"product", product_memory<T>()},
                                    {"small fronts", small_front_memory<T>(small_entries)},
                                    {"small fronts of LU", small_lu_front_memory<T>(small_entries / 2)},
                                    {"solves for one", one_rhs_memory<T>(limit)},
                                    many_rhs<T, solve_few>(device.limits),
                                    many_rhs<T, solve_many>(device.limits)};
    for (const Launch& launch : launches) {
      EXPECT_TRUE(launch.memory.fits(limit))
          << launch.kernel << " on " << device.capability << ": " << launch.memory.dynamic_bytes << " + "
          << launch.memory.static_bytes << " bytes of " << limit;
    }
  }
}

TEST(SharedMemory, LaunchesOfComplexScalarsFit) {
  expect_complex_launches_fit<cuda::Complex<float>>({"7.5"});
  expect_complex_launches_fit<cuda::Complex<double>>({"7.5", "8.6", "8.9", "12.0"});
}

/// Launch sizes with which the kernels were tuned on compute capability 9.0.
TEST(SharedMemory, KeepsTheTunedSizesOnCapability90) {
  const cuda::SharedMemoryLimits limits{232448, 233472, 1024};
  const std::vector<Launch> of_double = launches_on<double>(limits);
  const std::vector<Launch> of_float = launches_on<float>(limits);
  std::vector<int> bytes;
  for (const std::vector<Launch>* const launches : {&of_double, &of_float}) {
    for (const Launch& launch : *launches) bytes.push_back(launch.memory.dynamic_bytes);
  }
  EXPECT_EQ(bytes, (std::vector<int>{72192, 66560, 52224, 52224, 65024, 73728, 90112, 108544, 36096, 33280, 27648, 27648,
                                     34560, 55296, 90112, 106496}));
  EXPECT_EQ(cuda::column_memory<double>().dynamic_bytes, 79488);
  EXPECT_EQ(cuda::column_memory<float>().dynamic_bytes, 39808);
}

/// The rows below, which the kernel can keep in registers instead, must lie behind everything else in shared memory.
TEST(SharedMemory, OmitsTheRowsBelowIfTheyDoNotFit) {
  EXPECT_EQ(cuda::trsm_memory<double>(65536).dynamic_bytes, static_cast<int>(offsetof(cuda::TrsmMemory<double>, below)));
  EXPECT_EQ(cuda::trsm_memory<double>(72192 + cuda::trace_bytes).dynamic_bytes, 72192);
  EXPECT_EQ(cuda::trsm_memory<double>(72192 + cuda::trace_bytes - 1).dynamic_bytes, 37376);
}

/// A folded piece stores the inverse in the unused half of the piece: no two entries may share a position.
TEST(SharedMemory, FoldedPieceStoresEveryEntrySeparately) {
  constexpr int stride = cuda::folded_piece_stride;
  const auto entries = static_cast<std::size_t>(cuda::invert_memory<double>(65536).dynamic_bytes) / sizeof(double);
  std::vector<int> users(entries, 0);
  for (int k = 0; k < cuda::tile_size; ++k) {
    for (int i = k; i < cuda::tile_size; ++i) {
      ++users.at(static_cast<std::size_t>(k * stride + i));
      ++users.at(static_cast<std::size_t>(stride + i * stride + k));
    }
  }
  EXPECT_EQ(*std::max_element(users.begin(), users.end()), 1);
}

}  // namespace
}  // namespace gpusupernodal::test
