#include "solver/cuda/plan/batch_program.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "gpusupernodal/error.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

using cuda::BatchTerm;
using cuda::StagedTerm;

/// A place in a row of W, or in a column of V.
struct Place {
  std::int32_t index;  ///< Its column, or its row.
  std::int32_t entry;
};

/// The stored entries of A by rows, in elimination order: column and source.
using RowsOfA = std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>>;

RowsOfA rows_of_a(const FactorStructure& structure) {
  const AssemblyMap& map = structure.assembly;
  RowsOfA rows(static_cast<std::size_t>(structure.symbolic.order()));
  for (std::size_t e = 0; e < map.source.size(); ++e)
    rows[static_cast<std::size_t>(map.row[e].value)].push_back(
        {map.column[e].value, static_cast<std::int32_t>(map.source[e])});
  return rows;
}

/// Eliminates row by row: first the pattern of the row, then the sums of its entries.
class Elimination {
 public:
  Elimination(BatchProgram& program, const FactorStructure& structure)
      : program_(program), a_(rows_of_a(structure)), right_(a_.size()), position_(a_.size(), -1), source_(a_.size(), -1) {
    program_.diagonal.resize(a_.size());
  }

  /// Throws BackendUnavailable if there are more than max_batch_terms terms. Before run(), because the lists of so many
  /// terms take hundreds of megabytes.
  void require_few_terms() {
    std::int64_t terms = 0;
    for (std::int32_t i = 0; i < program_.n && terms <= max_batch_terms; ++i) {
      find_pattern(i);
      for (const std::int32_t m : pattern_) {
        if (m >= i) break;
        std::vector<Place>& right = right_[static_cast<std::size_t>(m)];
        terms += static_cast<std::int64_t>(right.size()) + (is_symmetric() ? 1 : 0);
        if (is_symmetric()) right.push_back({i, 0});
      }
      if (!is_symmetric()) add_row_of_w(i);
    }
    if (terms > max_batch_terms) {
      fail<BackendUnavailable>(
          "a factorization of one system has more than {} multiplications, the most that a batch on the CUDA backend lists; "
          "use the host backend, or a Solver for each system",
          max_batch_terms);
    }
    for (std::vector<Place>& right : right_) right.clear();
    std::fill(position_.begin(), position_.end(), -1);
    std::fill(source_.begin(), source_.end(), -1);
  }

  void run() {
    for (std::int32_t i = 0; i < program_.n; ++i) {
      find_pattern(i);
      add_entries(i);
      collect_terms(i);
      place_sums(i);
    }
    program_.factor = planner_.finish();
  }

 private:
  bool is_symmetric() const { return program_.is_symmetric(); }

  void note(std::int32_t column, std::int32_t row) {
    std::int32_t& at = position_[static_cast<std::size_t>(column)];
    if (at == row + marked) return;
    at = row + marked;
    pattern_.push_back(column);
    if (column < row) pending_.push(column);
  }

  /// The columns of row i, ascending. Elimination with row m < i adds the columns of row m of W.
  void find_pattern(std::int32_t i) {
    pattern_.clear();
    note(i, i);
    for (const auto& [column, source] : a_[static_cast<std::size_t>(i)]) {
      note(column, i);
      source_[static_cast<std::size_t>(column)] = source;
    }
    while (!pending_.empty()) {
      const std::int32_t m = pending_.top();
      pending_.pop();
      for (const Place& place : right_[static_cast<std::size_t>(m)]) note(place.index, i);
    }
    std::sort(pattern_.begin(), pattern_.end());
  }

  void add_entries(std::int32_t i) {
    first_ = static_cast<std::int32_t>(program_.entries.size());
    for (const std::int32_t j : pattern_) {
      const auto column = static_cast<std::size_t>(j);
      position_[column] = static_cast<std::int32_t>(program_.entries.size());
      program_.entries.push_back({i, j, std::exchange(source_[column], -1)});
    }
    program_.diagonal[static_cast<std::size_t>(i)] = position_[static_cast<std::size_t>(i)];
    sums_.resize(std::max(sums_.size(), pattern_.size()));
  }

  std::int32_t entry_at(std::int32_t column) const { return position_[static_cast<std::size_t>(column)]; }

  void add_term(std::int32_t target, std::int32_t left, std::int32_t right, std::int32_t pivot) {
    sums_[static_cast<std::size_t>(target - first_)].push_back({-1, {left, right, pivot}});
  }

  void collect_terms(std::int32_t i) {
    for (const std::int32_t m : pattern_) {
      if (m >= i) break;
      const std::int32_t left = entry_at(m);
      for (const Place& place : right_[static_cast<std::size_t>(m)]) add_term(entry_at(place.index), left, place.entry, m);
      if (is_symmetric()) {
        add_term(entry_at(i), left, left, m);
        right_[static_cast<std::size_t>(m)].push_back({i, left});
      }
    }
    if (!is_symmetric()) add_row_of_w(i);
  }

  void add_row_of_w(std::int32_t i) {
    for (const std::int32_t j : pattern_) {
      if (j > i) right_[static_cast<std::size_t>(i)].push_back({j, entry_at(j)});
    }
  }

  void place_sums(std::int32_t i) {
    for (std::size_t k = 0; k < pattern_.size(); ++k) {
      std::vector<StagedTerm<BatchTerm>>& sum = sums_[k];
      for (StagedTerm<BatchTerm>& term : sum) {
        const std::int32_t pivot = program_.diagonal[static_cast<std::size_t>(term.term.pivot)];
        term.stage = std::max({stage_of(term.term.left), stage_of(term.term.right), stage_of(pivot)});
      }
      const bool is_pivot = pattern_[k] == i;
      const auto target = static_cast<std::int32_t>(stage_.size());
      stage_.push_back(planner_.place(target, sum, is_pivot ? i : -1, is_pivot));
      sum.clear();
    }
  }

  std::int32_t stage_of(std::int32_t entry) const { return stage_[static_cast<std::size_t>(entry)]; }

  static constexpr std::int32_t marked = std::numeric_limits<std::int32_t>::min();  ///< Marks rows; no position.

  BatchProgram& program_;
  RowsOfA a_;
  std::vector<std::vector<Place>> right_;  ///< Rows of W so far, or columns of V.
  std::vector<std::int32_t> position_;     ///< Entry of the present row in each column, or the row that marked it.
  std::vector<std::int32_t> source_;       ///< Entry of A in each column of the present row.
  std::vector<std::int32_t> pattern_;
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> pending_;
  std::vector<std::vector<StagedTerm<BatchTerm>>> sums_;
  std::vector<std::int32_t> stage_;  ///< Stage that completes each entry.
  cuda::StagePlanner<BatchTerm> planner_;
  std::int32_t first_ = 0;
};

/// Entries by one of their two indices, each line ascending by the other.
BatchLines lines_of(const BatchProgram& program, std::int32_t cuda::BatchEntry::*line, bool below) {
  BatchLines lines;
  const auto belongs = [&](const cuda::BatchEntry& entry) {
    return below ? entry.row > entry.column : entry.row < entry.column;
  };
  lines.offsets.assign(static_cast<std::size_t>(program.n) + 1, 0);
  for (const cuda::BatchEntry& entry : program.entries) {
    if (belongs(entry)) ++lines.offsets[static_cast<std::size_t>(entry.*line) + 1];
  }
  for (std::size_t k = 1; k < lines.offsets.size(); ++k) lines.offsets[k] += lines.offsets[k - 1];
  lines.entries.resize(static_cast<std::size_t>(lines.offsets.back()));
  std::vector<std::int32_t> next(lines.offsets.begin(), lines.offsets.end() - 1);
  for (std::size_t e = 0; e < program.entries.size(); ++e) {
    const cuda::BatchEntry& entry = program.entries[e];
    if (!belongs(entry)) continue;
    lines.entries[static_cast<std::size_t>(next[static_cast<std::size_t>(entry.*line)]++)] = static_cast<std::int32_t>(e);
  }
  return lines;
}

/// The tasks of a sweep whose targets need the entries of their line; `other` is the index of the vector's entry.
cuda::BatchStages<cuda::BatchSweepTerm> sweep_of(const BatchProgram& program, const BatchLines& lines,
                                                 std::int32_t cuda::BatchEntry::*other, bool forward) {
  cuda::StagePlanner<cuda::BatchSweepTerm> planner;
  std::vector<std::int32_t> stage(static_cast<std::size_t>(program.n), -1);
  std::vector<StagedTerm<cuda::BatchSweepTerm>> sum;
  for (std::int32_t step = 0; step < program.n; ++step) {
    const std::int32_t k = forward ? step : program.n - 1 - step;
    const auto line = static_cast<std::size_t>(k);
    sum.clear();
    for (std::int32_t at = lines.offsets[line]; at < lines.offsets[line + 1]; ++at) {
      const std::int32_t e = lines.entries[static_cast<std::size_t>(at)];
      const std::int32_t from = program.entries[static_cast<std::size_t>(e)].*other;
      sum.push_back({stage[static_cast<std::size_t>(from)], {e, from}});
    }
    stage[line] = planner.place(k, sum, forward ? k : -1, forward);
  }
  return planner.finish();
}

void add_sweeps(BatchProgram& program) {
  using cuda::BatchEntry;
  const BatchLines rows_of_v = lines_of(program, &BatchEntry::row, true);
  program.columns = lines_of(program, &BatchEntry::column, true);
  program.solve.forward = sweep_of(program, rows_of_v, &BatchEntry::column, true);
  if (program.is_symmetric()) {
    program.solve.backward = sweep_of(program, program.columns, &BatchEntry::row, false);
    return;
  }
  program.rows = lines_of(program, &BatchEntry::row, false);
  const BatchLines columns_of_w = lines_of(program, &BatchEntry::column, false);
  program.solve.backward = sweep_of(program, program.rows, &BatchEntry::column, false);
  program.transposed.forward = sweep_of(program, columns_of_w, &BatchEntry::row, true);
  program.transposed.backward = sweep_of(program, program.columns, &BatchEntry::row, false);
}

/// Rows of A, or columns: for each stored entry the term (line, source, other).
BatchRows lines_of_a(const FactorStructure& structure, bool rows, bool both) {
  const AssemblyMap& map = structure.assembly;
  BatchRows lines;
  const auto each = [&](const auto& visit) {
    for (std::size_t e = 0; e < map.source.size(); ++e) {
      const std::int32_t row = map.row[e].value, column = map.column[e].value;
      const auto source = static_cast<std::int32_t>(map.source[e]);
      visit(rows ? row : column, source, rows ? column : row);
      if (both && row != column) visit(column, source, row);
    }
  };
  lines.offsets.assign(static_cast<std::size_t>(structure.symbolic.order()) + 1, 0);
  each([&](std::int32_t line, std::int32_t, std::int32_t) { ++lines.offsets[static_cast<std::size_t>(line) + 1]; });
  for (std::size_t k = 1; k < lines.offsets.size(); ++k) lines.offsets[k] += lines.offsets[k - 1];
  lines.terms.resize(static_cast<std::size_t>(lines.offsets.back()));
  std::vector<std::int32_t> next(lines.offsets.begin(), lines.offsets.end() - 1);
  each([&](std::int32_t line, std::int32_t source, std::int32_t other) {
    lines.terms[static_cast<std::size_t>(next[static_cast<std::size_t>(line)]++)] = {source, other};
  });
  return lines;
}

void add_orders(BatchProgram& program, const FactorStructure& structure) {
  const auto& column_of = structure.symbolic.permutation.old_of_new;
  const GeneralStructure* const general = structure.general.get();
  const bool has_scales = general != nullptr && !general->row_exponent.empty();
  for (NewIndex k : IdRange<NewIndex>(program.n)) {
    const std::int32_t column = column_of[k].value;
    const std::int32_t row = general != nullptr ? general->old_row_of_new[k].value : column;
    program.row_of_new.push_back(row);
    program.col_of_new.push_back(column);
    if (!has_scales) continue;
    program.row_scale.push_back(general->row_exponent[static_cast<std::size_t>(row)]);
    program.column_scale.push_back(general->column_exponent[static_cast<std::size_t>(column)]);
  }
  constexpr std::int32_t sweeps_from_nothing = 5;
  if (program.is_scaled()) program.scaling_sweeps = has_scales ? 1 : sweeps_from_nothing;
}

template <class Element>
std::int64_t bytes_in(const std::vector<Element>& list) {
  return static_cast<std::int64_t>(list.size() * sizeof(Element));
}

template <class Term>
std::int64_t bytes_in(const cuda::BatchStages<Term>& stages) {
  return bytes_in(stages.tasks) + bytes_in(stages.terms) + bytes_in(stages.stage_first);
}

void require_supernodes(const FactorStructure& structure) {
  if (structure.columns)
    fail<BackendUnavailable>("batches on the CUDA backend need LU by supernodes, but the option lu_schedule is columns");
  if (structure.dense)
    fail<BackendUnavailable>("batches on the CUDA backend need LU by supernodes, but the option lu_schedule is dense");
  if (structure.assembly.entries_of_a > std::numeric_limits<std::int32_t>::max())
    fail<BackendUnavailable>("the matrix has {} entries, but a batch on the CUDA backend supports at most {}",
                             structure.assembly.entries_of_a, std::numeric_limits<std::int32_t>::max());
}

}  // namespace

std::int64_t BatchProgram::list_bytes() const {
  std::int64_t bytes = bytes_in(entries) + bytes_in(diagonal) + bytes_in(factor) + bytes_in(row_of_new) +
                       bytes_in(col_of_new) + bytes_in(row_scale) + bytes_in(column_scale);
  for (const BatchLines* lines : {&columns, &rows}) bytes += bytes_in(lines->offsets) + bytes_in(lines->entries);
  for (const BatchRows* lines : {&a_rows, &a_columns}) bytes += bytes_in(lines->offsets) + bytes_in(lines->terms);
  for (const BatchSweeps* sweeps : {&solve, &transposed}) bytes += bytes_in(sweeps->forward) + bytes_in(sweeps->backward);
  return bytes;
}

std::int64_t BatchProgram::workspace_bytes(ScalarType scalar) const {
  const std::int64_t scales = is_scaled() ? (is_symmetric() ? 2 : 4) * std::int64_t{n} : 0;
  return entries_of_a * bytes_of(scalar) + scales * std::int64_t{sizeof(std::int32_t)};
}

BatchProgram make_batch_program(const FactorStructure& structure, Form form) {
  require_supernodes(structure);
  BatchProgram program;
  program.form = form;
  program.n = structure.symbolic.order();
  program.entries_of_a = structure.assembly.entries_of_a;
  Elimination elimination(program, structure);
  elimination.require_few_terms();
  elimination.run();
  add_sweeps(program);
  program.a_rows = lines_of_a(structure, true, program.is_symmetric());
  if (!program.is_symmetric()) program.a_columns = lines_of_a(structure, false, false);
  add_orders(program, structure);
  return program;
}

}  // namespace gpusupernodal
