#pragma once

/// \file
/// Norm of the caller's matrix.

#include "gpusupernodal/views.hpp"

namespace gpusupernodal {

/// ‖scale·A + shift·I‖₁ of a symmetric (Hermitian) matrix whose pattern and `values` are in host memory; of a full matrix
/// the lower half is read. Cost O(nnz).
template <class S>
double symmetric_norm(const MatrixView<S>& a, const S* values, double scale, double shift);

}  // namespace gpusupernodal
