/// \file
/// Solves with a factor on one rank and vectors distributed over several.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "plugin/petsc/columns_at_once.hpp"
#include "plugin/petsc/factor_data.hpp"

namespace gpusupernodal::petsc {
namespace {

void copy_columns(const PetscScalar* from, std::int64_t from_ld, PetscScalar* to, std::int64_t to_ld, std::int64_t rows,
                  std::int64_t columns) {
  for (std::int64_t column = 0; column < columns; ++column) {
    std::copy_n(from + column * from_ld, rows, to + column * to_ld);
  }
}

/// On the owner: calls copy(offset, first_row, rows) for each rank, with the offset of the rank's part in the concatenated
/// array, and the rank's first row and number of rows.
template <class Copy>
void for_each_rank(const Mat f, std::int64_t columns, Copy&& copy) {
  const PetscInt* range = f->rmap->range;
  for (PetscMPIInt rank = 0; rank < f->rmap->size; ++rank) {
    copy(columns * static_cast<std::int64_t>(range[rank]), range[rank], range[rank + 1] - range[rank]);
  }
}

/// Sets the number of entries of each rank in `columns` columns. Precondition: reserve_buffers has sized `counts`.
void count_entries(Mat f, std::int64_t columns, std::vector<std::int64_t>* counts) {
  auto next = counts->begin();
  for_each_rank(f, columns, [&](std::int64_t, std::int64_t, std::int64_t rows) { *next++ = rows * columns; });
}

PetscErrorCode solve_on_owner(Mat f, std::int64_t columns, System part) {
  VectorBuffers& buffers = factor_data(f).buffers;
  const std::int64_t n = f->rmap->N;
  PetscScalar* collected = buffers.collected.data();
  if (columns == 1) {
    const DenseView<PetscScalar> x(collected, n);
    return solve_logged(f, x, x, part);
  }
  PetscScalar* dense = buffers.dense.data();
  for_each_rank(f, columns, [&](std::int64_t from, std::int64_t row, std::int64_t rows) {
    copy_columns(collected + from, rows, dense + row, n, rows, columns);
  });
  const DenseView<PetscScalar> x(dense, n, columns, std::max<std::int64_t>(n, 1));
  const PetscErrorCode error = solve_logged(f, x, x, part);
  for_each_rank(f, columns, [&](std::int64_t to, std::int64_t row, std::int64_t rows) {
    copy_columns(dense + row, n, collected + to, rows, rows, columns);
  });
  return error;
}

PetscErrorCode reserve_buffers(Mat f, std::int64_t columns) {
  FactorData& data = factor_data(f);
  const auto mine = static_cast<std::size_t>(f->rmap->n * columns);
  const auto all = data.ranks.owner() ? static_cast<std::size_t>(f->rmap->N * columns) : 0;
  return together(data.ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    VectorBuffers& buffers = data.buffers;
    if (data.ranks.owner()) buffers.counts.resize(static_cast<std::size_t>(data.ranks.size));
    if (columns > 1 && buffers.mine.size() < mine) buffers.mine.resize(mine);
    if (buffers.collected.size() < all) buffers.collected.resize(all);
    if (columns > 1 && buffers.dense.size() < all) buffers.dense.resize(all);
    return PETSC_SUCCESS;
  });
}

PetscErrorCode solve_columns(Mat f, const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, System part) {
  FactorData& data = factor_data(f);
  const std::int64_t mine = b.rows * b.cols;
  const std::vector<std::int64_t>& counts = data.buffers.counts;

  PetscFunctionBegin;
  if (data.ranks.owner()) count_entries(f, b.cols, &data.buffers.counts);
  const PetscScalar* right = b.data;
  PetscScalar* solution = x.data;
  if (b.cols > 1) {
    right = solution = data.buffers.mine.data();
    copy_columns(b.data, b.ld, solution, b.rows, b.rows, b.cols);
  }
  PetscCall(collect(data.ranks, sizeof(PetscScalar), right, mine, counts, data.buffers.collected.data()));
  PetscCall(together(data.ranks, PETSC_FUNCTION_NAME, __LINE__, [&]() -> PetscErrorCode {
    return data.ranks.owner() ? solve_on_owner(f, b.cols, part) : PETSC_SUCCESS;
  }));
  PetscCall(distribute(data.ranks, sizeof(PetscScalar), data.buffers.collected.data(), counts, solution, mine));
  if (b.cols > 1) copy_columns(solution, b.rows, x.data, x.ld, b.rows, b.cols);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode solve_collected(Mat f, const DenseView<const PetscScalar>& b, const DenseView<PetscScalar>& x, System part) {
  PetscFunctionBegin;
  PetscCall(reserve_buffers(f, std::min(b.cols, columns_at_once)));
  for (std::int64_t first = 0; first < b.cols; first += columns_at_once) {
    const std::int64_t columns = std::min(columns_at_once, b.cols - first);
    PetscCall(solve_columns(f, DenseView<const PetscScalar>(b.data + first * b.ld, b.rows, columns, b.ld),
                            DenseView<PetscScalar>(x.data + first * x.ld, x.rows, columns, x.ld), part));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
