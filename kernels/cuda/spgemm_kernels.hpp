#pragma once

/// \file
/// Products C = A·B of sparse matrices on a device, row by row. Asynchronous on `stream`; pointers are device memory; but
/// for add_up nothing is allocated. Rows, columns and offsets count blocks of order `block`, except where entries are named.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gpusupernodal::cuda {

/// A pattern by rows with ascending columns.
struct ProductPattern {
  std::int32_t rows = 0;
  const std::int32_t* offsets = nullptr;
  const std::int32_t* index = nullptr;
};

/// The operands of a product.
struct ProductOperands {
  ProductPattern a;
  ProductPattern b;
  std::int32_t columns = 0;               ///< Columns of B.
  const std::int32_t* lengths = nullptr;  ///< For each block of A: how many of B's row count; nullptr: all.
  bool with_diagonal = false;             ///< C has block (i, i) in every row.
};

// Rows are put into bins by a size: bin k has those of at most 16·2^k, the last one those beyond a limit.
inline constexpr int product_bins = 8;
inline constexpr int first_bin_size = 16;
inline constexpr int largest_bin_size = first_bin_size << (product_bins - 2);
constexpr int bin_size(int bin) { return first_bin_size << bin; }

/// Rows of a bin and of smaller ones before it, which one launch takes, the last first: it is among the longest.
struct BinRows {
  const std::int32_t* rows = nullptr;
  std::int32_t count = 0;
  int bin = 0;
};

// Preparation, spgemm_rows.cu.

/// Sets *flag to 1 unless offsets start at 0, do not decrease and end at `entries`, and columns ascend within 0 … columns−1.
/// Reads no index if offsets are wrong before it. Offsets of either width; the other pointer is null.
void check_product_rows(const std::int32_t* narrow, const std::int64_t* wide, const std::int32_t* index, std::int32_t rows,
                        std::int32_t columns, std::int64_t entries, std::int32_t* flag, cudaStream_t stream);
void narrow_offsets(const std::int64_t* wide, std::int64_t count, std::int32_t* narrow, cudaStream_t stream);
/// Sets *flag to 1 unless the pattern consists of dense blocks of order 2, 3 or 6. Precondition: `block` divides rows and
/// columns.
void test_exact_blocks(const ProductPattern& entries, std::int32_t block, std::int32_t* flag, cudaStream_t stream);
/// The pattern of exact blocks: rows/block + 1 offsets and their index.
void make_exact_blocks(const ProductPattern& entries, std::int32_t block, std::int32_t* offsets, std::int32_t* index,
                       cudaStream_t stream);
/// words[k]: how many aligned runs of 32 columns row k of B touches.
void count_words(const ProductPattern& b, std::int32_t* words, cudaStream_t stream);
/// bounds[i]: sum of words over the rows of B that row i of C needs, at most 2³⁰; products[i]: products of blocks.
void bound_rows(const ProductOperands& p, const std::int32_t* words, std::int32_t* bounds, std::int64_t* products,
                cudaStream_t stream);
/// counts[bin] += rows; largest = max of the sizes. `limit` ≤ largest_bin_size.
void count_bins(const std::int32_t* sizes, std::int32_t rows, std::int32_t limit, std::int32_t* counts,
                std::int32_t* largest, cudaStream_t stream);
/// Where the list of each bin begins.
struct BinStarts {
  std::int32_t of[product_bins];
};
/// Lists the rows by bins; next[bin] must be 0, and counts rows. The order within a bin varies.
void list_bins(const std::int32_t* sizes, std::int32_t rows, std::int32_t limit, const BinStarts& starts, std::int32_t* next,
               std::int32_t* list, cudaStream_t stream);
void widen(const std::int32_t* from, std::int64_t count, std::int64_t* to, cudaStream_t stream);
/// Replaces the numbers by their inclusive sums. workspace = nullptr: only sets workspace_bytes.
void add_up(std::int64_t* numbers, std::int64_t count, void* workspace, std::size_t& workspace_bytes, cudaStream_t stream);
/// The pattern of C by entries from that by blocks of order 2, 3 or 6.
void expand_blocks(const std::int64_t* block_offsets, const std::int32_t* block_index, std::int32_t rows, std::int32_t block,
                   std::int64_t* offsets, std::int32_t* index, cudaStream_t stream);

// The pattern of C, spgemm_pattern.cu.

/// Memory of long rows: each CTA has a bit for each column.
struct LongRows {
  std::uint32_t* bits = nullptr;  ///< ctas × words, all 0 before and after each launch.
  std::int64_t words = 0;         ///< (columns + 31) / 32.
  int ctas = 0;
};

/// counts[i], words[i]: blocks of row i of C, and runs of 32 columns that it touches, for the rows of a bin by bound_rows.
void count_product_rows(const ProductOperands& p, const BinRows& rows, int lanes, const LongRows& memory,
                        std::int32_t* counts, std::int32_t* words, cudaStream_t stream);

/// What the second pass over the pattern writes.
struct PatternTarget {
  const std::int64_t* offsets = nullptr;  ///< Offsets of C.
  std::int32_t* index = nullptr;
  const std::int64_t* before = nullptr;  ///< Products of blocks before a row.
  void* places = nullptr;                ///< For each product: the number of its block in C's row; nullptr: none.
  int place_bytes = 0;
  std::int32_t part = 0;  ///< Longer rows of C have no places.
};
/// Writes the rows of a bin by words.
void write_product_rows(const ProductOperands& p, const BinRows& rows, int lanes, const LongRows& memory,
                        const PatternTarget& target, cudaStream_t stream);

// The values of C, spgemm_values.cu.

template <class S>
struct ProductValues {
  ProductOperands p;
  const S* a = nullptr;
  const S* b = nullptr;
  const std::int64_t* offsets = nullptr;
  const std::int32_t* index = nullptr;  ///< Columns of C; for rows without places.
  S* c = nullptr;
  const std::int64_t* before = nullptr;
  const void* places = nullptr;
  int place_bytes = 0;
  S shift = S(0);  ///< Added to the last block of a row if p.with_diagonal.
};

/// Computes rows of a bin by counts. firsts: for parts of rows, the first block of each part, at most `part` long; their
/// products are looked up. Equal input gives equal bits.
template <class S>
void multiply_rows(const ProductValues<S>& values, const BinRows& rows, const std::int32_t* firsts, std::int32_t part,
                   int block, int lanes, cudaStream_t stream);
/// Loads the kernels of multiply_rows onto the current device.
template <class S>
void prepare_multiply_rows(int block);

/// scaled[t] := a[place[t]]·d[index[place[t]]].
template <class S>
void scale_columns(const S* a, const std::int32_t* index, const std::int32_t* place, const S* d, std::int64_t count,
                   S* scaled, cudaStream_t stream);

}  // namespace gpusupernodal::cuda
