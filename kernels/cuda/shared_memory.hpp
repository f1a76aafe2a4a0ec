#pragma once

/// \file
/// Layout and size of the shared memory that kernels request at launch. Plain C++, so that a test without a device can
/// compare the sizes with the limits of every compute capability.

#include "kernels/common/device_complex.hpp"
#include "kernels/common/records.hpp"
#include "kernels/common/scalar_traits.hpp"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {

/// Shared memory of a CTA, in bytes.
struct SharedMemory {
  int dynamic_bytes = 0;  ///< Requested by the launch.
  int static_bytes = 0;   ///< Upper bound of what the kernel declares.

  /// Whether it fits into a device's limit per CTA (cudaDevAttrMaxSharedMemoryPerBlockOptin).
  constexpr bool fits(int limit) const { return dynamic_bytes + static_bytes <= limit; }
};

/// Largest memory that a kernel may declare, in bytes.
inline constexpr int static_memory_limit = 49152;

/// Static memory of TraceScope, padded so that the dynamic part behind it is aligned.
inline constexpr int trace_bytes = shared_alignment;

// Strips of a diagonal block (strip_factor.cuh, block_factor.cuh).
inline constexpr int strip = 16;
/// Scratch of a warp that factorizes a strip: slots for columns, used in rotation.
inline constexpr int strip_slots = 8;
inline constexpr int strip_memory = strip_slots * strip;
/// Leading dimension of the inverse of a strip's diagonal block when it is stored separately.
inline constexpr int inverse_stride = strip + 4;
inline constexpr int block_warps = 8;
inline constexpr int block_threads = 32 * block_warps;
/// Scratch of a block: for the warps of a strip, and for the inverses of two strips' diagonal blocks.
inline constexpr int inverse_memory = strip * inverse_stride;
inline constexpr int block_memory = tile_size / strip * strip_memory + 2 * inverse_memory;
/// Leading dimension of a block, and of the rows below it.
inline constexpr int block_stride = tile_size + 4;

/// Strips of LU (lu_strip.cuh): entries of a column of L and, after a gap for other banks, of a row of U.
inline constexpr int lu_half = strip + 4;
inline constexpr int lu_slot = 2 * lu_half;
inline constexpr int lu_slots = 4;
inline constexpr int lu_strip_memory = lu_slots * lu_slot;
/// Scratch of a block of LU: for the warps of a strip, and for both inverses of two strips' diagonal blocks.
inline constexpr int lu_block_memory = tile_size / strip * lu_strip_memory + 4 * inverse_memory;

/// A diagonal block (diagonal.cu).
template <class T>
struct DiagonalMemory {
  alignas(shared_alignment) T s[tile_size * block_stride];
  alignas(shared_alignment) T shared_memory[block_memory];
  alignas(shared_alignment) T reciprocal[tile_size];
};

/// A diagonal block of LU (lu_diagonal.cu).
template <class T>
struct LuDiagonalMemory {
  alignas(shared_alignment) T l[tile_size * block_stride];
  alignas(shared_alignment) T u[tile_size * block_stride];
  alignas(shared_alignment) T shared_memory[lu_block_memory];
  alignas(shared_alignment) T reciprocal[tile_size];
};
template <class T>
constexpr SharedMemory lu_diagonal_memory() {
  return {static_cast<int>(sizeof(LuDiagonalMemory<T>)), trace_bytes};
}

/// A diagonal block and 64 rows below it (block_column.cu).
template <class T>
struct BlockColumnMemory {
  alignas(shared_alignment) T s[tile_size * block_stride];
  alignas(shared_alignment) T below[tile_size * block_stride];
  alignas(shared_alignment) T shared_memory[block_memory];
  alignas(shared_alignment) T reciprocal[tile_size];
  int is_last;
};
template <class T>
constexpr SharedMemory column_memory() {
  return {static_cast<int>(sizeof(BlockColumnMemory<T>)), trace_bytes};
}

/// A factorized block and 64 rows below it (trsm.cu). `below` is last because doubles without tensor cores keep the
/// rows in registers.
template <class T>
struct TrsmMemory {
  alignas(shared_alignment) T s[tile_size * block_stride];
  alignas(shared_alignment) T reciprocal[tile_size];
  alignas(shared_alignment) typename ScalarTraits<T>::Real shared_memory[block_threads];
  alignas(shared_alignment) T below[tile_size * block_stride];
};
/// Returns the memory of trsm.cu, without `below` if the device has too little for it. That happens on compute
/// capability 7.5 with doubles, where the kernel keeps the rows in registers.
template <class T>
constexpr SharedMemory trsm_memory(int limit) {
  const SharedMemory all{static_cast<int>(sizeof(TrsmMemory<T>)), trace_bytes};
  return all.fits(limit) ? all
                         : SharedMemory{all.dynamic_bytes - static_cast<int>(sizeof(TrsmMemory<T>::below)), trace_bytes};
}

/// A piece and its inverse (block.cu): one behind the other, or, in code for compute capabilities before 8.0 whose
/// devices may have too little memory for that, the inverse in the unused half of the piece plus one column.
inline constexpr int piece_stride = tile_size + 1;
inline constexpr int folded_piece_stride = tile_size;
template <class T>
constexpr SharedMemory invert_memory(int limit) {
  const SharedMemory apart{2 * tile_size * piece_stride * static_cast<int>(sizeof(T)), 0};
  return apart.fits(limit) ? apart : SharedMemory{(tile_size + 1) * folded_piece_stride * static_cast<int>(sizeof(T)), 0};
}

/// Target of a column of an update: `column` is the index of row 0 of the target's column, `relative` the index that
/// row 0 of the source would have among the relative rows.
struct ColumnTarget {
  std::int64_t column;
  std::int64_t relative;
};

/// Padding of an operand's rows in shared memory, with which fragment loads touch every bank once: 8 rows × 4 columns
/// of floats per warp, 4 × 4 of 8-byte scalars per half-warp, 2 × 4 of 16-byte scalars per quarter.
template <class T>
inline constexpr int bank_shift = 32 / static_cast<int>(ScalarTraits<T>::bytes);
/// Columns per stage of a product's tile (product_tile.cuh).
template <class T>
inline constexpr int stage_depth = ScalarTraits<T>::bytes == 16 ? 8 : 16;
/// Stages in shared memory: one in use, two in flight. Four CTAs then fit on a multiprocessor of compute capability
/// 9.0. With a fourth stage only three fit, which is slower. Tiles of 128×64, of which two fit, read less per flop and
/// are slightly faster from a depth of 2048 on, slower below.
inline constexpr int stages = 3;
template <class T>
inline constexpr int operand_stride = tile_size + bank_shift<T>;
template <class T>
inline constexpr int operand_size = stage_depth<T>* operand_stride<T>;
template <class T>
inline constexpr int stage_size = 2 * operand_size<T>;
template <class T>
constexpr SharedMemory product_memory() {
  constexpr int targets = tile_size * static_cast<int>(sizeof(ColumnTarget));
  return {stages * stage_size<T> * static_cast<int>(sizeof(T)), targets + trace_bytes};
}
/// Memory for a tile or a diagonal block.
template <class T>
constexpr SharedMemory diagonal_and_product_memory() {
  constexpr SharedMemory product = product_memory<T>();
  constexpr int diagonal = static_cast<int>(sizeof(DiagonalMemory<T>));
  return {product.dynamic_bytes > diagonal ? product.dynamic_bytes : diagonal, product.static_bytes};
}

/// Memory for a whole front whose panel has `entries` entries (small_front.cuh).
template <class T>
constexpr SharedMemory small_front_memory(int entries) {
  constexpr int targets = small_front * static_cast<int>(sizeof(ColumnTarget));
  return {targets + (tile_size + block_memory + entries) * static_cast<int>(sizeof(T)), trace_bytes};
}

/// Memory for a whole front of LU, whose two panels have `entries` entries each (lu_small_front.cuh).
template <class T>
constexpr SharedMemory small_lu_front_memory(int entries) {
  constexpr int targets = small_front * static_cast<int>(sizeof(ColumnTarget));
  return {targets + (2 * tile_size + lu_block_memory + 2 * entries) * static_cast<int>(sizeof(T)), trace_bytes};
}

/// Memory of solves for one right-hand side: the largest tile that fits.
template <class T>
constexpr SharedMemory one_rhs_memory(int limit) {
  constexpr int static_bytes = 1024;
  const SharedMemory all{one_rhs_fixed_bytes<T> + tile_bytes<T>, static_bytes};
  return all.fits(limit) ? all : SharedMemory{one_rhs_fixed_bytes<T> + tile_bytes<T> / 2, static_bytes};
}

/// Solves for several right-hand sides: leading dimension of vectors with which a fragment touches every bank once per
/// pass.
template <class T>
constexpr int vector_stride(int columns) {
  switch (ScalarTraits<T>::bytes) {
    case 4:
      return columns == 8 ? 8 : 24;
    case 8:
      return columns + 4;
    default:
      return columns + 2;
  }
}
template <class T, int Columns>
constexpr int front_stride = vector_stride<T>(Columns);
/// The memory begins with vectors of a narrow front, or the sources of a block's rows; the rest is for L.
template <class T, int Columns>
constexpr int memory_head = solve_block * 16 > tile_size* front_stride<T, Columns>* static_cast<int>(sizeof(T))
                                ? solve_block * 16
                                : tile_size* front_stride<T, Columns>* static_cast<int>(sizeof(T));
/// Minimum and maximum dynamic memory of the kernels. More would be taken from the L1 cache, which narrow fronts and
/// the list of tasks need.
template <class T, int Columns>
constexpr int min_memory = memory_head<T, Columns> + stage_bytes<T, Columns>;
template <class T, int Columns>
constexpr int max_memory = memory_head<T, Columns> + stage_max_batches<T>* stage_bytes<T, Columns>;
/// Upper bound of what they declare.
template <class T>
inline constexpr int many_rhs_static_bytes = ScalarTraits<T>::bytes == 16 ? 8448 : 4352;

/// Limits of a device: per CTA, per multiprocessor, and what it reserves per CTA.
struct SharedMemoryLimits {
  int per_cta = 0;
  int per_multiprocessor = 0;
  int reserved = 0;
};

/// Returns the dynamic bytes with which `ctas` CTAs fit on a multiprocessor, at least `min_bytes` and at most `max_bytes`.
constexpr int memory_for_ctas(int ctas, int min_bytes, int max_bytes, int static_bytes, const SharedMemoryLimits& limits) {
  const int share = limits.per_multiprocessor / ctas;
  const int fits = (limits.per_cta < share ? limits.per_cta : share) - limits.reserved - static_bytes;
  const int whole = fits / shared_alignment * shared_alignment;
  return whole < min_bytes ? min_bytes : (whole > max_bytes ? max_bytes : whole);
}

/// The most that any kernel of complex scalars needs where it has no smaller variant.
template <class T>
constexpr SharedMemory most_complex_memory() {
  constexpr SharedMemory all[] = {{static_cast<int>(sizeof(TrsmMemory<T>)), trace_bytes},
                                  {static_cast<int>(sizeof(DiagonalMemory<T>)), trace_bytes},
                                  product_memory<T>(),
                                  small_front_memory<T>(small_entries),
                                  {one_rhs_fixed_bytes<T> + tile_bytes<T> / 2, 1024},
                                  {min_memory<T, solve_many>, many_rhs_static_bytes<T>}};
  SharedMemory most;
  for (const SharedMemory& memory : all) {
    if (memory.dynamic_bytes + memory.static_bytes > most.dynamic_bytes + most.static_bytes) most = memory;
  }
  return most;
}

}  // namespace gpusupernodal::cuda
