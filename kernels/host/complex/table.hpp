#pragma once

/// \file
/// The complex table of one instruction set.

#include <complex>

#include "kernels/host/complex/factor.hpp"
#include "kernels/host/host_kernels.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

using Entry = std::complex<double>;

[[gnu::always_inline]] inline double* parts(Entry* entries) { return reinterpret_cast<double*>(entries); }
[[gnu::always_inline]] inline const double* parts(const Entry* entries) { return reinterpret_cast<const double*>(entries); }

inline std::int32_t factor_diagonal_of(std::int32_t n, Entry* a, std::int64_t lda, double* pivot) {
  return complex_factor_panel(n, n, parts(a), lda, pivot);
}
inline void solve_below_of(std::int32_t m, std::int32_t n, const Entry* l, std::int64_t ldl, Entry* b, std::int64_t ldb) {
  complex_solve_below(m, n, parts(l), ldl, parts(b), ldb);
}
inline std::int32_t factor_panel_of(std::int32_t m, std::int32_t n, Entry* a, std::int64_t lda, double* pivot) {
  return complex_factor_panel(m, n, parts(a), lda, pivot);
}
inline void product_of(std::int32_t m, std::int32_t n, std::int32_t k, const Entry* a, std::int64_t lda, const Entry* b,
                       std::int64_t ldb, Entry* c, std::int64_t ldc) {
  complex_product<false, true>(m, n, k, parts(a), lda, {parts(b), ldb, 1}, ComplexDense{parts(c), ldc});
}
inline void lower_product_of(std::int32_t m, std::int32_t n, std::int32_t k, const Entry* a, std::int64_t lda,
                             const Entry* b, std::int64_t ldb, Entry* c, std::int64_t ldc) {
  complex_product<true, true>(m, n, k, parts(a), lda, {parts(b), ldb, 1}, ComplexDense{parts(c), ldc});
}
inline void indexed_product_of(std::int32_t m, std::int32_t n, std::int32_t k, const Entry* a, std::int64_t lda,
                               const Entry* b, std::int64_t ldb, Entry* c, std::int64_t ldc, const std::int32_t* rows,
                               const std::int32_t* cols) {
  complex_product<false, true>(m, n, k, parts(a), lda, {parts(b), ldb, 1}, ComplexIndexed{parts(c), ldc, rows, cols});
}
inline void lower_indexed_product_of(std::int32_t m, std::int32_t n, std::int32_t k, const Entry* a, std::int64_t lda,
                                     const Entry* b, std::int64_t ldb, Entry* c, std::int64_t ldc, const std::int32_t* rows,
                                     const std::int32_t* cols) {
  complex_product<true, true>(m, n, k, parts(a), lda, {parts(b), ldb, 1}, ComplexIndexed{parts(c), ldc, rows, cols});
}
inline void forward_block_of(std::int32_t n, std::int32_t nrhs, const Entry* l, std::int64_t ldl, Entry* x,
                             std::int64_t ldx) {
  complex_forward_block(n, nrhs, parts(l), ldl, parts(x), ldx);
}
inline void backward_block_of(std::int32_t n, std::int32_t nrhs, const Entry* l, std::int64_t ldl, Entry* x,
                              std::int64_t ldx) {
  complex_backward_block(n, nrhs, parts(l), ldl, parts(x), ldx);
}
inline void times_of(std::int32_t m, std::int32_t n, std::int32_t nrhs, const Entry* a, std::int64_t lda, const Entry* x,
                     std::int64_t ldx, Entry* y, std::int64_t ldy) {
  complex_product<false, false>(m, nrhs, n, parts(a), lda, {parts(x), 1, ldx}, ComplexDense{parts(y), ldy});
}
inline void adjoint_times_of(std::int32_t m, std::int32_t n, std::int32_t nrhs, const Entry* a, std::int64_t lda,
                             const Entry* y, std::int64_t ldy, Entry* x, std::int64_t ldx) {
  complex_adjoint_product(m, n, nrhs, parts(a), lda, parts(y), ldy, parts(x), ldx);
}

// Constant-initialized, as the tables of real kernels.
extern const HostKernels<Entry> complex_kernels;
constexpr HostKernels<Entry> complex_kernels = {GPUSUPERNODAL_ISA_NAME,
                                                &factor_diagonal_of,
                                                &solve_below_of,
                                                &factor_panel_of,
                                                &product_of,
                                                &lower_product_of,
                                                &indexed_product_of,
                                                &lower_indexed_product_of,
                                                &forward_block_of,
                                                &backward_block_of,
                                                &times_of,
                                                &adjoint_times_of,
                                                nullptr,
                                                nullptr};

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
