#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/thread_team.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "kernels/common/scalar_products.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/backend/pcg_engine.hpp"
#include "solver/common/fail.hpp"
#include "solver/host/run/host_allocator.hpp"
#include "solver/host/run/host_vectors.hpp"
#include "solver/host/run/scalar_parts.hpp"
#include "solver/host/run/workers.hpp"
#include "solver/sparse/sparse_apply.hpp"
#include "solver/sparse/sparse_layout.hpp"

namespace gpusupernodal {
namespace {

/// Rows whose contributions to a sum are added by one thread. A multiple of all block orders.
constexpr std::int64_t rows_of_chunk = 840;
/// Fewer chunks are done by one thread faster than others are woken.
constexpr std::int64_t fewest_chunks_of_worker = 8;

/// Two sums that one pass over vectors yields.
struct Sums {
  double first = 0.0;
  double second = 0.0;
};

template <class S>
class HostPcg final : public PcgEngine<S> {
 public:
  HostPcg(std::int32_t n, const PcgEngineOptions& options)
      : n_(n),
        chunks_((n + rows_of_chunk - 1) / rows_of_chunk),
        threads_(options.threads),
        figures_(options.figures),
        function_is_product_(options.function_is_product),
        allocator_(options.allocator ? options.allocator : default_host_allocator()),
        team_(
            static_cast<int>(std::clamp<std::int64_t>(chunks_ / fewest_chunks_of_worker, 1, worker_count(options.threads)))),
        vectors_(allocator_, std::int64_t{vectors} * n, "the vectors of conjugate gradients"),
        sums_(allocator_, chunks_, "sums of conjugate gradients"),
        partials_(allocator_, SparseApply<S>::max_dot_partials, "sums of products") {}

  MemorySpace space() const override { return MemorySpace::host; }
  void set_stream(void*) override {}

  void set_matrix(const SparseRows<S>& a) override {
    if (!matrix_) matrix_ = make_product(a);
    matrix_->update(a.values.data(), MemorySpace::host);
    product_ = nullptr;
  }
  void set_function(VectorFunction<S> product) override { product_ = std::move(product); }

  void set_inverse(const PcgInverse<S>& inverse) override {
    block_ = 0;
    g_.reset();
    transposed_.reset();
    function_ = inverse.function;
    single_ = inverse.single;
    if (inverse.block != 0) {
      const std::int64_t count = std::int64_t{n_} * inverse.block;
      if (blocks_.size() != count) blocks_ = Buffer<S>(allocator_, count, "inverses of blocks");
      std::copy(inverse.blocks, inverse.blocks + count, blocks_.data());
      block_ = inverse.block;
    }
    if (single_ && singles_.size() == 0)
      singles_ = Buffer<Single>(allocator_, 2 * std::int64_t{n_}, "vectors in single precision");
    if (inverse.g == nullptr) return;
    g_ = make_product(*inverse.g);
    transposed_ = make_product(*inverse.transposed);
    g_->update(inverse.g->values.data(), MemorySpace::host);
    transposed_->update(inverse.transposed->values.data(), MemorySpace::host);
  }

  double load(const S* b, MemorySpace, const S* x, MemorySpace) override {
    starts_at_zero_ = x == nullptr;
    const Sums largest = combine(
        [&](std::int64_t begin, std::int64_t end) {
          double most = 0.0;
          for (std::int64_t i = begin; i < end; ++i) {
            at(vb)[i] = b[i];
            at(vx)[i] = x == nullptr ? S(0) : x[i];
            const double magnitude = size_of(b[i]);
            if (!(magnitude <= most)) most = std::isnan(magnitude) ? std::numeric_limits<double>::infinity() : magnitude;
          }
          return Sums{most, 0.0};
        },
        [](double a, double c) { return std::max(a, c); });
    return largest.first;
  }

  void scale(double factor) override {
    for_chunks([&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        at(vb)[i] = scaled(at(vb)[i], factor);
        at(vx)[i] = scaled(at(vx)[i], factor);
      }
    });
  }

  double norm_of_b() override {
    return std::sqrt(sum([&](std::int64_t i) { return square(at(vb)[i]); }));
  }

  double residual() override {
    const bool r_is_b = starts_at_zero_ && (!product_ || function_is_product_);
    if (!r_is_b) multiply(at(vx), at(vq));
    return std::sqrt(sum([&](std::int64_t i) {
      at(vr)[i] = r_is_b ? at(vb)[i] : at(vb)[i] - at(vq)[i];
      return square(at(vr)[i]);
    }));
  }

  PcgRun run(std::int64_t limit, double threshold, const PcgMonitor& monitor) override {
    PcgRun run;
    starts_at_zero_ = false;
    double rr = sum([&](std::int64_t i) { return square(at(vr)[i]); });
    double rho = 0.0;
    for (;;) {
      run.residual = std::sqrt(rr);
      run.stop = !std::isfinite(rr)          ? PcgStop::not_finite
                 : run.residual <= threshold ? PcgStop::reached
                 : run.iterations >= limit   ? PcgStop::limit
                                             : PcgStop::none;
      if (run.stop != PcgStop::none) return run;
      const double rz = precondition();
      if (!(rz > 0.0) || !std::isfinite(rz)) return ended(run, rz);
      const double beta = run.iterations == 0 ? 0.0 : rz / rho;
      next_direction(beta, run.iterations == 0);
      rho = rz;
      const double pq = product_with_dot();
      const double alpha = rho / pq;
      if (!(pq > 0.0) || !std::isfinite(pq) || !std::isfinite(static_cast<Real>(alpha))) return ended(run, pq);
      rr = step(static_cast<Real>(alpha));
      ++run.iterations;
      if (monitor) monitor({run.iterations, std::sqrt(rr), alpha, beta});
    }
  }

  void precondition(const S* r, MemorySpace, S* z, MemorySpace) override {
    for_chunks([&](std::int64_t, std::int64_t begin, std::int64_t end) { std::copy(r + begin, r + end, at(vr) + begin); });
    precondition();
    for_chunks(
        [&](std::int64_t, std::int64_t begin, std::int64_t end) { std::copy(at(vz) + begin, at(vz) + end, z + begin); });
  }

  double largest_of_x() override { return largest_part(at(vx), n_); }

  void store(S* x, MemorySpace, double factor) override {
    for_chunks([&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) x[i] = factor == 1.0 ? at(vx)[i] : scaled(at(vx)[i], factor);
    });
  }

 private:
  using Real = typename ScalarTraits<S>::Real;
  using Single = SingleOf<S>;
  enum Vector { vb, vx, vr, vp, vq, vz, vt, vectors };

  static double square(S value) { return real_dot(value, value); }
  S* at(Vector v) const { return vectors_.data() + std::int64_t{n_} * v; }

  /// A quantity that must be positive is not.
  static PcgRun ended(PcgRun run, double value) {
    run.stop = value <= 0.0 && std::isfinite(value) ? PcgStop::breakdown : PcgStop::not_finite;
    return run;
  }

  std::unique_ptr<SparseApply<S>> make_product(const SparseRows<S>& rows) const {
    RowPattern pattern;
    pattern.rows = pattern.columns = n_;
    pattern.input_values = rows.entries();
    pattern.offsets = rows.offsets;
    pattern.index = rows.columns;
    ApplyOptions options;
    options.threads = threads_;
    options.allocator = allocator_;
    return make_host_apply<S>(make_layout(pattern, {Format::automatic, Backend::host, sizeof(S), threads_, figures_}),
                              options);
  }

  template <class Body>
  void for_chunks(const Body& body) {
    const auto workers = static_cast<int>(std::min<std::int64_t>(team_.count(), std::max<std::int64_t>(chunks_, 1)));
    const auto part = [&](int worker) {
      for (std::int64_t c = chunks_ * worker / workers; c < chunks_ * (worker + 1) / workers; ++c)
        body(c, c * rows_of_chunk, std::min<std::int64_t>(n_, (c + 1) * rows_of_chunk));
    };
    team_.run(workers, std::cref(part));
  }

  /// Combines what body(begin, end) returns for the chunks, in their order.
  template <class Body, class Combine>
  Sums combine(const Body& body, const Combine& two) {
    for_chunks([&](std::int64_t c, std::int64_t begin, std::int64_t end) { sums_[c] = body(begin, end); });
    Sums total;
    for (std::int64_t c = 0; c < chunks_; ++c) {
      total.first = two(total.first, sums_[c].first);
      total.second = two(total.second, sums_[c].second);
    }
    return total;
  }

  /// Adds term(i) for all rows; term may write row i of vectors.
  template <class Term>
  double sum(const Term& term) {
    return combine(
               [&](std::int64_t begin, std::int64_t end) {
                 double part = 0.0;
                 for (std::int64_t i = begin; i < end; ++i) part += term(i);
                 return Sums{part, 0.0};
               },
               [](double a, double b) { return a + b; })
        .first;
  }

  DenseView<S> column(Vector v) const { return DenseView<S>(at(v), n_); }

  void multiply(const S* x, S* y) {
    if (product_) return product_(x, y);
    matrix_->multiply(S(1), DenseView<const S>(x, n_), S(0), DenseView<S>(y, n_));
  }

  /// q := A p; returns pᴴq, or 0 if a function of the caller is not Hermitian.
  double product_with_dot() {
    if (product_) {
      product_(at(vp), at(vq));
      return dot(vp, vq);
    }
    matrix_->multiply_dot(at(vp), at(vq), partials_.data());
    double total = 0.0;
    for (std::int32_t k = 0; k < matrix_->dot_partials(); ++k) total += partials_[k];
    return total;
  }

  /// xᴴy of vectors whose product must be real; 0 if its imaginary part is more than rounding leaves.
  double dot(Vector x, Vector y) {
    const double real = sum([&](std::int64_t i) { return real_dot(at(x)[i], at(y)[i]); });
    if constexpr (ScalarTraits<S>::is_complex) {
      const double imaginary = std::abs(sum([&](std::int64_t i) { return imaginary_dot(at(x)[i], at(y)[i]); }));
      // Functions round relative to their largest terms, so much smaller products than these have errors beyond n·eps.
      const double tolerance = std::sqrt(std::sqrt(static_cast<double>(std::numeric_limits<Real>::epsilon())));
      if (imaginary > tolerance * std::abs(real)) {
        const double bound = tolerance * sum([&](std::int64_t i) {
                               return static_cast<double>(std::abs(at(x)[i])) * static_cast<double>(std::abs(at(y)[i]));
                             });
        if (imaginary > bound) return 0.0;
      }
    }
    return real;
  }

  /// z := M⁻¹ r; returns rᴴz, or 0 if a function of the caller is not Hermitian.
  double precondition() {
    if (g_) {
      g_->multiply(S(1), column(vr), S(0), column(vt));
      transposed_->multiply(S(1), column(vt), S(0), column(vz));
    } else if (function_) {
      function_(at(vr), at(vz));
    } else if (single_) {
      Single* const in = singles_.data();
      Single* const out = in + n_;
      std::transform(at(vr), at(vr) + n_, in, [](S value) { return static_cast<Single>(value); });
      single_(in, out);
      std::transform(out, out + n_, at(vz), [](Single value) { return static_cast<S>(value); });
    }
    if (ScalarTraits<S>::is_complex && function_) return dot(vr, vz);
    if (block_ == 1) {
      return sum([inverses = blocks_.data(), r = at(vr), z = at(vz)](std::int64_t i) {
        return real_dot(r[i], z[i] = times(inverses[i], r[i]));
      });
    }
    return sum([&](std::int64_t i) {
      if (block_ != 0) {
        at(vz)[i] = block_row(i);
      } else if (!g_ && !function_ && !single_) {
        at(vz)[i] = at(vr)[i];
      }
      return real_dot(at(vr)[i], at(vz)[i]);
    });
  }

  S block_row(std::int64_t i) const {
    const std::int64_t first = i / block_ * block_;
    const std::int64_t count = std::min<std::int64_t>(block_, n_ - first);
    S total = 0;
    for (std::int64_t k = 0; k < count; ++k) total += times(blocks_[i * block_ + k], at(vr)[first + k]);
    return total;
  }

  /// p := z + beta·p; p is not read at first.
  void next_direction(double beta, bool first) {
    const auto factor = static_cast<Real>(beta);
    for_chunks([&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) at(vp)[i] = first ? at(vz)[i] : at(vz)[i] + factor * at(vp)[i];
    });
  }

  /// x += alpha·p, r −= alpha·q; returns rᴴr.
  double step(Real alpha) {
    return sum([&](std::int64_t i) {
      at(vx)[i] += alpha * at(vp)[i];
      at(vr)[i] -= alpha * at(vq)[i];
      return square(at(vr)[i]);
    });
  }

  std::int32_t n_;
  std::int64_t chunks_;
  int threads_;
  std::shared_ptr<const ProductFigures> figures_;
  bool function_is_product_;
  std::shared_ptr<Allocator> allocator_;
  WorkerTeam team_;
  Buffer<S> vectors_;
  Buffer<Sums> sums_;
  Buffer<double> partials_;
  Buffer<S> blocks_;
  Buffer<Single> singles_;
  bool starts_at_zero_ = false;  ///< Whether x = 0 since the last load.
  int block_ = 0;
  std::unique_ptr<SparseApply<S>> matrix_;
  std::unique_ptr<SparseApply<S>> g_;
  std::unique_ptr<SparseApply<S>> transposed_;
  VectorFunction<S> product_;
  VectorFunction<S> function_;
  VectorFunction<Single> single_;
};

}  // namespace

template <class S>
std::unique_ptr<PcgEngine<S>> make_host_pcg(std::int32_t n, const PcgEngineOptions& options) {
  return std::make_unique<HostPcg<S>>(n, options);
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template std::unique_ptr<PcgEngine<T>> make_host_pcg(std::int32_t, const PcgEngineOptions&);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
