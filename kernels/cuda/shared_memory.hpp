#pragma once

/// \file
/// The shared memory of kernels that take it at their launch: how its parts lie, and how many bytes a launch asks for. Plain
/// C++, so that a test without a device compares the launches with the limits of every compute capability.

#include "kernels/common/records.hpp"
#include "kernels/cuda/sweeps.hpp"

namespace gpusupernodal::cuda {

/// Bytes of a CTA.
struct SharedMemory {
  int at_launch = 0;  ///< Dynamic: what the launch asks for.
  int declared = 0;   ///< Static: the kernel declares at most as many itself.

  /// Whether a device has them that gives a CTA at most `limit` bytes (cudaDevAttrMaxSharedMemoryPerBlockOptin).
  constexpr bool fits(int limit) const { return at_launch + declared <= limit; }
};

/// What TraceScope declares, padded so that the dynamic part behind it is aligned.
inline constexpr int trace_bytes = shared_alignment;

// Strips of a diagonal block (strip_factor.cuh, block_factor.cuh).
inline constexpr int strip = 16;
/// Scratch of a warp that factorizes a strip: some columns, which take turns.
inline constexpr int strip_slots = 8;
inline constexpr int strip_memory = strip_slots * strip;
/// Leading dimension of the inverse of a strip's diagonal block where it lies apart.
inline constexpr int inverse_stride = strip + 4;
inline constexpr int block_warps = 8;
inline constexpr int block_threads = 32 * block_warps;
/// Scratch of a block: for the warps of a strip, and for the inverses of two strips' diagonal blocks.
inline constexpr int inverse_memory = strip * inverse_stride;
inline constexpr int block_memory = tile_size / strip * strip_memory + 2 * inverse_memory;
/// Leading dimension of a block, or of the rows below it.
inline constexpr int block_stride = tile_size + 4;

/// A diagonal block that is factorized (diagonal.cu).
template <class T>
struct DiagonalMemory {
  alignas(shared_alignment) T s[tile_size * block_stride];
  alignas(shared_alignment) T shared_memory[block_memory];
  alignas(shared_alignment) T reciprocal[tile_size];
};

/// A diagonal block that is factorized with 64 rows below it (block_column.cu).
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

/// A factorized block and 64 rows below it (trsm.cu). `below` is last, because rows stay in registers where there are
/// neither tensor cores nor floats.
template <class T>
struct TrsmMemory {
  alignas(shared_alignment) T s[tile_size * block_stride];
  alignas(shared_alignment) T reciprocal[tile_size];
  alignas(shared_alignment) T shared_memory[block_threads];
  alignas(shared_alignment) T below[tile_size * block_stride];
};
/// Without `below` where a device has too little for it. That is compute capability 7.5 with doubles, whose kernel keeps the
/// rows in registers.
template <class T>
constexpr SharedMemory scale_memory(int limit) {
  const SharedMemory all{static_cast<int>(sizeof(TrsmMemory<T>)), trace_bytes};
  return all.fits(limit) ? all : SharedMemory{all.at_launch - static_cast<int>(sizeof(TrsmMemory<T>::below)), trace_bytes};
}

/// A piece and its inverse (block.cu): one behind the other, or, in code for compute capabilities before 8.0, whose devices
/// may have too little for that, the inverse in the unused half of the piece and a column more.
inline constexpr int piece_stride = tile_size + 1;
inline constexpr int folded_piece_stride = tile_size;
template <class T>
constexpr SharedMemory invert_memory(int limit) {
  const SharedMemory apart{2 * tile_size * piece_stride * static_cast<int>(sizeof(T)), 0};
  return apart.fits(limit) ? apart : SharedMemory{(tile_size + 1) * folded_piece_stride * static_cast<int>(sizeof(T)), 0};
}

/// Where a column of an update goes: address of row 0 of the target's column, and where the source's row 0 would be among
/// the relative rows.
struct ColumnTarget {
  std::int64_t column;
  std::int64_t relative;
};

/// Added to the rows of an operand in shared memory, so that fragment loads touch every bank once: 8 rows × 4 columns of
/// floats by a warp, 4 × 4 of doubles by half a warp.
template <class T>
inline constexpr int bank_shift = sizeof(T) == 8 ? 4 : 8;
/// Columns of a stage of a product's tile (product_tile.cuh).
inline constexpr int stage_depth = 16;
/// Stages in shared memory: one is in use, two are under way. So four CTAs fit on a multiprocessor of compute
/// capability 9.0. A fourth stage leaves three and is slower. Tiles of 128×64, two of them, read less a flop and are a
/// little faster from depths of 2048 on, slower below.
inline constexpr int stages = 3;
template <class T>
inline constexpr int operand_stride = tile_size + bank_shift<T>;
template <class T>
inline constexpr int operand_size = stage_depth* operand_stride<T>;
template <class T>
inline constexpr int stage_size = 2 * operand_size<T>;
template <class T>
constexpr SharedMemory product_memory() {
  constexpr int targets = tile_size * static_cast<int>(sizeof(ColumnTarget));
  return {stages * stage_size<T> * static_cast<int>(sizeof(T)), targets + trace_bytes};
}
/// A tile or a diagonal block.
template <class T>
constexpr SharedMemory beside_memory() {
  constexpr SharedMemory product = product_memory<T>();
  constexpr int diagonal = static_cast<int>(sizeof(DiagonalMemory<T>));
  return {product.at_launch > diagonal ? product.at_launch : diagonal, product.declared};
}

/// A whole front whose panel has `entries` (front.cu).
template <class T>
constexpr SharedMemory small_front_memory(int entries) {
  constexpr int targets = small_front * static_cast<int>(sizeof(ColumnTarget));
  return {targets + (tile_size + block_memory + entries) * static_cast<int>(sizeof(T)), trace_bytes};
}

/// Solves for one right-hand side: the largest tile for which there is memory.
template <class T>
constexpr SharedMemory one_rhs_memory(int limit) {
  constexpr int declared = 1024;
  const SharedMemory all{one_rhs_fixed_bytes<T> + tile_bytes<T>, declared};
  return all.fits(limit) ? all : SharedMemory{one_rhs_fixed_bytes<T> + tile_bytes<T> / 2, declared};
}

/// Solves for several: leading dimension of vectors, with which a fragment touches every bank once in a pass.
template <class T>
constexpr int vector_stride(int columns) {
  return sizeof(T) == 8 ? columns + 4 : (columns == 8 ? 8 : 24);
}
template <class T, int Columns>
constexpr int front_stride = vector_stride<T>(Columns);
/// It begins with vectors of a narrow front, or the sources of a block's rows; the rest is for L.
template <class T, int Columns>
constexpr int memory_head = solve_block * 16 > tile_size* front_stride<T, Columns>* static_cast<int>(sizeof(T))
                                ? solve_block * 16
                                : tile_size* front_stride<T, Columns>* static_cast<int>(sizeof(T));
/// What the kernels need of it at least, and what they use at most. More would be taken from the first-level cache, which
/// narrow fronts and the list of tasks need.
template <class T, int Columns>
constexpr int min_memory = memory_head<T, Columns> + stage_bytes<T, Columns>;
template <class T, int Columns>
constexpr int max_room = memory_head<T, Columns> + stage_most_batches<T>* stage_bytes<T, Columns>;
/// What they declare at most.
inline constexpr int many_rhs_declared = 4352;

/// What a device gives: at most to a CTA, to all of a multiprocessor, and what it keeps of that for each CTA.
struct SharedMemoryLimits {
  int of_cta = 0;
  int of_multiprocessor = 0;
  int reserved = 0;
};

/// The dynamic bytes with which two CTAs fit on a multiprocessor, but at least `least` and at most `most`.
constexpr int memory_for_two_ctas(int least, int most, int declared, const SharedMemoryLimits& limits) {
  const int half = limits.of_multiprocessor / 2;
  const int fits = (limits.of_cta < half ? limits.of_cta : half) - limits.reserved - declared;
  const int whole = fits / shared_alignment * shared_alignment;
  return whole < least ? least : (whole > most ? most : whole);
}

}  // namespace gpusupernodal::cuda
