#include "tests/solver/conformance/plain_substitution.hpp"

#include <algorithm>
#include <cmath>

namespace gpusupernodal::test {
namespace {

std::size_t at(NewIndex i) { return static_cast<std::size_t>(i.value); }

/// Panel of one supernode.
template <class T>
struct Panel {
  Panel(const FactorPlan& plan, const std::vector<T>& panels, SupernodeId s)
      : width(plan.symbolic.width(s)),
        first(plan.symbolic.first_column[s]),
        rows(plan.symbolic.rows_of(s)),
        values(panels),
        layout(plan.panels),
        supernode(s) {}
  T entry(std::int32_t i, std::int32_t j) const { return values[static_cast<std::size_t>(layout.index(supernode, i, j))]; }
  std::size_t row(std::int32_t i) const { return i < width ? at(first + i) : at(rows[static_cast<std::size_t>(i - width)]); }
  std::int32_t front() const { return width + static_cast<std::int32_t>(rows.size()); }

  std::int32_t width;
  NewIndex first;
  std::span<const NewIndex> rows;
  const std::vector<T>& values;
  const PanelLayout& layout;
  SupernodeId supernode;
};

}  // namespace

template <class T>
std::vector<T> substitute_plainly(const FactorPlan& plan, const std::vector<T>& panels, const std::vector<T>& b) {
  const auto& old_of_new = plan.symbolic.permutation.old_of_new;
  std::vector<T> y;
  for (OldIndex old : old_of_new) y.push_back(b[static_cast<std::size_t>(old.value)]);
  for (SupernodeId s : plan.symbolic.supernode_ids()) {
    const Panel<T> panel(plan, panels, s);
    for (std::int32_t j = 0; j < panel.width; ++j) {
      const T value = y[panel.row(j)] /= panel.entry(j, j);
      for (std::int32_t i = j + 1; i < panel.front(); ++i) y[panel.row(i)] -= panel.entry(i, j) * value;
    }
  }
  for (std::int32_t k = plan.symbolic.supernodes() - 1; k >= 0; --k) {
    const Panel<T> panel(plan, panels, SupernodeId(k));
    for (std::int32_t j = panel.width - 1; j >= 0; --j) {
      T sum = y[panel.row(j)];
      for (std::int32_t i = j + 1; i < panel.front(); ++i) sum -= panel.entry(i, j) * y[panel.row(i)];
      y[panel.row(j)] = sum / panel.entry(j, j);
    }
  }
  std::vector<T> x(y.size());
  for (NewIndex k : old_of_new.ids()) x[static_cast<std::size_t>(old_of_new[k].value)] = y[at(k)];
  return x;
}

BackwardErrors backward_errors(const io::SymmetricMatrix& a, const std::vector<double>& x, const std::vector<double>& b) {
  std::vector<long double> residual(b.begin(), b.end());
  std::vector<long double> magnitude(b.size());
  std::vector<long double> row_sum(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) magnitude[i] = std::abs(b[i]);
  const auto add = [&](std::size_t i, std::size_t j, double value) {
    const long double term = static_cast<long double>(value) * x[j];
    residual[i] -= term;
    magnitude[i] += std::abs(term);
    row_sum[i] += std::abs(value);
  };
  for (std::size_t j = 0; j < b.size(); ++j) {
    for (auto e = static_cast<std::size_t>(a.offsets[j]); e < static_cast<std::size_t>(a.offsets[j + 1]); ++e) {
      const auto i = static_cast<std::size_t>(a.indices[e]);
      add(i, j, a.values[e]);
      if (i != j) add(j, i, a.values[e]);
    }
  }
  long double r = 0.0L, norm = 0.0L, largest_x = 0.0L, largest_b = 0.0L;
  BackwardErrors errors;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (std::isnan(x[i])) return {std::nan(""), std::nan("")};
    r = std::max(r, std::abs(residual[i]));
    norm = std::max(norm, row_sum[i]);
    largest_x = std::max<long double>(largest_x, std::abs(x[i]));
    largest_b = std::max<long double>(largest_b, std::abs(b[i]));
    if (magnitude[i] > 0.0L)
      errors.componentwise = std::max(errors.componentwise, static_cast<double>(std::abs(residual[i]) / magnitude[i]));
  }
  const long double scale = norm * largest_x + largest_b;
  errors.normwise = scale > 0.0L ? static_cast<double>(r / scale) : 0.0;
  return errors;
}

template std::vector<float> substitute_plainly(const FactorPlan&, const std::vector<float>&, const std::vector<float>&);
template std::vector<double> substitute_plainly(const FactorPlan&, const std::vector<double>&, const std::vector<double>&);

}  // namespace gpusupernodal::test
