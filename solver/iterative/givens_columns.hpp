#pragma once

/// \file
/// GivensColumns: the least-squares problem of GMRES, one column of its Hessenberg matrix at a time.

#include <cmath>
#include <utility>
#include <vector>

#include "kernels/common/scalar_traits.hpp"

namespace gpusupernodal {

/// Minimizes ‖norm·e₁ − H y‖₂, where H has one row more than columns and nothing below its subdiagonal, by plane rotations
/// [Saad03, section 6.5.3].
template <class S>
class GivensColumns {
 public:
  explicit GivensColumns(double norm) : right_(1, S(norm)) {}

  /// The smallest norm with the columns so far.
  double residual() const { return static_cast<double>(ScalarTraits<S>::abs(right_.back())); }

  /// Adds a column: its entries down to the diagonal, and the real one below. Cost: its length.
  void add(std::vector<S> column, double below) {
    for (std::size_t k = 0; k < rotations_.size(); ++k) rotations_[k].apply(column[k], column[k + 1]);
    const double above = static_cast<double>(ScalarTraits<S>::abs(column.back()));
    const double radius = std::hypot(above, below);
    const S phase = above > 0.0 ? column.back() / above : S(1);
    const Rotation rotation{radius > 0.0 ? above / radius : 1.0, radius > 0.0 ? phase * (below / radius) : S(0)};
    column.back() = phase * radius;
    right_.push_back(S(0));
    rotation.apply(right_[right_.size() - 2], right_.back());
    rotations_.push_back(rotation);
    columns_.push_back(std::move(column));
  }

  /// The minimizer y. Columns at the end whose diagonal is zero get no weight.
  std::vector<S> solution() const {
    std::size_t count = columns_.size();
    while (count > 0 && columns_[count - 1].back() == S(0)) --count;
    std::vector<S> y(right_.begin(), right_.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t k = count; k-- > 0;) {
      y[k] /= columns_[k].back();
      for (std::size_t i = 0; i < k; ++i) y[i] -= y[k] * columns_[k][i];
    }
    return y;
  }

 private:
  /// [cosine, sine; −conj(sine), cosine].
  struct Rotation {
    double cosine;
    S sine;
    void apply(S& upper, S& lower) const {
      const S before = upper;
      upper = cosine * before + sine * lower;
      lower = cosine * lower - ScalarTraits<S>::conjugate(sine) * before;
    }
  };

  std::vector<std::vector<S>> columns_;  ///< Of the triangle that rotations made of H.
  std::vector<Rotation> rotations_;
  std::vector<S> right_;  ///< The rotated right-hand side; its last entry is what no y reaches.
};

}  // namespace gpusupernodal
