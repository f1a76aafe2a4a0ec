#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/thread_team.hpp"
#include "gpusupernodal/build_config.hpp"
#include "kernels/common/scalar_products.hpp"
#include "kernels/common/scalar_traits.hpp"
#include "kernels/host/sparse_products.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/host/run/host_allocator.hpp"
#include "solver/host/run/product_pieces.hpp"
#include "solver/host/run/workers.hpp"
#include "solver/sparse/sparse_apply.hpp"

namespace gpusupernodal {
namespace {

/// The value that RowPattern::source places there; 0 for padding.
template <class S>
S value_at(const S* values, std::int64_t place) {
  if constexpr (ScalarTraits<S>::is_complex) {
    if (place < padding_source) return ScalarTraits<S>::conjugate(values[conjugate_of(place)]);
  }
  return place < 0 ? S(0) : values[place];
}

/// The values and index arrays of one format on the host, cut into pieces of about equal work. The borders depend on the
/// matrix alone.
template <class S>
class HostLayout {
 public:
  HostLayout(const SparseLayout& layout, const std::shared_ptr<Allocator>& allocator)
      : layout_(layout), values_(allocator, layout.stored_values, "the values of a sparse operator") {
    layout_.rest.clear();
    arrays_.rows = layout_.rows;
    arrays_.columns = layout_.columns;
    arrays_.width = layout_.width;
    arrays_.block = layout_.block;
    arrays_.units = layout_.units;
    arrays_.symmetric = layout_.symmetric;
    arrays_.stored_values = layout_.stored_values;
    arrays_.offsets = layout_.offsets.data();
    arrays_.index = layout_.index.data();
    arrays_.delta = layout_.delta.data();
    if (!layout_.order.empty()) arrays_.order = layout_.order.data();
    arrays_.values = values_.data();
    borders_ = product_borders(layout_);
  }

  const SparseLayout& layout() const { return layout_; }
  std::int64_t values_bytes() const { return values_.size() * static_cast<std::int64_t>(sizeof(S)); }
  std::int64_t pieces() const { return static_cast<std::int64_t>(borders_.size()) - 1; }

  /// Takes the values first … last−1 of those stored.
  void update(const S* values, std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) {
      const std::int64_t from = layout_.source.empty() ? k : layout_.source[static_cast<std::size_t>(k)];
      values_[k] = value_at(values, from);
    }
  }

  bool adds() const { return layout_.format == Format::coo; }  ///< Products are added to y, which was scaled before.

  void multiply(const ProductVectors<S>& v, std::int64_t piece) const {
    const std::int32_t first = borders_[static_cast<std::size_t>(piece)];
    const std::int32_t last = borders_[static_cast<std::size_t>(piece) + 1];
    switch (layout_.format) {
      case Format::csr:
        return csr_product(arrays_, v, first, last);
      case Format::dia:
        return dia_product(arrays_, v, first, last);
      case Format::coo:
        return add_coo_product(arrays_, v, first, last);
      default:
        return sell_product(arrays_, v, first, last);
    }
  }

 private:
  SparseLayout layout_;
  Buffer<S> values_;
  SparseArrays<S> arrays_;
  std::vector<std::int32_t> borders_;
};

template <class S>
class HostApply final : public SparseApply<S> {
 public:
  HostApply(const SparseLayout& layout, const ApplyOptions& options)
      : rows_(layout.rows), columns_(layout.columns), team_(product_workers(layout, options.threads)) {
    const auto allocator = options.allocator ? options.allocator : default_host_allocator();
    parts_.emplace_back(layout, allocator);
    for (const SparseLayout& more : layout.rest) parts_.emplace_back(more, allocator);
  }

  MemorySpace space() const override { return MemorySpace::host; }
  std::int64_t rows() const override { return rows_; }
  std::int64_t columns() const override { return columns_; }
  std::int64_t memory_bytes() const override {
    std::int64_t bytes = 0;
    for (const HostLayout<S>& part : parts_) {
      bytes +=
          part.values_bytes() + part.layout().index_bytes() + 4 * static_cast<std::int64_t>(part.layout().source.size());
    }
    return bytes;
  }
  void set_stream(void*) override {}

  void update(const S* values, MemorySpace) override {
    for (HostLayout<S>& part : parts_) {
      const std::int64_t count = part.layout().stored_values, pieces = count / 4096 + 1;
      for_pieces(pieces, [&](std::int64_t p) { part.update(values, count * p / pieces, count * (p + 1) / pieces); });
    }
  }

  void multiply(S alpha, const DenseView<const S>& x, S beta, const DenseView<S>& y) override {
    // A view without rows may have the address nullptr, to which no distance is added.
    const std::int64_t ld_x = columns_ == 0 ? 0 : x.ld, ld_y = rows_ == 0 ? 0 : y.ld;
    run({alpha, x.data, ld_x, beta, y.data, ld_y, static_cast<std::int32_t>(y.cols), nullptr});
  }

  std::int32_t dot_partials() const override {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(rows_ / least_piece, 1, SparseApply<S>::max_dot_partials));
  }

  void multiply_dot(const S* x, S* y, double* partials) override {
    run({S(1), x, columns_, S(0), y, rows_, 1, nullptr});
    const std::int64_t pieces = dot_partials();
    for_pieces(pieces, [&](std::int64_t p) {
      double sum = 0.0;
      for (std::int64_t i = rows_ * p / pieces; i < rows_ * (p + 1) / pieces; ++i) sum += real_dot(x[i], y[i]);
      partials[p] = sum;
    });
  }

  void wait() override {}
  Buffer<S> scratch(std::int64_t size, std::shared_ptr<Allocator> allocator, const char* what) const override {
    return Buffer<S>(allocator ? std::move(allocator) : default_host_allocator(), size, what);
  }

 private:
  /// Calls work(piece) for all pieces, a contiguous range of them on each worker.
  template <class Work>
  void for_pieces(std::int64_t pieces, const Work& work) {
    const auto workers = static_cast<int>(std::min<std::int64_t>(team_.count(), pieces));
    const auto part = [&work, pieces, workers](int worker) {
      for (std::int64_t p = pieces * worker / workers; p < pieces * (worker + 1) / workers; ++p) work(p);
    };
    team_.run(workers, std::cref(part));
  }

  void run(const ProductVectors<S>& v) {
    const bool multiplies = v.alpha != S(0);
    if (!multiplies || parts_.front().adds()) {
      const std::int64_t pieces = dot_partials();
      for_pieces(pieces, [&](std::int64_t p) {
        scale_rows(v, static_cast<std::int32_t>(rows_ * p / pieces), static_cast<std::int32_t>(rows_ * (p + 1) / pieces));
      });
    }
    if (!multiplies) return;
    for (const HostLayout<S>& part : parts_) for_pieces(part.pieces(), [&](std::int64_t p) { part.multiply(v, p); });
  }

  std::int64_t rows_;
  std::int64_t columns_;
  WorkerTeam team_;
  std::vector<HostLayout<S>> parts_;  ///< One, or two for hyb.
};

}  // namespace

template <class S>
std::unique_ptr<SparseApply<S>> make_host_apply(const SparseLayout& layout, const ApplyOptions& options) {
  return std::make_unique<HostApply<S>>(layout, options);
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template std::unique_ptr<SparseApply<T>> make_host_apply(const SparseLayout&, const ApplyOptions&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
