/// GalerkinProduct on a device.

#include "gpusupernodal/galerkin_product.hpp"

#include "tests/solver/api/cuda/device_problem.hpp"
#include "tests/solver/api/cuda/device_view.hpp"
#include "tests/solver/sparse/galerkin_problem.hpp"

namespace gpusupernodal::test::sparse {
namespace {

ProductOptions galerkin_on_device() {
  ProductOptions options;
  options.backend = Backend::cuda;
  return options;
}

template <class T>
class CudaGalerkinProducts : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CudaGalerkinProducts, Scalars);

TYPED_TEST(CudaGalerkinProducts, EqualNaiveOnes) {
  SKIP_WITHOUT_DEVICE();
  expect_galerkin_products<TypeParam>(galerkin_on_device());
}

/// Patterns and values on the device give the bits of those on the host.
TYPED_TEST(CudaGalerkinProducts, StayOnTheDevice) {
  using T = TypeParam;
  SKIP_WITHOUT_DEVICE();
  for (const auto& [a, p] : galerkin_problems()) {
    if (a.of.empty() || p.of.empty()) continue;
    const Stored<T> sa = store<T>(a), sp = store<T>(p);
    const OnDevice<T> device_a(sa), device_p(sp);
    GalerkinProduct<T> product(galerkin_on_device()), expected(galerkin_on_device());
    product.analyze(device_a.view(), device_p.view());
    expected.analyze(sa.view(), sp.view());
    for (int round = 0; round < 2; ++round) {
      product.compute(device_a.span(), device_p.span(), MemorySpace::device);
      expected.compute(sa.values, sp.values);
      EXPECT_EQ(result_of(product), result_of(expected)) << a.name;
    }
    EXPECT_EQ(product.result().pattern_space, MemorySpace::device);
  }
}

}  // namespace
}  // namespace gpusupernodal::test::sparse
