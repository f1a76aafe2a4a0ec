#pragma once

/// \file
/// Estimates of the extreme eigenvalues of a symmetric matrix by the method of Lanczos.

#include <cstdint>
#include <functional>
#include <vector>

namespace gpusupernodal::cli {

/// The extreme eigenvalues of the tridiagonal matrix after a step. They lie between those of the matrix, up to rounding.
struct RitzPair {
  double smallest = 0.0;
  double largest = 0.0;
};

/// The smallest and the largest eigenvalue of the symmetric tridiagonal matrix with this diagonal and these entries beside
/// it, by bisection. Preconditions: `diagonal` is not empty, `beside` has one entry less, all entries are finite. Cost:
/// O(n) for each of about 100 steps.
RitzPair extreme_eigenvalues(const std::vector<double>& diagonal, const std::vector<double>& beside);

/// y := A x for vectors of n entries.
using Product = std::function<void(const std::vector<double>& x, std::vector<double>& y)>;

/// Runs Lanczos' method from a fixed random vector and returns the extreme Ritz values after each step: at most `steps`
/// steps, fewer if `goes_on` returns false or the vectors span an invariant subspace, or if a product is not finite. Without
/// reorthogonalization: rounding repeats eigenvalues, but moves the extreme ones by no more than about n·eps·‖A‖. Cost: a
/// product and 5 n operations for each step; memory: 3 n values.
std::vector<RitzPair> lanczos(
    std::int64_t n, int steps, const Product& product, const std::function<bool()>& goes_on = [] { return true; });

}  // namespace gpusupernodal::cli
