#pragma once

/// \file
/// Records of the tasks of a triangular solve. A task has fields of its front, fields that all kinds have, and details
/// that depend on its kind; SolveDetails<kind> names those. Planners write SolveWork, kernels read SolveTask. All counts
/// are in elements; rows and columns are positions within the panel. Plain C++.

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace gpusupernodal::cuda {

/// What a task computes. A front's vector holds the entries of its own columns and its contribution to ancestors, one
/// number per row below.
enum class SolveKind : std::int32_t {
  whole_by_warp,  ///< An entire front of at most warp_width columns, by one warp.
  whole,          ///< An entire front of at most tile_size columns, by a CTA or a team of its warps.
  diagonal,       ///< Rows row_begin … row_end−1 of the inverse of diagonal block column … column+width−1, times its
                  ///< vector.
  rows,           ///< Forward: rows row_begin … row_end−1 times columns column … column+width−1.
  columns,        ///< Backward, several right-hand sides: these columns, transposed, times rows row_begin … row_end−1.
  partial_columns,  ///< Backward, one right-hand side: as `columns`, but leaves partial sums.
  last_columns,     ///< Backward, one right-hand side: as `columns`, then adds up the partial sums of the block's other
                    ///< chunks.
  warps,            ///< A CTA whose warps run tasks of kind whole_by_warp.
  teams_of_two,     ///< One right-hand side: a CTA whose teams of two warps run tasks of kind `whole`.
  teams_of_four,    ///< One right-hand side: a CTA whose teams of four warps run tasks of kind `whole`.
};

/// Kinds of tasks, as a type.
template <SolveKind... kinds>
struct SolveKinds {};

/// The kinds that each sweep has. Kernels are compiled for these and stop at any other.
using ForwardKinds = SolveKinds<SolveKind::warps, SolveKind::whole, SolveKind::diagonal, SolveKind::rows>;
using BackwardKinds = SolveKinds<SolveKind::warps, SolveKind::whole, SolveKind::diagonal, SolveKind::columns>;
using OneRhsForwardKinds = SolveKinds<SolveKind::warps, SolveKind::teams_of_two, SolveKind::teams_of_four, SolveKind::whole,
                                      SolveKind::diagonal, SolveKind::rows>;
using OneRhsBackwardKinds = SolveKinds<SolveKind::warps, SolveKind::teams_of_two, SolveKind::teams_of_four, SolveKind::whole,
                                       SolveKind::diagonal, SolveKind::partial_columns, SolveKind::last_columns>;

/// Whether a task stands for tasks of a sweep's second list.
constexpr bool is_group(SolveKind kind) { return kind >= SolveKind::warps; }

/// The panel of a task's front. The task repeats these fields so that the kernel waits for one load less.
struct SolveFront {
  std::int64_t offset = 0;        ///< PanelBlock::origin of the block column that contains the task's columns.
  std::int32_t rows = 0;          ///< Index of its first row below the diagonal block in the concatenated row lists.
  std::int32_t first_column = 0;  ///< First column of the panel in the whole matrix.
  std::int32_t panel_width = 0;
  std::int32_t front = 0;
  std::int32_t ld = 0;  ///< Leading dimension of that block column.
  std::int32_t unused = 0;
};

/// What all kinds but groups have. A task starts when counter `wait` has reached `need` (a negative index means no
/// wait), and increments counter `arrive` when it is done. With one right-hand side, kernels wait for the entries that
/// they read instead; the counters then only say what must come first.
struct SolveHead {
  SolveKind kind = SolveKind::whole;
  std::int32_t column = 0;
  std::int32_t width = 0;
  std::int32_t row_begin = 0;
  std::int32_t row_end = 0;
  std::int32_t wait = -1;
  std::int32_t need = 0;
  std::int32_t arrive = -1;
};

/// A second counter that a task waits for.
struct SolveAlso {
  std::int32_t also = -1;
  std::int32_t also_need = 0;
};

/// What tasks of one kind have besides.
template <SolveKind kind>
struct SolveDetails {};

template <>
struct SolveDetails<SolveKind::diagonal> {
  /// Backward, one right-hand side: 1 if products were subtracted from the block's right-hand sides, otherwise 0.
  std::int32_t after_products = 0;
};
template <>
struct SolveDetails<SolveKind::rows> : SolveAlso {
  /// One right-hand side: index where the block leaves what remains of the rows below the front's first block. Each
  /// block but the last leaves equally many numbers.
  std::int32_t left = 0;
};
template <>
struct SolveDetails<SolveKind::columns> {
  std::int32_t finished = -1;  ///< Counter of the block's finished chunks, if there are several.
  std::int32_t partial = 0;    ///< Index of this chunk's first partial sum; each chunk has one per column of the block.
  std::int32_t chunk = 0;
  std::int32_t chunks = 0;  ///< Chunks that the rows below the block are cut into.
};
template <>
struct SolveDetails<SolveKind::partial_columns> {
  std::int32_t partial = 0;  ///< Index of this task's first partial sum.
};
template <>
struct SolveDetails<SolveKind::last_columns> : SolveAlso {
  std::int32_t partial = 0;  ///< Index of the first chunk's partial sum for the task's first column.
  std::int32_t others = 0;   ///< Number of other chunks; each has one partial sum per column of the block.
};
/// Tasks first … first+count−1 of the sweep's second list.
struct SolveGroup {
  std::int32_t first = 0;
  std::int32_t count = 0;
};
template <>
struct SolveDetails<SolveKind::warps> : SolveGroup {
  std::int32_t are_large = 0;  ///< One right-hand side: 1 if each front uses the shared memory of two, otherwise 0.
};
template <>
struct SolveDetails<SolveKind::teams_of_two> : SolveGroup {};
template <>
struct SolveDetails<SolveKind::teams_of_four> : SolveGroup {};

/// A task of any kind, apart from its front.
struct SolveWork : SolveHead {
  std::int32_t details[4] = {};  ///< A SolveDetails<kind>.

  /// Returns the details. Precondition: the task is of this kind.
  template <SolveKind of>
  SolveDetails<of> get() const {
    SolveDetails<of> found;
    copy(&found, details, found);
    return found;
  }
  /// Makes it a task of this kind.
  template <SolveKind of>
  void set(const SolveDetails<of>& from) {
    kind = of;
    copy(details, &from, from);
  }

 private:
  template <class Details>
  static void copy(void* to, const void* from, const Details&) {
    static_assert(sizeof(Details) <= sizeof(details) && std::is_trivially_copyable_v<Details>);
    if constexpr (!std::is_empty_v<Details>) std::memcpy(to, from, sizeof(Details));
  }
};

/// A task as kernels read it.
struct SolveTask : SolveFront, SolveWork {};
static_assert(sizeof(SolveTask) == 80);

}  // namespace gpusupernodal::cuda
