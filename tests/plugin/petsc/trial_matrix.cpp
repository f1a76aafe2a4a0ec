#include "tests/plugin/petsc/trial_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpusupernodal::test {
namespace {

constexpr PetscErrorCode success = static_cast<PetscErrorCode>(0);

PetscReal value(PetscInt i, PetscInt j, PetscInt version) {
  return static_cast<PetscReal>((i * 31 + j * 17 + version * 7) % 23) / 16 - static_cast<PetscReal>(0.6);
}

/// Dense values of the lower and upper triangle, diagonal included.
std::vector<PetscReal> dense(const TrialMatrix& a, PetscInt version) {
  const auto n = static_cast<std::size_t>(a.n);
  std::vector<PetscReal> all(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) all[i * n + i] = 1;
  for (const auto& [row, column] : a.entries) {
    const auto i = static_cast<std::size_t>(row);
    const auto j = static_cast<std::size_t>(column);
    all[i * n + j] = all[j * n + i] = value(row, column, version);
    all[i * n + i] += std::abs(all[i * n + j]);
    all[j * n + j] += std::abs(all[i * n + j]);
  }
  return all;
}

/// Draws the number of row blocks of this rank; some ranks, possibly the first, get none.
PetscInt draw_layout(PetscMPIInt rank, PetscMPIInt size, PetscInt blocks, Draw* draw) {
  std::vector<PetscInt> of_rank(static_cast<std::size_t>(size), 0);
  const PetscInt busy = 1 + draw->below(static_cast<PetscInt>(size));
  for (PetscInt b = 0; b < blocks; ++b) {
    ++of_rank[static_cast<std::size_t>((draw->below(busy) + blocks) % static_cast<PetscInt>(size))];
  }
  return of_rank[static_cast<std::size_t>(rank)];
}

/// Sets single values, or the whole blocks that contain them.
class Setter {
 public:
  Setter(TrialMatrix* a, const std::vector<PetscReal>& all) : a_(a), all_(all) {}

  PetscErrorCode set_all() {
    PetscFunctionBeginUser;
    PetscCall(PetscObjectTypeCompareAny(reinterpret_cast<PetscObject>(a_->mat), &upper_, MATSEQSBAIJ, MATMPISBAIJ, ""));
    PetscCall(MatGetOwnershipRange(a_->mat, &begin_, &end_));
    for (PetscInt i = 0; i < a_->n; ++i) PetscCall(set(i, i));
    for (const auto& [i, j] : a_->entries) {
      PetscCall(set(i, j));
      PetscCall(set(j, i));
    }
    return success;
  }

 private:
  PetscErrorCode set(PetscInt i, PetscInt j) {
    const PetscInt bs = a_->block;
    PetscFunctionBeginUser;
    if (i < begin_ || i >= end_ || (upper_ == PETSC_TRUE && j / bs < i / bs)) return success;
    if (!a_->by_blocks) {
      if (upper_ == PETSC_FALSE || j >= i) PetscCall(MatSetValue(a_->mat, i, j, at(i, j), INSERT_VALUES));
      return success;
    }
    const PetscInt row = i / bs;
    const PetscInt column = j / bs;
    PetscScalar values[9];
    for (PetscInt k = 0; k < bs * bs; ++k) values[k] = at(row * bs + k / bs, column * bs + k % bs);
    PetscCall(MatSetValuesBlocked(a_->mat, 1, &row, 1, &column, values, INSERT_VALUES));
    return success;
  }

  PetscScalar at(PetscInt i, PetscInt j) const { return all_[static_cast<std::size_t>(i * a_->n + j)]; }

  TrialMatrix* a_;
  const std::vector<PetscReal>& all_;
  PetscBool upper_ = PETSC_FALSE;
  PetscInt begin_ = 0;
  PetscInt end_ = 0;
};

}  // namespace

void add_entries(Draw* draw, PetscInt count, TrialMatrix* a) {
  if (a->n < 2) return;
  for (PetscInt k = 0; k < count; ++k) {
    const PetscInt i = draw->below(a->n);
    const PetscInt j = draw->below(a->n);
    const std::pair<PetscInt, PetscInt> entry(std::min(i, j), std::max(i, j));
    const bool known = std::find(a->entries.begin(), a->entries.end(), entry) != a->entries.end();
    if (i != j && !known) a->entries.push_back(entry);
  }
}

PetscErrorCode make_trial_matrix(MPI_Comm comm, Draw* draw, TrialMatrix* a) {
  PetscMPIInt rank = 0;
  PetscMPIInt size = 1;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  const MatType types[] = {MATAIJ, MATBAIJ, MATSBAIJ};
  *a = TrialMatrix();
  a->comm = comm;
  a->type = types[draw->below(3)];
  a->block = 1 + draw->below(3);
  // On several ranks, PETSc 3.18 puts blocks added after an assembly into wrong columns.
  a->by_blocks = size == 1 && draw->one_in(2);
  const PetscInt blocks = draw->one_in(8) ? draw->below(3) : 1 + draw->below(30);
  a->n = blocks * a->block;
  a->local = a->block * draw_layout(rank, size, blocks, draw);
  add_entries(draw, draw->below(4 * a->n + 1), a);
  PetscCall(MatCreate(comm, &a->mat));
  PetscCall(MatSetSizes(a->mat, a->local, a->local, a->n, a->n));
  PetscCall(MatSetBlockSize(a->mat, a->block));
  PetscCall(MatSetType(a->mat, a->type));
  PetscCall(MatSetUp(a->mat));
  PetscCall(MatSetOption(a->mat, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(set_version(a, 0, Spoilt::no, 0));
  return success;
}

PetscErrorCode set_version(TrialMatrix* a, PetscInt version, Spoilt spoilt, PetscInt spoilt_row) {
  std::vector<PetscReal> all = dense(*a, version);
  PetscFunctionBeginUser;
  if (a->n > 0) {
    PetscReal& pivot = all[static_cast<std::size_t>(spoilt_row * a->n + spoilt_row)];
    if (spoilt == Spoilt::not_a_number) pivot = std::numeric_limits<PetscReal>::quiet_NaN();
    if (spoilt == Spoilt::infinite) pivot = std::numeric_limits<PetscReal>::infinity();
    if (spoilt == Spoilt::negative_pivot) pivot = -50;
    if (spoilt == Spoilt::singular) pivot = 0;
  }
  PetscCall(Setter(a, all).set_all());
  PetscCall(MatAssemblyBegin(a->mat, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a->mat, MAT_FINAL_ASSEMBLY));
  return success;
}

PetscErrorCode trial_error(const TrialMatrix& a, PetscInt version, Vec x, Vec b, PetscReal* error) {
  VecScatter scatter = nullptr;
  Vec x_all = nullptr;
  Vec b_all = nullptr;
  const PetscScalar* x_values = nullptr;
  const PetscScalar* b_values = nullptr;
  PetscFunctionBeginUser;
  PetscCall(VecScatterCreateToAll(x, &scatter, &x_all));
  PetscCall(VecDuplicate(x_all, &b_all));
  for (const auto& [from, to] : {std::pair<Vec, Vec>(x, x_all), std::pair<Vec, Vec>(b, b_all)}) {
    PetscCall(VecScatterBegin(scatter, from, to, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(scatter, from, to, INSERT_VALUES, SCATTER_FORWARD));
  }
  PetscCall(VecGetArrayRead(x_all, &x_values));
  PetscCall(VecGetArrayRead(b_all, &b_values));
  const std::vector<PetscReal> all = dense(a, version);
  double residual = 0;
  double a_norm = 0;
  double x_norm = 0;
  double b_norm = 0;
  for (PetscInt i = 0; i < a.n; ++i) {
    double sum = PetscRealPart(b_values[i]);
    double row = 0;
    for (PetscInt j = 0; j < a.n; ++j) {
      sum -= all[static_cast<std::size_t>(i * a.n + j)] * PetscRealPart(x_values[j]);
      row += std::abs(all[static_cast<std::size_t>(i * a.n + j)]);
    }
    residual = std::isnan(sum) ? sum : std::max(residual, std::abs(sum));
    a_norm = std::max(a_norm, row);
    x_norm = std::max(x_norm, static_cast<double>(PetscAbsScalar(x_values[i])));
    b_norm = std::max(b_norm, static_cast<double>(PetscAbsScalar(b_values[i])));
  }
  PetscCall(VecRestoreArrayRead(x_all, &x_values));
  PetscCall(VecRestoreArrayRead(b_all, &b_values));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&x_all));
  PetscCall(VecDestroy(&b_all));
  *error = a.n == 0 ? 0 : static_cast<PetscReal>(residual / (a_norm * x_norm + b_norm));
  return success;
}

}  // namespace gpusupernodal::test
