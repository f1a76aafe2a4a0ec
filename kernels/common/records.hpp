#pragma once

/// \file
/// The records that kernels read to know their work: one small record a warp or CTA. Planners write them before values
/// exist. A panel is a column-major block of `front` rows with leading dimension `ld`; its first `width` rows are the
/// diagonal block. All counts are in elements; rows and columns are positions within the panel. Plain C++.

#include <cstdint>
#include <limits>

#include "kernels/common/tile_shapes.hpp"

namespace gpusupernodal::cuda {

/// Of arrays in shared memory, in bytes: all banks once. Small variables beside them would otherwise shift them.
inline constexpr int shared_alignment = 128;

struct PanelInfo {
  std::int64_t offset = 0;        ///< Of its first value.
  std::int64_t rows = 0;          ///< Of its first row below the diagonal block, in the array of all row lists.
  std::int32_t first_column = 0;  ///< Of the whole matrix.
  std::int32_t width = 0;
  std::int32_t front = 0;
  std::int32_t ld = 0;
};

/// Where the rows of a source panel lie in one target panel: panel row i of the source is row relative_rows[relative + i].
struct UpdateInfo {
  std::int64_t target = 0;  ///< Offset of the target panel's first value.
  std::int64_t relative = 0;
  std::int32_t ld = 0;  ///< Of the target.
  std::int32_t unused = 0;
};

/// Factorize a whole front. stride: its panel's leading dimension in the shared memory of a CTA, 4 more than a multiple of
/// 8, with rows below padded to 32; a warp has one of its own.
struct FrontTask {
  std::int32_t panel = 0;
  std::int32_t stride = 0;
};

/// Factorize columns column … column+width−1 of a panel's diagonal block, after the product of the `before` columns before
/// them, 0 or tile_size, is subtracted from it.
struct DiagonalTask {
  std::int32_t panel = 0;
  std::int32_t column = 0;
  std::int32_t width = 0;
  std::int32_t before = 0;
};

/// Scale rows row … min(row+63, front−1) of columns column … column+width−1.
struct TrsmTask {
  std::int32_t panel = 0;
  std::int32_t column = 0;
  std::int32_t width = 0;
  std::int32_t row = 0;
};

/// One tile, corner (row, col), of the product of columns column … column+depth−1 with themselves transposed.
/// Valid entries have first ≤ j < col_end, j ≤ i < front. If col_end ≤ width they are subtracted from the same panel's
/// (i, j), otherwise at the ancestors that update_of_row names.
struct ProductTask {
  std::int32_t panel = 0;
  std::int32_t column = 0;
  std::int32_t depth = 0;
  std::int32_t row = 0;
  std::int32_t col = 0;
  std::int32_t first = 0;
  std::int32_t col_end = 0;
};

/// What a SolveTask does, and of which a warp or CTA; `columns` and `last_columns` are backward only.
enum class SolveKind : std::int32_t { whole_by_warp, whole, diagonal, rows, tall_rows, columns, last_columns, warps };

/// A piece of a triangular solve, with what it needs to know of its panel: a load less to wait for. A front's vector has its
/// own columns' entries and its contribution: what it leaves for ancestors, a number for each row below. whole,
/// whole_by_warp: all of a front of at most tile_size columns (warp_width). diagonal: rows row_begin … row_end−1 of the
/// inverse of the diagonal block column … column+width−1 times its vector. rows, tall_rows: rows row_begin … row_end−1 times
/// columns column … column+width−1. columns: the same columns, transposed, times rows row_begin … row_end−1. last_columns:
/// that and the sum of the block's chunks, with one right-hand side. warps: a CTA whose warps take the `width` tasks from
/// `column` on in a list of their own, in turns. A task starts when counter `wait` has reached `need` and `also` `also_need`
/// (none where negative), and counts itself in `arrive`. Where columns have several chunks, `also` counts those that are
/// done, and `also_need` is 0.
/// With one right-hand side tasks wait for the entries that they read alone. Of kind `warps` then, `chunks` is 1 where
/// fronts take the room of two, and `chunk`, if not 0, says that teams of so many warps take a whole front each. Forward,
/// `partial` is where a block leaves what remains of the rows below the front's first block: as many numbers for each block
/// but the last.
struct SolveTask {
  std::int64_t offset = 0;        ///< Of the panel's first value.
  std::int32_t rows = 0;          ///< Of its first row below the diagonal block, in the array of all row lists.
  std::int32_t first_column = 0;  ///< Of the whole matrix.
  std::int32_t panel_width = 0;
  std::int32_t front = 0;
  std::int32_t ld = 0;
  SolveKind kind = SolveKind::whole;
  std::int32_t column = 0;
  std::int32_t width = 0;
  std::int32_t row_begin = 0;
  std::int32_t row_end = 0;
  std::int32_t partial = 0;  ///< Where partial sums begin; backward, as many numbers a chunk as the block has columns.
  std::int32_t chunks = 0;   ///< Backward: chunks of partial sums; of `warps`: 1 if its fronts are large.
  std::int32_t chunk = 0;    ///< Backward, columns: which of them this is.
  std::int32_t wait = -1;
  std::int32_t need = 0;
  std::int32_t also = -1;
  std::int32_t also_need = 0;
  std::int32_t arrive = -1;
};

/// The inverses of columns column … column+half−1 and of the next `width` become that of both.
struct MergeInversesTask {
  std::int32_t panel = 0;
  std::int32_t column = 0;
  std::int32_t half = 0;
  std::int32_t width = 0;
};

/// Where the contributions to a front's row come from: first[0], first[1], … while not negative. If `more` is not negative,
/// gather_more[more] further positions follow from gather_more[more + 1] on.
struct alignas(16) RowSources {
  std::int32_t first[3];
  std::int32_t more;
};

/// What DeviceStatus has while nothing failed.
inline constexpr std::int64_t no_entry = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int32_t no_column = std::numeric_limits<std::int32_t>::max();

/// What a factorization reads, and what it leaves behind.
struct DeviceStatus {
  const void* values = nullptr;  ///< A's values on the device.
  double scale = 1.0;            ///< By which they are multiplied.
  std::int64_t bad_entry = 0;    ///< Smallest index into A's values that is not finite.
  double bad_value = 0.0;
  double failed_pivot = 0.0;
  std::uint64_t smallest_pivot = 0;  ///< Bits of a non-negative double, which order as integers do.
  std::uint64_t largest_pivot = 0;
  std::int32_t failed_column = 0;
  std::int32_t unused = 0;
};

}  // namespace gpusupernodal::cuda
