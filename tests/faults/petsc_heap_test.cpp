/// Each operator new under the PETSc plugin fails once: the call returns a PETSc error, leaks nothing, and the next
/// attempt works.

#include <functional>

#include "tests/faults/heap.hpp"
#include "tests/plugin/petsc/grid.hpp"
#include "tests/plugin/petsc/petsc_session.hpp"
#include "tests/support/accuracy.hpp"

namespace gpusupernodal::test {
namespace {

constexpr PetscInt width = 7;

class PetscFaults : public PetscSession, public testing::WithParamInterface<MatFactorType> {
 protected:
  void SetUp() override {
    setenv("PETSC_OPTIONS", "-malloc_debug", 1);  // Makes PETSc count allocations that were not freed.
    PetscSession::SetUp();
    PetscBool counts = PETSC_FALSE;
    PETSC_OK(PetscMallocGetDebug(&counts, nullptr, nullptr));
    ASSERT_TRUE(counts) << "PETSc does not count";
    PETSC_OK(PetscOptionsSetValue(nullptr, "-mat_gpusupernodal_backend", "host"));
    PETSC_OK(make_grid(width, 0, &a_));
    PETSC_OK(make_right_hand_side(a_, &b_));
    PETSC_OK(VecDuplicate(b_, &x_));
  }
  void TearDown() override {
    PETSC_OK(MatDestroy(&a_));
    PETSC_OK(VecDestroy(&b_));
    PETSC_OK(VecDestroy(&x_));
    PetscSession::TearDown();
  }

  static PetscLogDouble petsc_bytes() {
    PetscLogDouble bytes = 0;
    EXPECT_EQ(static_cast<int>(PetscMallocGetCurrentUsage(&bytes)), 0);
    return bytes;
  }
  static bool is_lu() { return GetParam() == MAT_FACTOR_LU; }
  PetscErrorCode symbolic(Mat f) const {
    return is_lu() ? MatLUFactorSymbolic(f, a_, nullptr, nullptr, &info_)
                   : MatCholeskyFactorSymbolic(f, a_, nullptr, &info_);
  }
  PetscErrorCode numeric(Mat f) const {
    return is_lu() ? MatLUFactorNumeric(f, a_, &info_) : MatCholeskyFactorNumeric(f, a_, &info_);
  }
  void expect_solved(Mat f) {
    PetscReal error = 0;
    PETSC_OK(MatSolve(f, b_, x_));
    PETSC_OK(vector_error(a_, x_, b_, &error));
    EXPECT_LE(error, backward_error_bound<PetscReal>(width * width));
  }
  bool break_off(const std::function<PetscErrorCode(Mat*)>& before, const std::function<PetscErrorCode(Mat*)>& call,
                 std::int64_t k);
  void sweep(const char* phase, const std::function<PetscErrorCode(Mat*)>& before,
             const std::function<PetscErrorCode(Mat*)>& call);

  Mat a_ = nullptr;
  Vec b_ = nullptr;
  Vec x_ = nullptr;
  MatFactorInfo info_{};
};

/// Runs a life in which the k-th site of `call` fails; returns whether it did.
bool PetscFaults::break_off(const std::function<PetscErrorCode(Mat*)>& before,
                            const std::function<PetscErrorCode(Mat*)>& call, std::int64_t k) {
  Mat f = nullptr;
  EXPECT_EQ(static_cast<int>(before(&f)), 0);
  heap_faults().arm(k, Lasting::once);
  const int error = static_cast<int>(call(&f));
  heap_faults().disarm();
  const bool fired = heap_faults().fired();
  if (fired) {
    EXPECT_TRUE(error == PETSC_ERR_MEM || error == 0) << "error " << error;
  } else {
    EXPECT_EQ(error, 0);
  }
  if (f == nullptr) {
    EXPECT_EQ(static_cast<int>(MatGetFactor(a_, "gpusupernodal", GetParam(), &f)), 0);
  }
  EXPECT_EQ(static_cast<int>(symbolic(f)), 0);
  EXPECT_EQ(static_cast<int>(numeric(f)), 0);
  expect_solved(f);
  EXPECT_EQ(static_cast<int>(MatDestroy(&f)), 0);
  return fired;
}

void PetscFaults::sweep(const char* phase, const std::function<PetscErrorCode(Mat*)>& before,
                        const std::function<PetscErrorCode(Mat*)>& call) {
  PETSC_OK(MatFactorInfoInitialize(&info_));
  break_off(before, call, 0);  // Creates what is created once per process.
  std::int64_t failures = 0;
  for (std::int64_t k = 1;; ++k, ++failures) {
    SCOPED_TRACE(std::string(phase) + ", failure at site " + std::to_string(k));
    const std::int64_t pieces = heap_pieces();
    const PetscLogDouble bytes = petsc_bytes();
    const bool fired = break_off(before, call, k);
    EXPECT_EQ(heap_pieces(), pieces) << "a leak";
    EXPECT_EQ(petsc_bytes(), bytes) << "an object of PETSc's is lost";
    if (testing::Test::HasFailure()) return;
    if (!fired) break;
  }
  std::cout << "sites: PETSc, operator new | " << phase << " | " << failures << '\n';
}

TEST_P(PetscFaults, AnyAllocationFailsOnce) {
  const auto nothing = [](Mat*) { return static_cast<PetscErrorCode>(0); };
  const auto get = [this](Mat* f) { return MatGetFactor(a_, "gpusupernodal", GetParam(), f); };
  const auto do_symbolic = [this](Mat* f) { return symbolic(*f); };
  const auto do_numeric = [this](Mat* f) { return numeric(*f); };
  const auto got_symbolic = [&](Mat* f) {
    const PetscErrorCode error = get(f);
    return static_cast<int>(error) != 0 ? error : symbolic(*f);
  };
  const auto factorized = [this](Mat* f) { return is_lu() ? factorize_lu(a_, nullptr, f) : factorize(a_, nullptr, f); };
  sweep("MatGetFactor", nothing, get);
  sweep("the symbolic phase", get, do_symbolic);
  sweep("the numeric phase", got_symbolic, do_numeric);
  sweep("the numeric phase again", factorized, do_numeric);
  sweep("MatSolve", factorized, [this](Mat* f) { return MatSolve(*f, b_, x_); });
}

INSTANTIATE_TEST_SUITE_P(Forms, PetscFaults, testing::Values(MAT_FACTOR_CHOLESKY, MAT_FACTOR_LU),
                         [](const auto& form) { return form.param == MAT_FACTOR_LU ? "Lu" : "Cholesky"; });

}  // namespace
}  // namespace gpusupernodal::test
