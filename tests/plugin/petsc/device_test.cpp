/// Tests that with PETSc's matrices and vectors in device memory, only the status of a factorization is copied to the
/// host.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <petscdevice.h>

#include <cstddef>
#include <cstdlib>
#include <vector>

#include "tests/plugin/petsc/copy_watch.hpp"
#include "tests/plugin/petsc/grid.hpp"
#include "tests/plugin/petsc/petsc_session.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

constexpr PetscInt width = 60;
constexpr PetscInt order = width * width;
const double bound = backward_error_bound<PetscReal>(order);

/// Bound of the bytes of a factorization's status, with a margin for later additions; far less than a vector.
constexpr std::int64_t status_bytes = 256;

/// Copies that PETSc counts for -log_view.
struct Counted {
  PetscLogDouble to_device = petsc_ctog_ct;
  PetscLogDouble to_host = petsc_gtoc_ct;
};

class PetscDevice : public PetscSession {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no CUDA device";
    setenv("PETSC_OPTIONS", "-use_gpu_aware_mpi 0 -mat_gpusupernodal_backend cuda", 1);
    PetscSession::SetUp();
    started_ = true;
    PETSC_OK(make_grid(width, 0, &host_));
    PETSC_OK(MatConvert(host_, MATSEQAIJCUSPARSE, MAT_INITIAL_MATRIX, &a_));
    PETSC_OK(make_right_hand_side(a_, &b_));
    PETSC_OK(VecDuplicate(b_, &x_));
  }
  void TearDown() override {
    if (!started_) return;
    for (Mat* m : {&f_, &a_, &host_}) PETSC_OK(MatDestroy(m));
    PETSC_OK(VecDestroy(&b_));
    PETSC_OK(VecDestroy(&x_));
    PetscSession::TearDown();
    unsetenv("PETSC_OPTIONS");
  }
  void expect_solved(Mat a, Vec x, Vec b) {
    PetscReal error = 0;
    PETSC_OK(vector_error(a, x, b, &error));
    EXPECT_LE(error, bound);
  }
  /// Copies A and b to the device and makes all one-time allocations.
  void warm_up() {
    PETSC_OK(factorize(a_, nullptr, &f_));
    PETSC_OK(MatSolve(f_, b_, x_));
    expect_solved(a_, x_, b_);
  }

  bool started_ = false;
  Mat host_ = nullptr;
  Mat a_ = nullptr;
  Mat f_ = nullptr;
  Vec b_ = nullptr;
  Vec x_ = nullptr;
};

/// Runs a numerical phase and a solve after `warm_up` and counts their copies and waits.
void expect_no_traffic(Mat f, Mat a, Vec b, Vec x) {
  MatFactorInfo info;
  PETSC_OK(MatFactorInfoInitialize(&info));
  const BusTraffic before = bus_traffic();
  const Counted counted;
  PETSC_OK(MatCholeskyFactorNumeric(f, a, &info));
  const BusTraffic factorized = bus_traffic() - before;
  EXPECT_EQ(factorized.bytes_to_device, 0);
  EXPECT_LE(factorized.bytes_to_host, status_bytes);
  EXPECT_LE(factorized.waits, 1);
  const BusTraffic between = bus_traffic();
  PETSC_OK(MatSolve(f, b, x));
  const BusTraffic solved = bus_traffic() - between;
  EXPECT_EQ(solved.bytes_to_device, 0);
  EXPECT_EQ(solved.bytes_to_host, 0);
  EXPECT_EQ(solved.waits, 0);
  EXPECT_EQ(petsc_ctog_ct, counted.to_device);
  EXPECT_EQ(petsc_gtoc_ct, counted.to_host);
}

TEST_F(PetscDevice, OnlyTheStatusOfAFactorizationCrossesTheBus) {
  warm_up();
  for (int round = 0; round < 3; ++round) {
    PETSC_OK(MatScale(a_, 1.5));  // On the device.
    expect_no_traffic(f_, a_, b_, x_);
    expect_solved(a_, x_, b_);
  }
}

TEST_F(PetscDevice, ParallelTypeOnOneRankStaysOnTheDevice) {
  PetscInt n = 0;
  const PetscInt* offsets = nullptr;
  const PetscInt* columns = nullptr;
  const PetscScalar* values = nullptr;
  PetscBool done = PETSC_FALSE;
  PETSC_OK(MatDestroy(&a_));
  PETSC_OK(MatCreate(PETSC_COMM_WORLD, &a_));
  PETSC_OK(MatSetSizes(a_, order, order, order, order));
  PETSC_OK(MatSetType(a_, MATMPIAIJCUSPARSE));
  PETSC_OK(MatGetRowIJ(host_, 0, PETSC_FALSE, PETSC_FALSE, &n, &offsets, &columns, &done));
  PETSC_OK(MatSeqAIJGetArrayRead(host_, &values));
  PETSC_OK(MatMPIAIJSetPreallocationCSR(a_, offsets, columns, values));
  PETSC_OK(MatSeqAIJRestoreArrayRead(host_, &values));
  PETSC_OK(MatRestoreRowIJ(host_, 0, PETSC_FALSE, PETSC_FALSE, &n, &offsets, &columns, &done));
  PETSC_OK(VecDestroy(&b_));
  PETSC_OK(VecDestroy(&x_));
  PETSC_OK(make_right_hand_side(a_, &b_));
  PETSC_OK(VecDuplicate(b_, &x_));
  warm_up();
  PETSC_OK(MatScale(a_, 1.5));
  expect_no_traffic(f_, a_, b_, x_);
  expect_solved(a_, x_, b_);
}

TEST_F(PetscDevice, DenseRightHandSidesStayOnTheDevice) {
  constexpr PetscInt columns = 5;
  warm_up();
  Mat b = nullptr;
  Mat x = nullptr;
  PETSC_OK(MatCreateDenseCUDA(PETSC_COMM_SELF, order, columns, order, columns, nullptr, &b));
  PETSC_OK(MatSetRandom(b, nullptr));
  PETSC_OK(MatScale(b, 2));
  PETSC_OK(MatDuplicate(b, MAT_COPY_VALUES, &x));
  PETSC_OK(MatScale(x, 0));
  PETSC_OK(MatMatSolve(f_, b, x));  // Allocates workspace for these columns.
  const BusTraffic before = bus_traffic();
  PETSC_OK(MatMatSolve(f_, b, x));
  const BusTraffic solved = bus_traffic() - before;
  EXPECT_EQ(solved.bytes_to_device, 0);
  EXPECT_EQ(solved.bytes_to_host, 0);
  EXPECT_EQ(solved.waits, 0);
  PetscReal error = 0;
  PETSC_OK(matrix_error(a_, x, b, &error));
  EXPECT_LE(error, bound);
  PETSC_OK(MatCopy(b, x, SAME_NONZERO_PATTERN));
  PETSC_OK(MatMatSolve(f_, x, x));
  PETSC_OK(matrix_error(a_, x, b, &error));
  EXPECT_LE(error, bound);
  PETSC_OK(MatDestroy(&b));
  PETSC_OK(MatDestroy(&x));
}

TEST_F(PetscDevice, HostMatricesAndVectorsWork) {
  Vec b = nullptr;
  Vec x = nullptr;
  PETSC_OK(make_right_hand_side(host_, &b));
  PETSC_OK(VecDuplicate(b, &x));
  PETSC_OK(factorize(host_, nullptr, &f_));
  const Counted counted;
  const BusTraffic before = bus_traffic();
  PETSC_OK(MatSolve(f_, b, x));
  // Here vectors are copied between host and device, and PETSc also counts the copies that the solver makes.
  constexpr std::int64_t vector_bytes = order * sizeof(PetscScalar);
  const BusTraffic solved = bus_traffic() - before;
  EXPECT_EQ(solved.bytes_to_device, vector_bytes);
  EXPECT_EQ(solved.bytes_to_host, vector_bytes);
  EXPECT_GE(solved.waits, 1);
  EXPECT_EQ(petsc_ctog_ct, counted.to_device + 1);
  EXPECT_EQ(petsc_gtoc_ct, counted.to_host + 1);
  expect_solved(host_, x, b);
  // b and x in different memory spaces.
  PETSC_OK(MatSolve(f_, b_, x));
  expect_solved(host_, x, b);
  PETSC_OK(MatSolve(f_, b, x_));
  expect_solved(a_, x_, b_);
  PETSC_OK(VecDestroy(&b));
  PETSC_OK(VecDestroy(&x));
}

TEST_F(PetscDevice, FactorOnTheHostAcceptsDeviceArrays) {
  PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_backend", "host"));
  const PetscLogDouble flops = petsc_gflops;
  warm_up();
  EXPECT_LT(petsc_gflops - flops, order * 40.0) << "more than the products that measure the error";
}

TEST_F(PetscDevice, FactorOnHostIsObeyed) {
#if PETSC_VERSION_GE(3, 23, 0)
  PETSC_OK(PetscOptionsClearValue(nullptr, "-mat_gpusupernodal_backend"));
  MatFactorInfo info;
  PETSC_OK(MatFactorInfoInitialize(&info));
  info.factoronhost = PETSC_TRUE;
  const PetscLogDouble flops = petsc_gflops;
  PETSC_OK(MatGetFactor(a_, "gpusupernodal", MAT_FACTOR_CHOLESKY, &f_));
  PETSC_OK(MatCholeskyFactorSymbolic(f_, a_, nullptr, &info));
  PETSC_OK(MatCholeskyFactorNumeric(f_, a_, &info));
  EXPECT_EQ(petsc_gflops, flops);
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved(a_, x_, b_);
#else
  GTEST_SKIP() << "this PETSc has no such option";
#endif
}

TEST_F(PetscDevice, FlopsAreCountedForTheDevice) {
  PETSC_OK(PetscLogDefaultBegin());
  MatFactorInfo info;
  PETSC_OK(MatFactorInfoInitialize(&info));
  warm_up();
  const PetscLogDouble flops = petsc_TotalFlops;
  const PetscLogDouble device_flops = petsc_gflops;
  PETSC_OK(MatCholeskyFactorNumeric(f_, a_, &info));
  EXPECT_GT(petsc_gflops, device_flops);
  EXPECT_EQ(petsc_TotalFlops - flops, petsc_gflops - device_flops);
}

// The solve is enqueued after earlier work on the stream, so b is written before it is read.
TEST_F(PetscDevice, UsesTheStreamOfTheCurrentContext) {
  warm_up();
  PetscDeviceContext context = nullptr;
  PetscDeviceContext before = nullptr;
  PETSC_OK(PetscDeviceContextGetCurrentContext(&before));
  PETSC_OK(PetscDeviceContextCreate(&context));
  PETSC_OK(PetscDeviceContextSetStreamType(context, PETSC_STREAM_NONBLOCKING));
  PETSC_OK(PetscDeviceContextSetUp(context));
  PETSC_OK(PetscDeviceContextSynchronize(before));
  PETSC_OK(PetscDeviceContextSetCurrentContext(context));
  for (int k = 1; k < 50; ++k) PETSC_OK(VecSet(b_, k));
  PETSC_OK(MatSolve(f_, b_, x_));
  PETSC_OK(PetscDeviceContextSynchronize(context));
  PETSC_OK(PetscDeviceContextSetCurrentContext(before));
  PETSC_OK(PetscDeviceContextDestroy(&context));
  expect_solved(a_, x_, b_);
}

/// Occupies all device memory available in pieces of at least a mebibyte.
class FullDevice {
 public:
  FullDevice() {
    constexpr std::size_t smallest = std::size_t{1} << 20;
    for (std::size_t bytes = std::size_t{1} << 38; bytes >= smallest;) {
      void* piece = nullptr;
      if (cudaMalloc(&piece, bytes) == cudaSuccess) {
        pieces_.push_back(piece);
      } else {
        bytes /= 2;
      }
    }
    cudaGetLastError();
  }
  ~FullDevice() {
    for (void* piece : pieces_) cudaFree(piece);
  }
  FullDevice(const FullDevice&) = delete;
  FullDevice& operator=(const FullDevice&) = delete;

 private:
  std::vector<void*> pieces_;
};

TEST_F(PetscDevice, RefusedDeviceMemoryIsAnErrorAndTheNextTryWorks) {
  warm_up();
  Mat large = nullptr;
  Mat f = nullptr;
  MatFactorInfo info;
  PETSC_OK(MatFactorInfoInitialize(&info));
  PETSC_OK(make_grid(5 * width, 0, &large));
  PETSC_OK(MatGetFactor(large, "gpusupernodal", MAT_FACTOR_CHOLESKY, &f));
  {
    const FullDevice full;
    EXPECT_EQ(static_cast<int>(MatCholeskyFactorSymbolic(f, large, nullptr, &info)), static_cast<int>(PETSC_ERR_MEM));
  }
  PETSC_OK(MatCholeskyFactorSymbolic(f, large, nullptr, &info));
  PETSC_OK(MatCholeskyFactorNumeric(f, large, &info));
  PETSC_OK(MatDestroy(&f));
  PETSC_OK(MatDestroy(&large));
}

TEST_F(PetscDevice, FailuresOnTheDeviceAreReported) {
  warm_up();
  MatFactorInfo info;
  PETSC_OK(MatFactorInfoInitialize(&info));
  PETSC_OK(MatScale(a_, -1));
  PETSC_OK(MatCholeskyFactorNumeric(f_, a_, &info));
  MatFactorError error = MAT_FACTOR_NOERROR;
  PETSC_OK(MatFactorGetError(f_, &error));
  EXPECT_EQ(error, MAT_FACTOR_NUMERIC_ZEROPIVOT);
  PETSC_OK(MatScale(a_, -1));
  PETSC_OK(MatFactorClearError(f_));
  PETSC_OK(MatCholeskyFactorNumeric(f_, a_, &info));
  PETSC_OK(MatSolve(f_, b_, x_));
  expect_solved(a_, x_, b_);
}

}  // namespace
}  // namespace gpusupernodal::test
