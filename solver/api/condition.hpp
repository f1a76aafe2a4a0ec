#pragma once

/// \file
/// Estimate of the condition number from solves.

#include <cstdint>
#include <functional>
#include <vector>

#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// Estimate of ‖A⁻¹‖₁ for symmetric A of order n from at most 11 solves x := A⁻¹ x: exact up to rounding for n ≤ 11, above
/// that a lower bound that is seldom off by more than 3 [Higham02, algorithm 15.4].
template <class T>
double inverse_norm_estimate(std::int64_t n, const std::function<void(std::vector<T>&)>& solve);

/// ‖scale·A + shift·I‖₁ of a matrix whose pattern and `values` are in host memory; of a full one the lower half counts.
template <class T>
double symmetric_norm(const MatrixView<T>& a, const T* values, double scale, double shift);

}  // namespace gpusupernodal
