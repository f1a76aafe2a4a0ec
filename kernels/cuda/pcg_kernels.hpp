#pragma once

/// \file
/// Vector work of conjugate gradients. All launches are asynchronous on `stream`; pointers are device memory. Sums are made
/// in double: each CTA writes one, and the CTA that ends last adds them in order, so equal input gives equal bits.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gpusupernodal::cuda {

/// CTAs of a launch with sums, at most. Fixed, so that the bits do not depend on the device.
inline constexpr int max_pcg_blocks = 1024;
/// Largest order of diagonal blocks.
inline constexpr int max_pcg_diagonal_block = 8;

/// Scalars of an iteration. Once `stop` is not 0, launches leave everything as it is.
struct PcgState {
  int stop = 0;   ///< PcgStop.
  int first = 1;  ///< Whether no step was taken yet.
  unsigned ticket = 0;
  long long iterations = 0;
  long long limit = 0;
  double threshold = 0.0;
  double rho = 0.0;   ///< rᵀ M⁻¹ r.
  double beta = 0.0;  ///< Coefficient of the next direction.
  double rr = 0.0;    ///< rᵀ r.
  double largest = 0.0;
};

/// How a step makes z = M⁻¹ r.
enum class PcgInverseKind { separate, identity, diagonal, blocks };

template <class S>
struct PcgVectors {
  std::int32_t n = 0;
  S* x = nullptr;
  S* b = nullptr;
  S* r = nullptr;
  S* p = nullptr;
  S* q = nullptr;  ///< A p.
  S* z = nullptr;
  const S* inverse = nullptr;  ///< n × block: rows of the inverses of diagonal blocks.
  int block = 0;
  PcgInverseKind kind = PcgInverseKind::identity;
  const double* products = nullptr;  ///< Parts of pᵀ q.
  int product_count = 0;
  double* sums = nullptr;  ///< 2 · max_pcg_blocks.
  PcgState* state = nullptr;
};

/// Begins an iteration that takes at most `limit` steps.
template <class S>
void start_pcg(const PcgVectors<S>& v, long long limit, double threshold, cudaStream_t stream);
/// x += alpha·p, r −= alpha·q with alpha = rho / pᵀq, unless no step was taken yet; then rᵀr and, unless the kind is
/// `separate`, z and the next beta. Stops before x is changed if pᵀq is not positive. Bytes: 7 or 8 vectors.
template <class S>
void pcg_step(const PcgVectors<S>& v, cudaStream_t stream);
/// z := M⁻¹ r for the kinds `diagonal` and `blocks`, without the rest of a step.
template <class S>
void pcg_apply_blocks(const PcgVectors<S>& v, cudaStream_t stream);
/// For the kind `separate`: the next beta from rᵀz = Σ a[i]·c[i].
template <class S>
void pcg_next_beta(const PcgVectors<S>& v, const S* a, const S* c, cudaStream_t stream);
/// p := z + beta·p. Bytes: 3 or 4 vectors.
template <class S>
void pcg_direction(const PcgVectors<S>& v, cudaStream_t stream);
/// Writes pcg_blocks(n) parts of pᵀq to `products`, where the product with A did not.
template <class S>
void pcg_dot(const PcgVectors<S>& v, double* products, cudaStream_t stream);
/// r := b − q and state.rr := rᵀr.
template <class S>
void pcg_residual(const PcgVectors<S>& v, cudaStream_t stream);
/// state.rr := bᵀb and state.largest := max |b[i]|, infinite if an entry is NaN or Inf.
template <class S>
void pcg_norms_of_b(const PcgVectors<S>& v, cudaStream_t stream);
/// x := factor·x.
template <class S>
void pcg_scale(S* x, std::int32_t n, double factor, cudaStream_t stream);
/// to[i] := from[i] in another precision.
template <class From, class To>
void pcg_convert(const From* from, To* to, std::int32_t n, cudaStream_t stream);

/// CTAs of a launch with sums for n rows.
int pcg_blocks(std::int32_t n);
/// Loads the kernels onto the current device.
template <class S>
void prepare_pcg();

}  // namespace gpusupernodal::cuda
