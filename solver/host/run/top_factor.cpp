#include "solver/host/run/top_factor.hpp"

#include <algorithm>
#include <functional>

#include "gpusupernodal/build_config.hpp"
#include "solver/model/cost_model.hpp"

namespace gpusupernodal {
namespace {

/// Columns of a target that one worker updates at a time, and rows that it scales.
constexpr std::int32_t columns_at_once = 128;
constexpr std::int32_t rows_at_once = 256;

template <class T>
std::int64_t bytes(std::int64_t values) {
  return values * static_cast<std::int64_t>(sizeof(T));
}

}  // namespace

template <class T>
TopFactor<T>::TopFactor(const PartPlan& plan, Fabric& fabric, const std::shared_ptr<Allocator>& allocator, WorkerTeam& team)
    : plan_(plan),
      fabric_(fabric),
      team_(team),
      kernels_(host_kernels<T>()),
      values_(allocator, plan.own_values, "the block columns of the top"),
      received_(allocator, plan.largest_message(), "a block column of another part") {
  std::size_t rows = 0;
  for (const auto& boundary : plan.top.boundaries) rows = std::max(rows, boundary.size());
  relative_.resize(rows);
  std::size_t products = 0;
  for (std::size_t b = 0; b < plan.blocks.size(); ++b)
    products = std::max(products, plan.products_of(static_cast<std::int32_t>(b)).size());
  pieces_.reserve(products * (panel_block / columns_at_once));
}

template <class T>
void TopFactor<T>::assemble(const std::vector<PartEntries::OfTop>& entries, const FactorInput<T>& input, bool check_finite) {
  monitor_.reset();
  next_own_ = 0;
  std::fill_n(values_.data(), plan_.own_values, T(0));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const PartEntries::OfTop& entry = entries[i];
    T value = input.values[entry.source];
    if (check_finite && !ScalarTraits<T>::is_finite(value)) {
      monitor_.entry_not_finite(0, static_cast<std::int64_t>(i),
                                static_cast<double>(ScalarTraits<T>::non_finite_part(value)));
    }
    if (entry.row == entry.column) value = ScalarTraits<T>::is_finite(value) ? T(ScalarTraits<T>::real(value)) : value;
    values_[entry.target] = input.scale * (entry.conjugated ? ScalarTraits<T>::conjugate(value) : value);
  }
}

template <class T>
void TopFactor<T>::add_contributions(const T* panel) {
  for (const ContributionPiece& piece : plan_.sent) {
    const PartId owner = plan_.blocks[static_cast<std::size_t>(piece.block)].owner;
    fabric_.send(owner.value, panel + piece.offset, bytes<T>(piece.values()));
  }
  for (const ContributionPiece& piece : plan_.received) {
    find_relative_rows(piece);
    if (piece.from == plan_.part) {
      add_piece(piece, panel + piece.offset);
    } else {
      fabric_.receive(piece.from.value, received_.data(), bytes<T>(piece.values()));
      add_piece(piece, received_.data());
    }
  }
}

/// Sets relative_[i] for the rows i ≥ piece.first of the contribution block.
template <class T>
void TopFactor<T>::find_relative_rows(const ContributionPiece& piece) {
  const TopBlock& block = plan_.blocks[static_cast<std::size_t>(piece.block)];
  const SymbolicFactor& top = plan_.top.symbolic;
  const auto& boundary = plan_.boundary(piece.from);
  const NewIndex begin = top.first_column[block.supernode];
  const std::int32_t width = top.width(block.supernode);
  const auto rows = top.rows_of(block.supernode);
  std::size_t below = 0;
  for (auto i = static_cast<std::size_t>(piece.first); i < boundary.size(); ++i) {
    const std::int32_t ahead = boundary[i].value - begin.value;
    if (ahead < width) {
      relative_[i] = ahead;
      continue;
    }
    while (below < rows.size() && rows[below].value < boundary[i].value) ++below;
    const bool found = below < rows.size() && rows[below].value == boundary[i].value;
    relative_[i] = found ? width + static_cast<std::int32_t>(below) : -1;
  }
}

/// Adds a piece of a contribution block, whose values begin at row first_of_block(piece.first). Rows that the target lacks
/// come from other subtrees than its columns: their values are zero.
template <class T>
void TopFactor<T>::add_piece(const ContributionPiece& piece, const T* data) {
  const TopBlock& block = plan_.blocks[static_cast<std::size_t>(piece.block)];
  const auto rows = static_cast<std::int32_t>(plan_.boundary(piece.from).size());
  const std::int32_t first_row = first_of_block(piece.first);
  for (std::int32_t j = piece.first; j < piece.last; ++j) {
    const T* const from = data + (j - piece.first) * piece.ld - first_row;
    const std::int64_t column = relative_[static_cast<std::size_t>(j)] - block.first;
    T* const to = values(piece.block) + column * block.rows() - block.first;
    for (std::int32_t i = j; i < rows; ++i) {
      const std::int32_t row = relative_[static_cast<std::size_t>(i)];
      if (row >= 0) to[row] += from[i];
    }
  }
}

template <class T>
void TopFactor<T>::factorize() {
  advance(-1);
  for (std::int32_t b = 0; b < static_cast<std::int32_t>(plan_.blocks.size()); ++b) {
    const TopBlock& block = plan_.blocks[static_cast<std::size_t>(b)];
    const auto products = plan_.products_of(b);
    if (block.owner != plan_.part) {
      if (products.empty()) continue;
      fabric_.receive(block.owner.value, received_.data(), bytes<T>(block.values()));
    }
    const T* const data = block.owner == plan_.part ? values(b) : received_.data();
    // What others wait for comes first.
    const bool completes = !products.empty() && next_own_ < plan_.own_blocks.size() &&
                           products.front().target == plan_.own_blocks[next_own_] &&
                           plan_.blocks[static_cast<std::size_t>(products.front().target)].last_source == b;
    if (completes) {
      subtract_all(block, data, products.first(1));
      factor_block(plan_.blocks[static_cast<std::size_t>(products.front().target)]);
    }
    subtract_all(block, data, products.subspan(completes ? 1 : 0));
    advance(b);
  }
  fabric_.wait_for_sends();
}

/// Factorizes the next block columns of this part that need no more than the block columns up to `done`.
template <class T>
void TopFactor<T>::advance(std::int32_t done) {
  while (next_own_ < plan_.own_blocks.size()) {
    const TopBlock& block = plan_.blocks[static_cast<std::size_t>(plan_.own_blocks[next_own_])];
    if (block.last_source > done) return;
    factor_block(block);
  }
}

template <class T>
void TopFactor<T>::subtract_all(const TopBlock& source, const T* data, std::span<const TopProduct> products) {
  pieces_.clear();
  double flops = 0.0;
  for (const TopProduct& product : products) {
    const TopBlock& target = plan_.blocks[static_cast<std::size_t>(product.target)];
    const std::int32_t end = product.update.valid() ? product.row_end : target.width;
    for (std::int32_t first = product.update.valid() ? product.row_begin : 0, last = 0; first < end; first = last) {
      last = std::min(first + columns_at_once, end);
      pieces_.push_back({&product, first, last});
      flops += 2.0 * (last - first) * source.width * target.rows();
    }
  }
  const auto work = [&](int) {
    loop_.work([&](std::int64_t i) { subtract(source, data, pieces_[static_cast<std::size_t>(i)]); });
  };
  loop_.reset(static_cast<std::int64_t>(pieces_.size()));
  if (!pieces_.empty()) team_.run(host_factor_workers(flops, 0.0, team_.count()), std::ref(work));
}

template <class T>
void TopFactor<T>::subtract(const TopBlock& source, const T* data, const Piece& piece) {
  const TopProduct& product = *piece.product;
  const TopBlock& target = plan_.blocks[static_cast<std::size_t>(product.target)];
  const std::int64_t lda = source.rows();
  const std::int64_t ldc = target.rows();
  T* const c = values(product.target);
  const std::int32_t columns = piece.last - piece.first;
  if (!product.update.valid()) {
    const std::int32_t row = target.first + piece.first;
    const T* const a = data + (row - source.first);
    kernels_.subtract_product_lower(target.front - row, columns, source.width, a, lda, a, lda, c + piece.first * (ldc + 1),
                                    ldc);
    return;
  }
  const Update& update = plan_.top_updates.updates[product.update];
  const std::int32_t* const relative = plan_.top_updates.relative_rows.data() + update.relative + piece.first;
  const std::int32_t rows = plan_.top.symbolic.rows_below(source.supernode) - update.row_begin - piece.first;
  const std::int32_t width = plan_.top.symbolic.width(source.supernode);
  const T* const a = data + (width + update.row_begin + piece.first - source.first);
  kernels_.subtract_product_lower_indexed(rows, columns, source.width, a, lda, a, lda, c - target.first * (ldc + 1), ldc,
                                          relative, relative);
}

/// Factorizes a block column of this part and sends it.
template <class T>
void TopFactor<T>::factor_block(const TopBlock& block) {
  T* const l = values_.data() + block.offset;
  const std::int64_t ld = block.rows();
  Real pivot = Real(0);
  const std::int32_t failed = kernels_.factor_diagonal(block.width, l, ld, &pivot);
  monitor_.pivots_done(0, l, failed < 0 ? block.width : failed, ld + 1);
  if (failed >= 0) monitor_.pivot_failed(0, plan_.top.column[block.begin + failed], static_cast<double>(pivot));
  const std::int32_t below = block.rows() - block.width;
  const auto work = [&](int) {
    loop_.work([&](std::int64_t i) {
      const auto first = static_cast<std::int32_t>(i) * rows_at_once;
      kernels_.solve_below(std::min(rows_at_once, below - first), block.width, l, ld, l + block.width + first, ld);
    });
  };
  loop_.reset((below + rows_at_once - 1) / rows_at_once);
  const double flops = static_cast<double>(below) * block.width * block.width;
  if (below > 0) team_.run(host_factor_workers(flops, 0.0, team_.count()), std::ref(work));
  for (PartId reader : block.readers) fabric_.send(reader.value, l, bytes<T>(block.values()));
  ++next_own_;
}

#define GPUSUPERNODAL_INSTANTIATE(T) template class TopFactor<T>;
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
