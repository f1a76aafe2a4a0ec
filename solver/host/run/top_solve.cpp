#include "solver/host/run/top_solve.hpp"

#include <algorithm>
#include <utility>

#include "gpusupernodal/build_config.hpp"

namespace gpusupernodal {

template <class T>
TopSolve<T>::TopSolve(const PartPlan& plan, Fabric& fabric, std::shared_ptr<Allocator> allocator)
    : plan_(plan),
      fabric_(fabric),
      allocator_(std::move(allocator)),
      kernels_(host_kernels<T>()),
      order_(plan.top.symbolic.order()) {
  for (const std::int32_t b : plan.own_blocks) {
    const SupernodeId s = plan.blocks[static_cast<std::size_t>(b)].supernode;
    most_below_ = std::max<std::int64_t>(most_below_, plan.top.symbolic.rows_below(s));
  }
  reserve(1);
}

template <class T>
void TopSolve<T>::reserve(std::int64_t columns) {
  if (columns <= reserved_) return;
  const auto take = [&](std::int64_t rows) { return Buffer<T>(allocator_, rows * columns, "vectors of the top"); };
  vectors_ = take(order_);
  sent_ = take(order_);
  received_ = take(std::min<std::int64_t>(panel_block, order_));
  sum_ = take(std::min<std::int64_t>(panel_block, order_));
  below_ = take(most_below_);
  reserved_ = columns;
}

/// Copies the entries of a block column to where they are sent from.
template <class T>
void TopSolve<T>::pack(const TopBlock& block, std::int32_t nrhs) {
  T* to = packed(block, nrhs);
  for (std::int32_t c = 0; c < nrhs; ++c) to = std::copy_n(entry(block.begin) + c * order_, block.width, to);
}

/// Sends, in order, the sums to which no block column of this part after `done` contributes.
template <class T>
void TopSolve<T>::send_sums(std::int32_t done, std::int32_t nrhs) {
  for (; next_sent_ < plan_.forwarded.size() && plan_.forwarded[next_sent_].last_source <= done; ++next_sent_) {
    const TopBlock& block = plan_.blocks[static_cast<std::size_t>(plan_.forwarded[next_sent_].block)];
    pack(block, nrhs);
    fabric_.send(block.owner.value, packed(block, nrhs), bytes(block, nrhs));
  }
}

template <class T>
void TopSolve<T>::add(const TopBlock& block, const T* from, std::int64_t ld, std::int32_t nrhs) {
  for (std::int32_t c = 0; c < nrhs; ++c) {
    T* const to = sum_.data() + std::int64_t{c} * block.width;
    for (std::int32_t i = 0; i < block.width; ++i) to[i] += from[c * ld + i];
  }
}

/// The entries of a block column of this part := b + the sums of all parts, in their order.
template <class T>
void TopSolve<T>::gather_sums(const TopBlock& block, const T* b, std::int64_t ldb, std::int32_t nrhs) {
  for (std::int32_t c = 0; c < nrhs; ++c) std::copy_n(b + c * ldb, block.width, sum_.data() + std::int64_t{c} * block.width);
  bool added = false;
  const auto add_own = [&] {
    if (!std::exchange(added, true)) add(block, entry(block.begin), order_, nrhs);
  };
  for (PartId p : block.neighbours) {
    if (plan_.part < p) add_own();
    fabric_.receive(p.value, received_.data(), bytes(block, nrhs));
    add(block, received_.data(), block.width, nrhs);
  }
  add_own();
  for (std::int32_t c = 0; c < nrhs; ++c)
    std::copy_n(sum_.data() + std::int64_t{c} * block.width, block.width, entry(block.begin) + c * order_);
}

template <class T>
void TopSolve<T>::forward(const T* values, const T* b, std::int64_t ldb, std::int32_t nrhs) {
  next_sent_ = 0;
  send_sums(-1, nrhs);
  for (const std::int32_t number : plan_.own_blocks) {
    const TopBlock& block = plan_.blocks[static_cast<std::size_t>(number)];
    const T* const l = values + block.offset;
    gather_sums(block, b, ldb, nrhs);
    b += block.width;
    kernels_.forward_block(block.width, nrhs, l, block.rows(), entry(block.begin), order_);
    forward_below(block, l, nrhs);
    send_sums(number, nrhs);
  }
  fabric_.wait_for_sends();
}

/// Subtracts the products of a solved block column from the entries of its rows.
template <class T>
void TopSolve<T>::forward_below(const TopBlock& block, const T* l, std::int32_t nrhs) {
  const std::int32_t width = plan_.top.symbolic.width(block.supernode);
  const std::int32_t end = block.first + block.width;
  const std::int64_t ld = block.rows();
  T* const own = entry(block.begin);
  kernels_.subtract_times(width - end, block.width, nrhs, l + block.width, ld, own, order_, own + block.width, order_);
  const auto rows = plan_.top.symbolic.rows_of(block.supernode);
  if (rows.empty()) return;
  const auto count = static_cast<std::int32_t>(rows.size());
  std::fill_n(below_.data(), std::int64_t{count} * nrhs, T(0));
  kernels_.subtract_times(count, block.width, nrhs, l + (width - block.first), ld, own, order_, below_.data(), count);
  for (std::int32_t c = 0; c < nrhs; ++c) {
    const T* from = below_.data() + std::int64_t{c} * count;
    for (NewIndex row : rows) entry(TopIndex(row.value))[c * order_] += *from++;
  }
}

template <class T>
void TopSolve<T>::backward(const T* values, std::int32_t nrhs) {
  for (auto number = static_cast<std::int32_t>(plan_.blocks.size()) - 1; number >= 0; --number) {
    const TopBlock& block = plan_.blocks[static_cast<std::size_t>(number)];
    if (block.owner == plan_.part) {
      const T* const l = values + block.offset;
      backward_above(block, l, nrhs);
      kernels_.backward_block(block.width, nrhs, l, block.rows(), entry(block.begin), order_);
      pack(block, nrhs);
      for (PartId p : block.neighbours) fabric_.send(p.value, packed(block, nrhs), bytes(block, nrhs));
    } else if (std::binary_search(block.neighbours.begin(), block.neighbours.end(), plan_.part)) {
      fabric_.receive(block.owner.value, received_.data(), bytes(block, nrhs));
      for (std::int32_t c = 0; c < nrhs; ++c)
        std::copy_n(received_.data() + std::int64_t{c} * block.width, block.width, entry(block.begin) + c * order_);
    }
  }
  fabric_.wait_for_sends();
}

/// Subtracts the products with the solved entries of a block column's rows.
template <class T>
void TopSolve<T>::backward_above(const TopBlock& block, const T* l, std::int32_t nrhs) {
  const std::int32_t width = plan_.top.symbolic.width(block.supernode);
  const std::int32_t end = block.first + block.width;
  const std::int64_t ld = block.rows();
  T* const own = entry(block.begin);
  const auto rows = plan_.top.symbolic.rows_of(block.supernode);
  const auto count = static_cast<std::int32_t>(rows.size());
  for (std::int32_t c = 0; c < nrhs; ++c) {
    T* to = below_.data() + std::int64_t{c} * count;
    for (NewIndex row : rows) *to++ = entry(TopIndex(row.value))[c * order_];
  }
  kernels_.subtract_transpose_times(count, block.width, nrhs, l + (width - block.first), ld, below_.data(), count, own,
                                    order_);
  kernels_.subtract_transpose_times(width - end, block.width, nrhs, l + block.width, ld, own + block.width, order_, own,
                                    order_);
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class TopSolve<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
