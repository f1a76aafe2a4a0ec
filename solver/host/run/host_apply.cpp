#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "kernels/host/sparse_products.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/host/run/host_allocator.hpp"
#include "solver/host/run/workers.hpp"
#include "solver/sparse/sparse_apply.hpp"

namespace gpusupernodal {
namespace {

/// Rows, slices or block rows: what a call of a kernel takes. Row i belongs to unit i / rows_of_unit.
struct Units {
  std::int32_t count = 0;
  std::int32_t rows_of_unit = 1;
  std::span<const std::int32_t> work;  ///< count + 1 offsets of their entries; empty: all units have equally many.
};

Units units_of(const SparseLayout& layout) { return {layout.rows, 1, layout.offsets}; }

/// Borders of pieces of about equal work; they depend on the matrix alone, and so do the partial sums.
std::vector<std::int32_t> cut(const Units& units) {
  constexpr std::int64_t rows_of_piece = 512;
  const std::int64_t pieces = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(units.count) * units.rows_of_unit / rows_of_piece, 1, SparseApply<double>::max_dot_partials);
  const auto work_before = [&units](std::int64_t unit) {
    return unit + (units.work.empty() ? 0 : std::int64_t{units.work[static_cast<std::size_t>(unit)]});
  };
  const std::int64_t total = work_before(units.count);
  std::vector<std::int32_t> borders{0};
  for (std::int64_t p = 1; p < pieces; ++p) {
    std::int64_t low = borders.back(), high = units.count;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (work_before(middle) < total * p / pieces) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    borders.push_back(static_cast<std::int32_t>(low));
  }
  borders.push_back(units.count);
  return borders;
}

/// Fewer stored values are multiplied by one thread faster than others are woken.
constexpr std::int64_t fewest_values_of_worker = 16384;

template <class S>
class HostApply final : public SparseApply<S> {
 public:
  HostApply(const SparseLayout& layout, const ApplyOptions& options)
      : layout_(layout),
        values_(options.allocator ? options.allocator : default_host_allocator(), layout.stored_values,
                "the values of a sparse operator"),
        team_(static_cast<int>(
            std::clamp<std::int64_t>(layout.stored_values / fewest_values_of_worker, 1, worker_count(options.threads)))),
        units_(units_of(layout_)),
        borders_(cut(units_)) {
    arrays_.rows = layout_.rows;
    arrays_.columns = layout_.columns;
    arrays_.width = layout_.width;
    arrays_.stored_values = layout_.stored_values;
    arrays_.offsets = layout_.offsets.data();
    arrays_.index = layout_.index.data();
    arrays_.delta = layout_.delta.data();
    arrays_.order = layout_.order.data();
    arrays_.values = values_.data();
  }

  MemorySpace space() const override { return MemorySpace::host; }
  std::int64_t rows() const override { return layout_.rows; }
  std::int64_t columns() const override { return layout_.columns; }
  std::int64_t memory_bytes() const override { return values_.size() * static_cast<std::int64_t>(sizeof(S)); }
  void set_stream(void*) override {}

  void update(const S* values, MemorySpace) override {
    const std::int64_t count = layout_.stored_values;
    for_pieces(count / 4096 + 1, [&](std::int64_t piece, std::int64_t pieces) {
      for (std::int64_t k = count * piece / pieces; k < count * (piece + 1) / pieces; ++k) {
        const std::int64_t from = layout_.source.empty() ? k : layout_.source[static_cast<std::size_t>(k)];
        values_[k] = from < 0 ? S(0) : values[from];
      }
    });
  }

  void multiply(S alpha, const DenseView<const S>& x, S beta, const DenseView<S>& y) override {
    ProductVectors<S> v{alpha, x.data, x.ld, beta, y.data, y.ld, static_cast<std::int32_t>(y.cols), nullptr};
    if (alpha == S(0)) return scale(v);
    run(v);
  }

  std::int32_t dot_partials() const override { return static_cast<std::int32_t>(borders_.size()) - 1; }

  void multiply_dot(const S* x, S* y, double* partials) override {
    run({S(1), x, layout_.columns, S(0), y, layout_.rows, 1, partials});
  }

 private:
  /// Calls work(piece, pieces) for all pieces, a contiguous range of them on each worker.
  template <class Work>
  void for_pieces(std::int64_t pieces, const Work& work) {
    const auto workers = static_cast<int>(std::min<std::int64_t>(team_.count(), pieces));
    const auto part = [&work, pieces, workers](int worker) {
      for (std::int64_t p = pieces * worker / workers; p < pieces * (worker + 1) / workers; ++p) work(p, pieces);
    };
    team_.run(workers, std::cref(part));
  }

  void run(const ProductVectors<S>& v) {
    for_pieces(dot_partials(), [&](std::int64_t piece, std::int64_t) {
      const std::int32_t first = borders_[static_cast<std::size_t>(piece)];
      const std::int32_t last = borders_[static_cast<std::size_t>(piece) + 1];
      csr_product(arrays_, v, first, last);
      if (v.partials != nullptr) v.partials[piece] = dot(v, first, last);
    });
  }

  double dot(const ProductVectors<S>& v, std::int32_t first, std::int32_t last) const {
    const std::int64_t end = std::min<std::int64_t>(std::int64_t{last} * units_.rows_of_unit, layout_.rows);
    double sum = 0.0;
    for (std::int64_t i = std::int64_t{first} * units_.rows_of_unit; i < end; ++i)
      sum += static_cast<double>(v.x[i]) * static_cast<double>(v.y[i]);
    return sum;
  }

  void scale(const ProductVectors<S>& v) {
    for (std::int64_t c = 0; c < v.columns; ++c) {
      for (std::int64_t i = 0; i < layout_.rows; ++i) {
        S& y = v.y[i + c * v.ld_y];
        y = v.beta == S(0) ? S(0) : v.beta * y;
      }
    }
  }

  SparseLayout layout_;
  Buffer<S> values_;
  WorkerTeam team_;
  SparseArrays<S> arrays_;
  Units units_;
  std::vector<std::int32_t> borders_;
};

}  // namespace

template <class S>
std::unique_ptr<SparseApply<S>> make_host_apply(const SparseLayout& layout, const ApplyOptions& options) {
  return std::make_unique<HostApply<S>>(layout, options);
}

template std::unique_ptr<SparseApply<float>> make_host_apply(const SparseLayout&, const ApplyOptions&);
template std::unique_ptr<SparseApply<double>> make_host_apply(const SparseLayout&, const ApplyOptions&);

}  // namespace gpusupernodal
