#include "solver/cuda/run/batch_lists.hpp"

namespace gpusupernodal::cuda {
namespace {

/// Bytes for the lists, each of which begins at a multiple of the slab's alignment.
std::int64_t slab_bytes(const BatchProgram& program) {
  constexpr std::int64_t most_lists = 40;
  return program.list_bytes() + most_lists * Slab::alignment;
}

template <class Element>
const Element* upload(Slab& slab, const std::vector<Element>& list) {
  return list.empty() ? nullptr : slab.upload(std::span<const Element>(list));
}

template <class Term>
BatchStageLists<Term> upload(Slab& slab, const BatchStages<Term>& stages) {
  return {upload(slab, stages.tasks), upload(slab, stages.terms), upload(slab, stages.stage_first), stages.stages()};
}

BatchLineLists<BatchRowTerm> upload(Slab& slab, const BatchRows& lines) {
  return {upload(slab, lines.offsets), upload(slab, lines.terms)};
}

BatchLineLists<std::int32_t> upload(Slab& slab, const BatchLines& lines) {
  return {upload(slab, lines.offsets), upload(slab, lines.entries)};
}

}  // namespace

BatchLists::BatchLists(const BatchProgram& program, const std::shared_ptr<Allocator>& allocator)
    : slab_(allocator, slab_bytes(program), "the lists of a batch") {
  const bool symmetric = program.is_symmetric();
  factor.stages = upload(slab_, program.factor);
  factor.entries = upload(slab_, program.entries);
  factor.diagonal = upload(slab_, program.diagonal);
  factor.columns = upload(slab_, program.columns);
  if (!symmetric) factor.rows = upload(slab_, program.rows);
  factor.a_rows = upload(slab_, program.a_rows);
  if (!symmetric) factor.a_columns = upload(slab_, program.a_columns);
  factor.row_scale = upload(slab_, program.row_scale);
  factor.column_scale = upload(slab_, program.column_scale);
  factor.entry_count = static_cast<std::int32_t>(program.values());
  factor.n = program.n;
  factor.entries_of_a = static_cast<std::int32_t>(program.entries_of_a);
  factor.sweeps = program.scaling_sweeps;
  solve.forward = upload(slab_, program.solve.forward);
  solve.backward = upload(slab_, program.solve.backward);
  solve.a = factor.a_rows;
  solve.diagonal = factor.diagonal;
  solve.in = upload(slab_, program.row_of_new);
  solve.out = upload(slab_, program.col_of_new);
  solve.entry_count = factor.entry_count;
  solve.n = factor.n;
  solve.entries_of_a = factor.entries_of_a;
  solve.sweeps = factor.sweeps;
  transposed = solve;
  if (symmetric) return;
  transposed.forward = upload(slab_, program.transposed.forward);
  transposed.backward = upload(slab_, program.transposed.backward);
  transposed.a = factor.a_columns;
  transposed.in = solve.out;
  transposed.out = solve.in;
  transposed.transposed = true;
}

}  // namespace gpusupernodal::cuda
