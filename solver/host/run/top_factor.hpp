#pragma once

/// \file
/// TopFactor: a part's block columns of the top, factorized together with the other parts.

#include <cstdint>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/fabric.hpp"
#include "kernels/host/host_kernels.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/host/plan/part_entries.hpp"
#include "solver/host/run/ordered_runner.hpp"
#include "solver/host/run/pivot_monitor.hpp"
#include "solver/host/run/workers.hpp"

namespace gpusupernodal {

/// All parts call the members in the same order. A part works on the block columns in ascending order: it receives those of
/// others that it needs, subtracts their products from its own, and sends each of its own as soon as nothing is missing. A
/// part that waits for a block column has sent all preceding ones of its own, so some part can always go on. What is sent
/// does not depend on values: a failed pivot stops nothing.
template <class T>
class TopFactor {
 public:
  using Real = typename ScalarTraits<T>::Real;

  /// All references must outlive this. Throws OutOfMemory.
  TopFactor(const PartPlan& plan, Fabric& fabric, const std::shared_ptr<Allocator>& allocator, WorkerTeam& team);

  /// The part's block columns := scale·A. Values that are not finite are noted with their position in `entries`.
  void assemble(const std::vector<PartEntries::OfTop>& entries, const FactorInput<T>& input, bool check_finite);
  /// Sends the contribution block of the part's subtrees, and adds those of all parts, in their order. `panel` is its panel,
  /// which must stay as it is until factorize has returned.
  void add_contributions(const T* panel);
  void factorize();

  /// Columns are those of the whole; failed_entry is a position in the list given to assemble.
  FactorOutcome outcome() const { return monitor_.outcome(); }
  /// Values of the part's block columns (TopBlock::offset).
  const T* values() const { return values_.data(); }

 private:
  /// Columns of one target that one worker updates: `first` … `last`−1 of the target, or of the update's rows.
  struct Piece {
    const TopProduct* product;
    std::int32_t first;
    std::int32_t last;
  };
  T* values(std::int32_t block) { return values_.data() + plan_.blocks[static_cast<std::size_t>(block)].offset; }
  void add_piece(const ContributionPiece& piece, const T* data);
  void find_relative_rows(const ContributionPiece& piece);
  void subtract(const TopBlock& source, const T* data, const Piece& piece);
  void subtract_all(const TopBlock& source, const T* data, std::span<const TopProduct> products);
  void factor_block(const TopBlock& block);
  void advance(std::int32_t done);

  const PartPlan& plan_;
  Fabric& fabric_;
  WorkerTeam& team_;
  const HostKernels<T>& kernels_;
  Buffer<T> values_;
  Buffer<T> received_;                  ///< A block column, or a piece of a contribution block, of another part.
  std::vector<std::int32_t> relative_;  ///< Rows of a panel, for the rows of a contribution block; −1: none.
  std::vector<Piece> pieces_;
  SharedLoop loop_;
  PivotMonitor monitor_{1};
  std::size_t next_own_ = 0;  ///< Index into own_blocks of the next one to factorize.
};

#define GPUSUPERNODAL_INSTANTIATE(T) extern template class TopFactor<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
