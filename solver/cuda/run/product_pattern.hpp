#pragma once

/// \file
/// DeviceProductPattern: the pattern of C = A·B on a device, and how its values are computed.

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cuda/spgemm_kernels.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/sparse/product_engine.hpp"

namespace gpusupernodal::cuda {

/// Rows listed by bins of their sizes.
struct BinLists {
  Buffer<std::int32_t> rows;
  std::array<std::int32_t, product_bins + 1> begin{};
  std::int32_t largest = 0;  ///< The largest size.

  BinRows bin(int k) const { return bins(k, k); }
  BinRows bins(int first, int last) const {
    const std::int32_t from = begin[static_cast<std::size_t>(first)], to = begin[static_cast<std::size_t>(last) + 1];
    return {rows.data() + from, to - from, last};
  }

  /// Calls launch(rows) for all bins but the last one, the largest rows first. A bin with few rows does not fill a device;
  /// it goes with the next larger one.
  template <class Launch>
  void for_launches(const Launch& launch) const {
    constexpr std::int32_t few_rows = 32768;
    int last = product_bins - 2;
    for (int k = last; k >= 0; --k) {
      if (k > 0 && (bins(k, last).count == 0 || bin(k - 1).count < few_rows)) {
        if (bins(k, last).count == 0) last = k - 1;
        continue;
      }
      launch(bins(k, last));
      last = k - 1;
    }
  }
};

/// Offsets and columns of one matrix.
struct DeviceRows {
  std::int32_t rows = 0;
  std::int64_t entries = 0;
  Buffer<std::int32_t> offsets;
  Buffer<std::int32_t> index;

  ProductPattern view() const { return {rows, offsets.data(), index.data()}; }
};

/// Made on the current device by its constructor, which waits for `stream` and throws OutOfMemory.
class DeviceProductPattern {
 public:
  DeviceProductPattern(const ProductInput& input, std::int64_t value_bytes, const std::shared_ptr<Allocator>& allocator,
                       cudaStream_t stream);

  // Rows, columns and offsets count blocks of order `block`; `offsets` and `index` are C's by entries.
  std::int32_t block = 1;
  DeviceRows a;
  DeviceRows b;  ///< Without index if every product has a place.
  std::int32_t columns = 0;
  bool is_normal = false;
  Buffer<std::int32_t> lengths;     ///< Normal equations: NormalLists.
  Buffer<std::int32_t> place_in_a;  ///< Normal equations: NormalLists.
  Buffer<std::int64_t> offsets;
  Buffer<std::int32_t> index;
  std::int64_t entries = 0;  ///< Entries of C.
  std::int64_t block_products = 0;
  Buffer<std::int64_t> before;  ///< Products of blocks before a row; if there are places.
  Buffer<unsigned char> places;
  int place_bytes = 0;
  int lanes = 32;  ///< For a row of C.
  BinLists bins;   ///< By blocks in rows of C, without rows longer than a part.
  // Parts of long rows.
  std::int32_t part_count = 0;
  Buffer<std::int32_t> part_rows;
  Buffer<std::int32_t> part_firsts;

  ProductOperands operands() const { return {a.view(), b.view(), columns, is_normal ? lengths.data() : nullptr, is_normal}; }
  const std::int64_t* row_offsets() const { return block == 1 ? offsets.data() : block_offsets_.data(); }
  const std::int32_t* row_index() const { return block == 1 ? index.data() : block_index_.data(); }
  std::int32_t part() const { return ProductEngine<double>::part_size(block); }

 private:
  struct Workspace;

  DeviceRows take_rows(const ProductOperand& operand);
  void take_lists(const ProductInput& input);
  void find_blocks(Workspace& work);
  void count_rows(Workspace& work);
  void choose_places(const ProductInput& input, std::int64_t value_bytes);
  void write_rows(Workspace& work);
  void list_parts(Workspace& work);
  void list_rows(const std::int32_t* sizes, std::int32_t limit, BinLists& lists, Workspace& work) const;
  void add_up(Buffer<std::int64_t>& numbers, Workspace& work) const;

  std::shared_ptr<Allocator> allocator_;
  cudaStream_t stream_;
  std::int32_t longest_ = 0;  ///< Blocks of the longest row of C.
  Buffer<std::int64_t> block_offsets_;
  Buffer<std::int32_t> block_index_;
};

}  // namespace gpusupernodal::cuda
