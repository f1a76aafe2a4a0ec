#include "tests/fuzz/solver_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace gpusupernodal::fuzz {

template <class T>
DenseSymmetric::DenseSymmetric(const MatrixView<T>& a, const std::vector<T>& values, double scale, double shift)
    : n_(a.n), values_(static_cast<std::size_t>(a.n * a.n), 0.0) {
  for (std::int64_t outer = 0; outer < n_; ++outer) {
    for (std::int64_t e = a.offsets[outer]; e < a.offsets[outer + 1]; ++e) {
      const bool columns = a.compression == Compression::columns;
      const std::int64_t row = columns ? a.indices[e] : outer;
      const std::int64_t column = columns ? outer : a.indices[e];
      if (a.part == StoredPart::full && row < column) continue;
      const double value = scale * static_cast<double>(values[static_cast<std::size_t>(e)]);
      values_[static_cast<std::size_t>(row + column * n_)] = value;
      values_[static_cast<std::size_t>(column + row * n_)] = value;
    }
  }
  for (std::int64_t i = 0; i < n_; ++i) values_[static_cast<std::size_t>(i * (n_ + 1))] += shift;
}

template <class T>
bool is_sound_pattern(const MatrixView<T>& a, std::int64_t most) {
  if (a.pattern_space != MemorySpace::host || a.n < 0 || a.n > most) return false;
  if (a.offsets.is_null()) return a.n == 0;
  if (a.offsets[0] != 0) return false;
  for (std::int64_t i = 0; i < a.n; ++i) {
    if (a.offsets[i + 1] < a.offsets[i]) return false;
  }
  if (a.offsets[a.n] > 0 && a.indices.is_null()) return false;
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  for (std::int64_t outer = 0; outer < a.n; ++outer) {
    for (std::int64_t e = a.offsets[outer]; e < a.offsets[outer + 1]; ++e) {
      const std::int64_t row = a.compression == Compression::columns ? a.indices[e] : outer;
      const std::int64_t column = a.compression == Compression::columns ? outer : a.indices[e];
      const bool inside = row >= 0 && row < a.n && column >= 0 && column < a.n;
      const bool absent = a.part == StoredPart::lower ? row < column : a.part == StoredPart::upper && row > column;
      if (!inside || absent || !places.emplace(row, column).second) return false;
    }
  }
  return true;
}

bool is_permutation(const std::vector<std::int64_t>& permutation, std::int64_t order) {
  std::vector<std::int64_t> sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (sorted[k] != static_cast<std::int64_t>(k)) return false;
  }
  return static_cast<std::int64_t>(sorted.size()) == order;
}

bool has_last_rows(const std::vector<std::int64_t>& old_of_new, const Options& options) {
  std::vector<std::int64_t> rest = old_of_new;
  for (auto group = options.last_rows.rbegin(); group != options.last_rows.rend(); ++group) {
    if (rest.size() < group->size()) return false;
    const std::set<std::int64_t> last(rest.end() - static_cast<std::ptrdiff_t>(group->size()), rest.end());
    if (last != std::set<std::int64_t>(group->begin(), group->end())) return false;
    rest.resize(rest.size() - group->size());
  }
  return true;
}

bool are_last_rows(const Options& options, std::int64_t order) {
  std::set<std::int64_t> rows;
  for (const auto& group : options.last_rows) {
    for (const std::int64_t row : group) {
      if (row < 0 || row >= order || !rows.insert(row).second) return false;
    }
  }
  return options.ordering != Ordering::user || has_last_rows(options.permutation, options);
}

bool are_sound(const Options& o) {
  return o.merge_width >= 1 && (o.block_width == 0 || (o.block_width >= 8 && o.block_width <= 65536)) && o.threads >= 0 &&
         o.threads <= 4096 && o.device >= -1 && o.streams >= 1 && o.streams <= 32 && o.refinement.max_steps >= 0 &&
         o.refinement.backward_error >= 0.0;
}

template <class T>
bool are_sound(const DenseView<T>& b, const DenseView<T>& x, std::int64_t order) {
  return b.rows == order && x.rows == order && b.cols == x.cols && b.cols >= 0 &&
         (b.cols == 0 || (b.ld >= order && x.ld >= order));
}

bool is_moderate(double value) { return value == 0.0 || (std::abs(value) >= 1e-6 && std::abs(value) <= 1e6); }

bool DenseSymmetric::is_moderate() const {
  return std::all_of(values_.begin(), values_.end(), [](double value) { return fuzz::is_moderate(value); });
}

bool DenseSymmetric::is_dominant() const {
  for (std::int64_t i = 0; i < n_; ++i) {
    double rest = 0.0;
    for (std::int64_t j = 0; j < n_; ++j) rest += j == i ? 0.0 : std::abs(at(i, j));
    if (!(at(i, i) > 1.01 * rest)) return false;
  }
  return true;
}

template <class T>
double backward_error(const DenseSymmetric& a, const T* x, const T* b) {
  long double residual = 0.0L;
  long double norm_a = 0.0L;
  long double norm_x = 0.0L;
  long double norm_b = 0.0L;
  for (std::int64_t i = 0; i < a.order(); ++i) {
    long double sum = b[i];
    long double row = 0.0L;
    for (std::int64_t j = 0; j < a.order(); ++j) {
      sum -= static_cast<long double>(a.at(i, j)) * static_cast<long double>(x[j]);
      row += std::abs(static_cast<long double>(a.at(i, j)));
    }
    if (!std::isfinite(sum) || !std::isfinite(x[i])) return std::nan("");
    residual = std::max(residual, std::abs(sum));
    norm_a = std::max(norm_a, row);
    norm_x = std::max(norm_x, std::abs(static_cast<long double>(x[i])));
    norm_b = std::max(norm_b, std::abs(static_cast<long double>(b[i])));
  }
  const long double size = norm_a * norm_x + norm_b;
  return static_cast<double>(size > 0.0L ? residual / size : residual);
}

template DenseSymmetric::DenseSymmetric(const MatrixView<float>&, const std::vector<float>&, double, double);
template DenseSymmetric::DenseSymmetric(const MatrixView<double>&, const std::vector<double>&, double, double);
template bool is_sound_pattern(const MatrixView<float>&, std::int64_t);
template bool is_sound_pattern(const MatrixView<double>&, std::int64_t);
template bool are_sound(const DenseView<float>&, const DenseView<float>&, std::int64_t);
template bool are_sound(const DenseView<double>&, const DenseView<double>&, std::int64_t);
template double backward_error(const DenseSymmetric&, const float*, const float*);
template double backward_error(const DenseSymmetric&, const double*, const double*);

}  // namespace gpusupernodal::fuzz
