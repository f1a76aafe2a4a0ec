#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "kernels/host/sparse_products.hpp"
#include "solver/host/run/product_pieces.hpp"
#include "solver/host/run/workers.hpp"
#include "solver/sparse/format_model.hpp"
#include "solver/sparse/row_product.hpp"

namespace gpusupernodal {
namespace {

/// Borders of one piece of rows for each worker, of about equal work: an entry counts as much as a row.
std::vector<std::int32_t> borders_of(const std::int32_t* offsets, std::int32_t n, int workers) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(workers) + 1, n);
  rows.front() = 0;
  const std::int64_t total = std::int64_t{n} + offsets[n];
  for (int w = 1; w < workers; ++w) {
    std::int32_t low = rows[static_cast<std::size_t>(w) - 1], high = n;
    while (low < high) {
      const std::int32_t middle = low + (high - low) / 2;
      if (std::int64_t{middle} + offsets[middle] < total * w / workers) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    rows[static_cast<std::size_t>(w)] = low;
  }
  return rows;
}

/// Each row is summed up by one thread, so the sums do not depend on the number of threads.
template <class S>
class RowProduct {
 public:
  RowProduct(const RowsView<S>& a, int workers) : borders_(borders_of(a.offsets, a.n, workers)), team_(workers) {
    arrays_.rows = arrays_.columns = a.n;
    arrays_.stored_values = a.offsets[a.n];
    arrays_.offsets = a.offsets;
    arrays_.index = a.columns;
    arrays_.values = a.values;
  }

  void multiply(const S* x, S* y) {
    const std::int32_t n = arrays_.rows;
    const ProductVectors<S> vectors{S(1), x, n, S(0), y, n, 1, nullptr};
    const auto part = [&](int worker) {
      const auto w = static_cast<std::size_t>(worker);
      csr_product(arrays_, vectors, borders_[w], borders_[w + 1]);
    };
    team_.run(team_.count(), std::cref(part));
  }

 private:
  SparseArrays<S> arrays_;
  std::vector<std::int32_t> borders_;
  WorkerTeam team_;
};

}  // namespace

template <class S>
VectorFunction<S> make_host_row_product(const RowsView<S>& a, int threads) {
  const auto entries = static_cast<double>(a.offsets[a.n]);
  const auto pieces = static_cast<double>(std::max<std::int64_t>(1, (std::int64_t{a.n} + a.offsets[a.n]) / least_piece));
  const auto product = std::make_shared<RowProduct<S>>(a, product_workers(entries, pieces, threads));
  return [product](const S* x, S* y) { product->multiply(x, y); };
}

#define GPUSUPERNODAL_INSTANTIATE(T) template VectorFunction<T> make_host_row_product(const RowsView<T>&, int);
GPUSUPERNODAL_FOR_EACH_REAL(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
