#include "solver/cuda/run/product_pattern.hpp"

#include <algorithm>
#include <utility>

#include "kernels/cuda/check.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/sparse/exact_blocks.hpp"
#include "solver/sparse/normal_lists.hpp"

namespace gpusupernodal::cuda {
namespace {

/// Rows of B with at most this many blocks in the mean are read by eight lanes.
constexpr std::int64_t short_row = 12;
/// Memory for the bits of long rows, at most, unless one CTA needs more.
constexpr std::int64_t long_row_bytes = std::int64_t{32} << 20;
constexpr int most_long_ctas = 264;

template <class Element>
Buffer<Element> upload(const std::shared_ptr<Allocator>& allocator, const Element* from, std::size_t count,
                       const char* what) {
  Buffer<Element> to(allocator, static_cast<std::int64_t>(count), what);
  if (count > 0) copy_to_device(to.data(), from, count * sizeof(Element));
  return to;
}

template <class Element>
void clear(const Buffer<Element>& buffer, cudaStream_t stream) {
  if (buffer.size() == 0) return;
  const std::size_t bytes = static_cast<std::size_t>(buffer.size()) * sizeof(Element);
  GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(buffer.data(), 0, bytes, stream));
}

/// Copies a few numbers to the host, and waits for them.
template <class Element>
void read(Element* to, const Element* from, std::size_t count, cudaStream_t stream) {
  GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(to, from, count * sizeof(Element), cudaMemcpyDeviceToHost, stream));
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream));
}

}  // namespace

/// Memory that only the analysis needs.
struct DeviceProductPattern::Workspace {
  Buffer<std::int32_t> bounds;   ///< Bounds of the words of rows of C.
  Buffer<std::int32_t> counts;   ///< Blocks of rows of C.
  Buffer<std::int32_t> words;    ///< Words of rows of B, then of C.
  Buffer<std::int32_t> numbers;  ///< Counts of bins, the largest size; or flags.
  Buffer<unsigned char> sums;    ///< Workspace of add_up, always for as many numbers.
  Buffer<std::uint32_t> bits;
  LongRows long_rows;
  cudaStream_t stream = nullptr;

  /// Memory may be given to others only when the stream is done with it.
  ~Workspace() { static_cast<void>(cudaStreamSynchronize(stream)); }

  void take_bits(const std::shared_ptr<Allocator>& allocator, std::int32_t columns, std::int32_t rows) {
    if (rows == 0 || bits.size() > 0) return;
    long_rows.words = (std::int64_t{columns} + 31) / 32;
    long_rows.ctas = static_cast<int>(
        std::clamp<std::int64_t>(long_row_bytes / (4 * long_rows.words), 1, std::min(most_long_ctas, rows)));
    bits = Buffer<std::uint32_t>(allocator, long_rows.words * long_rows.ctas, "the long rows of a product");
    long_rows.bits = bits.data();
    clear(bits, stream);
  }
};

DeviceProductPattern::DeviceProductPattern(const ProductInput& input, std::int64_t value_bytes,
                                           const std::shared_ptr<Allocator>& allocator, cudaStream_t stream)
    : columns(input.b.columns), is_normal(input.is_normal), allocator_(allocator), stream_(stream) {
  Workspace work;
  work.stream = stream;
  work.numbers = Buffer<std::int32_t>(allocator, 2 * product_bins, "counts of a product");
  a = take_rows(input.a);
  b = take_rows(input.b);
  take_lists(input);
  if (!is_normal) find_blocks(work);
  count_rows(work);
  choose_places(input, value_bytes);
  write_rows(work);
}

/// Copies of an operand's arrays.
DeviceRows DeviceProductPattern::take_rows(const ProductOperand& operand) {
  DeviceRows rows;
  rows.rows = operand.rows;
  rows.entries = operand.entries;
  if (!operand.on_device) {
    rows.offsets = upload(allocator_, operand.host.offsets.data(), operand.host.offsets.size(), "the rows of an operand");
    rows.index = upload(allocator_, operand.host.index.data(), operand.host.index.size(), "the columns of an operand");
    return rows;
  }
  rows.offsets = Buffer<std::int32_t>(allocator_, operand.rows + std::int64_t{1}, "the rows of an operand");
  rows.index = Buffer<std::int32_t>(allocator_, operand.entries, "the columns of an operand");
  if (operand.offsets.is_wide()) {
    narrow_offsets(operand.offsets.wide(), rows.offsets.size(), rows.offsets.data(), stream_);
  } else {
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(rows.offsets.data(), operand.offsets.narrow(),
                                             static_cast<std::size_t>(rows.offsets.size()) * 4, cudaMemcpyDeviceToDevice,
                                             stream_));
  }
  if (operand.entries > 0)
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(rows.index.data(), operand.index, static_cast<std::size_t>(operand.entries) * 4,
                                             cudaMemcpyDeviceToDevice, stream_));
  return rows;
}

void DeviceProductPattern::take_lists(const ProductInput& input) {
  if (!is_normal) return;
  const NormalLists lists = normal_lists(input.a.host, input.b.host);
  lengths = upload(allocator_, lists.lengths.data(), lists.lengths.size(), "the lengths of rows of normal equations");
  place_in_a = upload(allocator_, lists.places.data(), lists.places.size(), "the places of entries of normal equations");
}

/// Takes the largest blocks that both operands consist of, and their patterns in place of those of entries.
void DeviceProductPattern::find_blocks(Workspace& work) {
  if (a.entries == 0 || b.entries == 0) return;
  clear(work.numbers, stream_);
  constexpr std::size_t kinds = std::size(product_blocks);
  const auto divides = [&](std::int32_t k) { return a.rows % k == 0 && b.rows % k == 0 && columns % k == 0; };
  for (std::size_t k = 0; k < kinds; ++k) {
    if (!divides(product_blocks[k])) continue;
    test_exact_blocks(a.view(), product_blocks[k], work.numbers.data() + k, stream_);
    test_exact_blocks(b.view(), product_blocks[k], work.numbers.data() + k, stream_);
  }
  std::array<std::int32_t, kinds> wrong{};
  read(wrong.data(), work.numbers.data(), kinds, stream_);
  for (std::size_t k = kinds; k-- > 0;) {
    if (divides(product_blocks[k]) && wrong[k] == 0) block = product_blocks[k];
  }
  if (block == 1) return;
  for (DeviceRows* rows : {&a, &b}) {
    DeviceRows blocks;
    blocks.rows = rows->rows / block;
    blocks.entries = rows->entries / (block * block);
    blocks.offsets = Buffer<std::int32_t>(allocator_, blocks.rows + std::int64_t{1}, "the rows of an operand");
    blocks.index = Buffer<std::int32_t>(allocator_, blocks.entries, "the columns of an operand");
    make_exact_blocks(rows->view(), block, blocks.offsets.data(), blocks.index.data(), stream_);
    GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream_));  // The pattern of entries is given back.
    *rows = std::move(blocks);
  }
  columns /= block;
}

/// Inclusive sums of the numbers after the first.
void DeviceProductPattern::add_up(Buffer<std::int64_t>& numbers, Workspace& work) const {
  std::size_t bytes = 0;
  const std::int64_t count = numbers.size() - 1;
  if (count == 0) return;
  cuda::add_up(numbers.data() + 1, count, nullptr, bytes, stream_);
  if (work.sums.size() == 0)
    work.sums = Buffer<unsigned char>(allocator_, static_cast<std::int64_t>(bytes) + 1, "the sums of a product");
  cuda::add_up(numbers.data() + 1, count, work.sums.data(), bytes, stream_);
}

void DeviceProductPattern::list_rows(const std::int32_t* sizes, std::int32_t limit, BinLists& lists, Workspace& work) const {
  const std::int32_t rows = a.rows;
  if (lists.rows.size() == 0) lists.rows = Buffer<std::int32_t>(allocator_, rows, "the lists of rows of a product");
  clear(work.numbers, stream_);
  std::int32_t* const numbers = work.numbers.data();
  count_bins(sizes, rows, limit, numbers, numbers + product_bins, stream_);
  std::array<std::int32_t, product_bins + 1> counts{};
  read(counts.data(), numbers, counts.size(), stream_);
  lists.largest = counts[product_bins];
  for (std::size_t k = 0; k < product_bins; ++k) lists.begin[k + 1] = lists.begin[k] + counts[k];
  BinStarts starts;
  std::copy_n(lists.begin.begin(), product_bins, starts.of);
  clear(work.numbers, stream_);
  list_bins(sizes, rows, limit, starts, numbers, lists.rows.data(), stream_);
}

/// Counts the blocks of each row of C, and lists the rows for the passes to come.
void DeviceProductPattern::count_rows(Workspace& work) {
  const std::int32_t rows = a.rows;
  before = Buffer<std::int64_t>(allocator_, rows + std::int64_t{1}, "the products of rows");
  Buffer<std::int64_t>& to = block_offsets_;
  to = Buffer<std::int64_t>(allocator_, rows + std::int64_t{1}, "the rows of a product");
  clear(before, stream_);
  clear(to, stream_);
  if (rows == 0) return;
  work.words = Buffer<std::int32_t>(allocator_, std::max(rows, b.rows), "the words of rows");
  work.bounds = Buffer<std::int32_t>(allocator_, rows, "the bounds of rows");
  work.counts = Buffer<std::int32_t>(allocator_, rows, "the lengths of rows");
  count_words(b.view(), work.words.data(), stream_);
  bound_rows(operands(), work.words.data(), work.bounds.data(), before.data() + 1, stream_);
  add_up(before, work);
  read(&block_products, before.data() + rows, 1, stream_);
  lanes = block_products <= short_row * a.entries ? 8 : 32;
  list_rows(work.bounds.data(), largest_bin_size, bins, work);
  work.take_bits(allocator_, columns, bins.bin(product_bins - 1).count);
  const auto count = [&](const BinRows& list) {
    count_product_rows(operands(), list, lanes, work.long_rows, work.counts.data(), work.words.data(), stream_);
  };
  count(bins.bin(product_bins - 1));
  bins.for_launches(count);
  list_rows(work.counts.data(), part(), bins, work);
  longest_ = bins.largest;
  widen(work.counts.data(), rows, to.data() + 1, stream_);
  add_up(to, work);
  std::int64_t blocks = 0;
  read(&blocks, to.data() + rows, 1, stream_);
  entries = blocks * block * block;
}

/// Places are stored where all memory stays within its bound.
void DeviceProductPattern::choose_places(const ProductInput& input, std::int64_t value_bytes) {
  const std::int64_t all = matrix_bytes(input.a.rows, input.a.entries, value_bytes) +
                           matrix_bytes(input.b.rows, input.b.entries, value_bytes) +
                           matrix_bytes(input.a.rows, entries, value_bytes);
  // A part of a row has at most 256 blocks of order 3 or 6, and rows of more than a part have no places.
  const int bytes = part() <= 256 || longest_ <= 256 ? 1 : 2;
  const std::int64_t lists = std::int64_t{12} * a.rows;
  if (block_products > 0 && places_fit(all, block_products * bytes + lists, 4 * b.entries, value_bytes * entries))
    place_bytes = bytes;
}

void DeviceProductPattern::write_rows(Workspace& work) {
  const std::int32_t rows = a.rows;
  Buffer<std::int32_t> blocks(allocator_, entries / (block * block), "the pattern of a product");
  if (rows > 0) {
    // Words of rows of C choose the tables now.
    list_rows(work.words.data(), largest_bin_size, bins, work);
    work.take_bits(allocator_, columns, bins.bin(product_bins - 1).count);
    if (place_bytes > 0) places = Buffer<unsigned char>(allocator_, block_products * place_bytes, "places of products");
    const PatternTarget target{block_offsets_.data(), blocks.data(), before.data(), places.data(), place_bytes, part()};
    const auto write = [&](const BinRows& list) {
      write_product_rows(operands(), list, lanes, work.long_rows, target, stream_);
    };
    write(bins.bin(product_bins - 1));
    bins.for_launches(write);
    list_rows(work.counts.data(), part(), bins, work);
    list_parts(work);
  }
  if (place_bytes == 0) before = {};
  if (place_bytes > 0 && part_count == 0) b.index = {};
  if (block == 1) {
    offsets = std::move(block_offsets_);
    index = std::move(blocks);
    return;
  }
  offsets = Buffer<std::int64_t>(allocator_, std::int64_t{rows} * block + 1, "the rows of a product");
  index = Buffer<std::int32_t>(allocator_, entries, "the pattern of a product");
  expand_blocks(block_offsets_.data(), blocks.data(), rows, block, offsets.data(), index.data(), stream_);
  GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream_));
  if (place_bytes == 0 || part_count > 0) block_index_ = std::move(blocks);
}

/// Cuts rows that are longer than a part.
void DeviceProductPattern::list_parts(Workspace& work) {
  const BinRows longer = bins.bin(product_bins - 1);
  if (longer.count == 0) return;
  std::vector<std::int32_t> counts(static_cast<std::size_t>(a.rows)), list(static_cast<std::size_t>(longer.count));
  read(counts.data(), work.counts.data(), counts.size(), stream_);
  read(list.data(), longer.rows, list.size(), stream_);
  std::sort(list.begin(), list.end());
  std::vector<std::int32_t> rows, firsts;
  for (const std::int32_t row : list) {
    for (std::int32_t first = 0; first < counts[static_cast<std::size_t>(row)]; first += part()) {
      rows.push_back(row);
      firsts.push_back(first);
    }
  }
  part_count = static_cast<std::int32_t>(rows.size());
  part_rows = upload(allocator_, rows.data(), rows.size(), "the parts of long rows");
  part_firsts = upload(allocator_, firsts.data(), firsts.size(), "the parts of long rows");
}

}  // namespace gpusupernodal::cuda
