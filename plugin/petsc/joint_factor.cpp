#include "plugin/petsc/joint_factor.hpp"

#include <algorithm>
#include <utility>

#include "gpusupernodal/error.hpp"
#include "plugin/petsc/columns_at_once.hpp"
#include "plugin/petsc/guard.hpp"

namespace gpusupernodal::petsc {
namespace {

Ranks with_tag(Ranks ranks, PetscMPIInt tag) {
  ranks.tag = tag;
  return ranks;
}

/// Where the scalars are complex, a Hermitian A has Aᵀ = conj(A): Aᵀ x = b is solved with conjugate vectors.
void conjugate(std::vector<PetscScalar>* numbers, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) (*numbers)[i] = PetscConj((*numbers)[i]);
}

}  // namespace

JointFactor::JointFactor(const Ranks& ranks, PetscMPIInt tag)
    : ranks_(ranks), fabric_(with_tag(ranks, tag)), solver_(fabric_) {}

/// Lists rows, columns and parts of this rank's entries, in the order of LocalRows. Does not communicate, but all ranks call
/// it together.
PetscErrorCode JointFactor::name_entries(std::vector<std::int64_t>* rows, std::vector<std::int64_t>* columns,
                                         std::vector<PetscMPIInt>* parts) const {
  PetscFunctionBegin;
  PetscCall(together(ranks_, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    columns->assign(local_->columns().begin(), local_->columns().end());
    rows->reserve(columns->size());
    parts->reserve(columns->size());
    std::int64_t row = first_row_;
    for (const PetscInt length : local_->lengths()) {
      rows->insert(rows->end(), static_cast<std::size_t>(length), row);
      ++row;
    }
    for (std::size_t k = 0; k < rows->size(); ++k)
      parts->push_back(static_cast<PetscMPIInt>(solver_.part_of_entry((*rows)[k], (*columns)[k])));
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode JointFactor::exchange_entries() {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
  std::vector<PetscMPIInt> parts;
  std::vector<std::int64_t> rows_here;
  std::vector<std::int64_t> columns_here;
  PetscFunctionBegin;
  PetscCall(name_entries(&rows, &columns, &parts));
  PetscCall(entry_exchange_.set_up(ranks_, parts));
  PetscCall(together(ranks_, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    const auto received = static_cast<std::size_t>(entry_exchange_.received());
    rows_here.resize(received);
    columns_here.resize(received);
    values_.resize(received);
    return PETSC_SUCCESS;
  }));
  PetscCall(entry_exchange_.send(MPIU_INT64, rows.data(), rows_here.data()));
  PetscCall(entry_exchange_.send(MPIU_INT64, columns.data(), columns_here.data()));
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    solver_.set_entries(rows_here, columns_here, StoredPart::upper);
    return PETSC_SUCCESS;
  });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode JointFactor::analyze(Mat a, const std::function<std::shared_ptr<const FactorPlan>()>& make_plan,
                                    const Options& options) {
  PetscFunctionBegin;
  PetscCall(together(ranks_, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    factorized_ = false;
    options_ = options;
    first_row_ = a->rmap->rstart;
    local_ = std::make_unique<LocalRows>();
    return local_->read_pattern(a, Entries::upper_triangle);
  }));
  PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    solver_.analyze(make_plan, options_);
    return PETSC_SUCCESS;
  });
  PetscCall(error);
  PetscCall(exchange_entries());
  PetscCall(row_exchange_.set_up(ranks_, a->rmap, solver_.rows()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads the pattern again. The values of equal patterns may still be at other places in PETSc's arrays.
PetscErrorCode JointFactor::compare_pattern(Mat a) {
  PetscFunctionBegin;
  PetscCall(together(ranks_, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    auto now = std::make_unique<LocalRows>();
    const PetscErrorCode error = now->read_pattern(a, Entries::upper_triangle);
    if (error != PETSC_SUCCESS) return error;
    const bool same = now->lengths() == local_->lengths() && now->columns() == local_->columns();
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "gpusupernodal: on this rank the matrix has another pattern than the analyzed one, or the same entries in "
               "another order: repeat the symbolic phase");
    local_ = std::move(now);
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode JointFactor::take_values(Mat a, bool same_pattern) {
  PetscFunctionBegin;
  if (!same_pattern) PetscCall(compare_pattern(a));
  PetscCall(together(ranks_, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode { return local_->read_values(a); }));
  PetscCall(entry_exchange_.send(MPIU_SCALAR, local_->values().data(), values_.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode JointFactor::factorize() {
  PetscFunctionBegin;
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    factorized_ = false;
    solver_.factorize(values_);
    factorized_ = true;
    return PETSC_SUCCESS;
  });
  PetscCall(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode JointFactor::solve_columns(const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x,
                                          bool transposed) {
  const auto rows = static_cast<std::int64_t>(solver_.rows().size());
  const auto count = static_cast<std::size_t>(rows * b.cols);
  PetscFunctionBegin;
  for (std::int64_t c = 0; c < b.cols; ++c) PetscCall(row_exchange_.to_parts(b.data + c * b.ld, columns_.data() + c * rows));
  if (complex_scalars && transposed) conjugate(&columns_, count);
  const PetscErrorCode error = guarded(PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    const DenseView<PetscScalar> view(columns_.data(), rows, b.cols, std::max<std::int64_t>(rows, 1));
    solver_.solve(view, view);
    return PETSC_SUCCESS;
  });
  PetscCall(error);
  if (complex_scalars && transposed) conjugate(&columns_, count);
  for (std::int64_t c = 0; c < b.cols; ++c) PetscCall(row_exchange_.to_ranks(columns_.data() + c * rows, x.data + c * x.ld));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode JointFactor::solve(const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, bool transposed) {
  PetscFunctionBegin;
  PetscCall(together(ranks_, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    const std::size_t needed = solver_.rows().size() * static_cast<std::size_t>(std::min(b.cols, columns_at_once));
    if (columns_.size() < needed) columns_.resize(needed);
    return PETSC_SUCCESS;
  }));
  for (std::int64_t first = 0; first < b.cols; first += columns_at_once) {
    const std::int64_t columns = std::min(columns_at_once, b.cols - first);
    PetscCall(solve_columns(DenseView<const PetscScalar>(b.data + first * b.ld, b.rows, columns, b.ld),
                            DenseView<PetscScalar>(x.data + first * x.ld, x.rows, columns, x.ld), transposed));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
