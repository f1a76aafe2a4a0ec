#pragma once

/// \file
/// The complex tables of one instruction set.

#include <complex>

#include "gpusupernodal/build_config.hpp"
#include "kernels/host/complex/lu.hpp"
#include "kernels/host/complex/number.hpp"
#include "kernels/host/host_kernels.hpp"

namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE {

template <class R>
using Entry = std::complex<R>;

template <class R>
[[gnu::always_inline]] inline R* parts(Entry<R>* entries) {
  return reinterpret_cast<R*>(entries);
}
template <class R>
[[gnu::always_inline]] inline const R* parts(const Entry<R>* entries) {
  return reinterpret_cast<const R*>(entries);
}

template <class R>
std::int32_t factor_diagonal_of(std::int32_t n, Entry<R>* a, std::int64_t lda, R* pivot) {
  return complex_factor_panel(n, n, parts(a), lda, pivot);
}
template <class R>
void solve_below_of(std::int32_t m, std::int32_t n, const Entry<R>* l, std::int64_t ldl, Entry<R>* b, std::int64_t ldb) {
  complex_solve_below(m, n, parts(l), ldl, parts(b), ldb);
}
template <class R>
std::int32_t factor_panel_of(std::int32_t m, std::int32_t n, Entry<R>* a, std::int64_t lda, R* pivot) {
  return complex_factor_panel(m, n, parts(a), lda, pivot);
}
template <class R>
void product_of(std::int32_t m, std::int32_t n, std::int32_t k, const Entry<R>* a, std::int64_t lda, const Entry<R>* b,
                std::int64_t ldb, Entry<R>* c, std::int64_t ldc) {
  complex_product<false, true>(m, n, k, parts(a), lda, {parts(b), ldb, 1}, ComplexDense<R>{parts(c), ldc});
}
template <class R>
void lower_product_of(std::int32_t m, std::int32_t n, std::int32_t k, const Entry<R>* a, std::int64_t lda, const Entry<R>* b,
                      std::int64_t ldb, Entry<R>* c, std::int64_t ldc) {
  complex_product<true, true>(m, n, k, parts(a), lda, {parts(b), ldb, 1}, ComplexDense<R>{parts(c), ldc});
}
template <class R>
void indexed_product_of(std::int32_t m, std::int32_t n, std::int32_t k, const Entry<R>* a, std::int64_t lda,
                        const Entry<R>* b, std::int64_t ldb, Entry<R>* c, std::int64_t ldc, const std::int32_t* rows,
                        const std::int32_t* cols) {
  complex_product<false, true>(m, n, k, parts(a), lda, {parts(b), ldb, 1}, ComplexIndexed<R>{parts(c), ldc, rows, cols});
}
template <class R>
void lower_indexed_product_of(std::int32_t m, std::int32_t n, std::int32_t k, const Entry<R>* a, std::int64_t lda,
                              const Entry<R>* b, std::int64_t ldb, Entry<R>* c, std::int64_t ldc, const std::int32_t* rows,
                              const std::int32_t* cols) {
  complex_product<true, true>(m, n, k, parts(a), lda, {parts(b), ldb, 1}, ComplexIndexed<R>{parts(c), ldc, rows, cols});
}
template <class R>
void forward_block_of(std::int32_t n, std::int32_t nrhs, const Entry<R>* l, std::int64_t ldl, Entry<R>* x,
                      std::int64_t ldx) {
  complex_forward_block(n, nrhs, parts(l), ldl, parts(x), ldx);
}
template <class R>
void backward_block_of(std::int32_t n, std::int32_t nrhs, const Entry<R>* l, std::int64_t ldl, Entry<R>* x,
                       std::int64_t ldx) {
  complex_backward_block(n, nrhs, parts(l), ldl, parts(x), ldx);
}
template <class R>
void times_of(std::int32_t m, std::int32_t n, std::int32_t nrhs, const Entry<R>* a, std::int64_t lda, const Entry<R>* x,
              std::int64_t ldx, Entry<R>* y, std::int64_t ldy) {
  complex_product<false, false>(m, nrhs, n, parts(a), lda, {parts(x), 1, ldx}, ComplexDense<R>{parts(y), ldy});
}
template <class R>
void adjoint_times_of(std::int32_t m, std::int32_t n, std::int32_t nrhs, const Entry<R>* a, std::int64_t lda,
                      const Entry<R>* y, std::int64_t ldy, Entry<R>* x, std::int64_t ldx) {
  complex_adjoint_product(m, n, nrhs, parts(a), lda, parts(y), ldy, parts(x), ldx);
}

template <class R>
void factor_lu_of(std::int32_t m, std::int32_t n, Entry<R>* l, std::int64_t ldl, Entry<R>* u, std::int64_t ldu,
                  LuPivots<Entry<R>>* pivots) {
  complex_factor_lu(m, n, parts(l), ldl, parts(u), ldu, pivots);
}

template <class R>
std::int32_t factor_ldlt_of(std::int32_t n, Entry<R>* a, std::int64_t lda, const LdltPivots<Entry<R>>* pivots) {
  using Number = ComplexNumber<R>;
  auto* const block = reinterpret_cast<Number*>(a);
  const PivotArrays<Number> arrays{pivots->smallest_allowed, reinterpret_cast<Number*>(pivots->d), pivots->exchange,
                                   pivots->magnitude};
  return pivots->symmetric ? factor_ldlt_block<Number, true>(n, block, lda, arrays)
                           : factor_ldlt_block<Number, false>(n, block, lda, arrays);
}

/// The kernels of forms that the build leaves out are null pointers.
template <class R>
constexpr auto complex_lu_kernel() -> decltype(HostKernels<Entry<R>>::factor_lu) {
  if constexpr (GPUSUPERNODAL_HAVE_LU) return &factor_lu_of<R>;
  return nullptr;
}
template <class R>
constexpr auto complex_ldlt_kernel() -> decltype(HostKernels<Entry<R>>::factor_ldlt) {
  if constexpr (GPUSUPERNODAL_HAVE_LDLT) return &factor_ldlt_of<R>;
  return nullptr;
}

template <class R>
constexpr HostKernels<Entry<R>> make_complex_table() {
  return {GPUSUPERNODAL_ISA_NAME, &factor_diagonal_of<R>,  &solve_below_of<R>,     &factor_panel_of<R>,
          &product_of<R>,         &lower_product_of<R>,    &indexed_product_of<R>, &lower_indexed_product_of<R>,
          &forward_block_of<R>,   &backward_block_of<R>,   &times_of<R>,           &adjoint_times_of<R>,
          complex_lu_kernel<R>(), complex_ldlt_kernel<R>()};
}

template <class T>
struct Table {
  static const HostKernels<T> kernels;
};

// Constant-initialized, as the tables of real kernels.
#if GPUSUPERNODAL_HAVE_COMPLEX_FLOAT
template <>
constinit const HostKernels<Entry<float>> Table<Entry<float>>::kernels = make_complex_table<float>();
#endif
#if GPUSUPERNODAL_HAVE_COMPLEX_DOUBLE
template <>
constinit const HostKernels<Entry<double>> Table<Entry<double>>::kernels = make_complex_table<double>();
#endif

}  // namespace gpusupernodal::GPUSUPERNODAL_ISA_NAMESPACE
