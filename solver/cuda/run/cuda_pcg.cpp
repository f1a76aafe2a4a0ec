#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "kernels/cuda/check.hpp"
#include "kernels/cuda/pcg_kernels.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/backend/pcg_engine.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/cuda/run/device_memory.hpp"
#include "solver/cuda/run/pcg_batch.hpp"
#include "solver/sparse/sparse_apply.hpp"
#include "solver/sparse/sparse_layout.hpp"

namespace gpusupernodal {
namespace cuda {
namespace {

/// Steps of a batch. While one batch runs, the host launches the next, and looks at the state after the one before; so up to
/// two batches run in vain at the end. Large matrices take fewer steps, small ones more to hide the launch.
constexpr int steps_of_small = 8;
constexpr int steps_of_large = 2;
constexpr std::int64_t large_entries = 4000000;

template <class S>
class CudaPcg final : public PcgEngine<S> {
 public:
  /// Precondition: `device` is the current device and usable.
  CudaPcg(std::int32_t n, const PcgEngineOptions& options, int device)
      : n_(n),
        device_(device),
        on_device_(device),
        figures_(options.figures),
        allocator_(options.allocator ? options.allocator : make_device_allocator(device)),
        vectors_(allocator_, std::int64_t{vectors} * n, "the vectors of conjugate gradients"),
        sums_(allocator_, 2 * max_pcg_blocks, "sums of conjugate gradients"),
        products_(allocator_, SparseApply<S>::max_dot_partials, "sums of products"),
        state_(allocator_, 1, "the state of conjugate gradients") {
    static_assert(max_pcg_blocks <= SparseApply<S>::max_dot_partials);
    v_.n = n;
    v_.b = at(0), v_.x = at(1), v_.r = at(2), v_.p = at(3), v_.q = at(4), v_.z = at(5);
    v_.products = products_.data();
    v_.sums = sums_.data();
    v_.state = state_.data();
    prepare_pcg<S>();
  }

  /// Work that was enqueued may use the memory.
  ~CudaPcg() override {
    on_device_.enter();
    static_cast<void>(cudaStreamSynchronize(stream_));
  }

  MemorySpace space() const override { return MemorySpace::device; }
  void set_stream(void* stream) override { stream_ = static_cast<cudaStream_t>(stream); }

  void set_matrix(const SparseRows<S>& a) override {
    const DeviceGuard guard(device_);
    if (!matrix_) matrix_ = make_product(a);
    entries_ = a.entries();
    update(*matrix_, a);
    if (product_) batch_.forget();
    product_ = nullptr;
  }
  void set_function(VectorFunction<S> product) override { product_ = std::move(product); }

  void set_inverse(const PcgInverse<S>& inverse) override {
    const DeviceGuard guard(device_);
    wait();
    batch_.forget();
    g_.reset();
    transposed_.reset();
    function_ = inverse.function;
    single_ = inverse.single;
    v_.block = inverse.block;
    v_.kind = inverse.block == 0   ? PcgInverseKind::identity
              : inverse.block == 1 ? PcgInverseKind::diagonal
                                   : PcgInverseKind::blocks;
    if (inverse.block != 0) take_blocks(inverse);
    if (single_ && singles_.size() == 0)
      singles_ = Buffer<float>(allocator_, 2 * std::int64_t{n_}, "vectors in single precision");
    if (function_ || single_ || inverse.g != nullptr) v_.kind = PcgInverseKind::separate;
    if (inverse.g == nullptr) return;
    g_ = make_product(*inverse.g);
    transposed_ = make_product(*inverse.transposed);
    update(*g_, *inverse.g);
    update(*transposed_, *inverse.transposed);
  }

  double load(const S* b, MemorySpace b_space, const S* x, MemorySpace x_space) override {
    const DeviceGuard guard(device_);
    copy(v_.b, MemorySpace::device, b, b_space);
    if (x == nullptr) {
      GPUSUPERNODAL_CUDA_CHECK(cudaMemsetAsync(v_.x, 0, bytes(), stream_));
    } else {
      copy(v_.x, MemorySpace::device, x, x_space);
    }
    pcg_norms_of_b(v_, stream_);
    return read_state().largest;
  }

  void scale(double factor) override {
    const DeviceGuard guard(device_);
    pcg_scale(v_.b, n_, factor, stream_);
    pcg_scale(v_.x, n_, factor, stream_);
  }

  double norm_of_b() override {
    const DeviceGuard guard(device_);
    pcg_norms_of_b(v_, stream_);
    return std::sqrt(read_state().rr);
  }

  double residual() override {
    const DeviceGuard guard(device_);
    if (product_) {
      product_(v_.x, v_.q);
    } else {
      matrix_->set_stream(stream_);
      matrix_->multiply(S(1), DenseView<const S>(v_.x, n_, space()), S(0), DenseView<S>(v_.q, n_, space()));
    }
    pcg_residual(v_, stream_);
    return std::sqrt(read_state().rr);
  }

  PcgRun run(std::int64_t limit, double threshold, const PcgMonitor& monitor) override {
    const DeviceGuard guard(device_);
    v_.product_count = product_ ? pcg_blocks(n_) : matrix_->dot_partials();
    start_pcg(v_, limit, threshold, stream_);
    for (int batch = 0;; ++batch) {
      if (function_ || single_ || product_) {
        take_step(stream_);
      } else {
        batch_.launch(stream_, [this](cudaStream_t stream) {
          for (int k = 0; k < steps(); ++k) take_step(stream);
        });
      }
      GPUSUPERNODAL_CUDA_CHECK(
          cudaMemcpyAsync(states_[batch % 2].get(), state_.data(), sizeof(PcgState), cudaMemcpyDeviceToHost, stream_));
      read_[batch % 2].record(stream_);
      if (batch == 0) continue;
      const int before = (batch + 1) % 2;
      GPUSUPERNODAL_CUDA_CHECK(cudaEventSynchronize(read_[before].get()));
      const PcgState& last = *states_[before].get();
      if (last.stop == 0) {
        if (monitor) look(monitor, last);
        continue;
      }
      wait();
      return {static_cast<PcgStop>(last.stop), last.iterations, std::sqrt(last.rr)};
    }
  }

  void precondition(const S* r, MemorySpace r_space, S* z, MemorySpace z_space) override {
    const DeviceGuard guard(device_);
    copy(v_.r, MemorySpace::device, r, r_space);
    apply_inverse(stream_);
    copy(z, z_space, v_.kind == PcgInverseKind::identity ? v_.r : v_.z, MemorySpace::device);
    wait();
  }

  double largest_of_x() override {
    const DeviceGuard guard(device_);
    std::vector<S> x(static_cast<std::size_t>(n_));
    copy(x.data(), MemorySpace::host, v_.x, MemorySpace::device);
    wait();
    double largest = 0.0;
    for (const S entry : x) largest = std::max(largest, std::abs(static_cast<double>(entry)));
    return largest;
  }

  void store(S* x, MemorySpace to, double factor) override {
    const DeviceGuard guard(device_);
    if (factor != 1.0) pcg_scale(v_.x, n_, factor, stream_);
    copy(x, to, v_.x, MemorySpace::device);
    wait();
  }

 private:
  static constexpr int vectors = 7;

  S* at(int vector) const { return vectors_.data() + std::int64_t{n_} * vector; }
  S* t() const { return at(6); }
  std::size_t bytes() const { return static_cast<std::size_t>(n_) * sizeof(S); }
  int steps() const { return entries_ >= large_entries ? steps_of_large : steps_of_small; }
  void wait() const { GPUSUPERNODAL_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

  void copy(S* to, MemorySpace to_space, const S* from, MemorySpace from_space) const {
    const bool up = to_space == MemorySpace::device;
    const bool on_device = from_space == MemorySpace::device;
    const cudaMemcpyKind kind = !up ? cudaMemcpyDeviceToHost : on_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
    if (n_ > 0) GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes(), kind, stream_));
  }

  PcgState read_state() const {
    GPUSUPERNODAL_CUDA_CHECK(
        cudaMemcpyAsync(states_[0].get(), state_.data(), sizeof(PcgState), cudaMemcpyDeviceToHost, stream_));
    wait();
    return *states_[0].get();
  }

  std::unique_ptr<SparseApply<S>> make_product(const SparseRows<S>& rows) const {
    RowPattern pattern;
    pattern.rows = pattern.columns = n_;
    pattern.input_values = rows.entries();
    pattern.offsets = rows.offsets;
    pattern.index = rows.columns;
    ApplyOptions options;
    options.device = device_;
    options.stream = stream_;
    options.allocator = allocator_;
    return make_cuda_apply<S>(make_layout(pattern, {Format::automatic, Backend::cuda, sizeof(S), 0, figures_}), options);
  }

  void update(SparseApply<S>& product, const SparseRows<S>& rows) const {
    product.set_stream(stream_);
    product.update(rows.values.data(), MemorySpace::host);
    wait();
  }

  void take_blocks(const PcgInverse<S>& inverse) {
    const std::int64_t count = std::int64_t{n_} * inverse.block;
    if (blocks_.size() != count) blocks_ = Buffer<S>(allocator_, count, "inverses of blocks");
    v_.inverse = blocks_.data();
    if (count == 0) return;
    GPUSUPERNODAL_CUDA_CHECK(cudaMemcpyAsync(blocks_.data(), inverse.blocks, static_cast<std::size_t>(count) * sizeof(S),
                                             cudaMemcpyHostToDevice, stream_));
    wait();
  }

  /// Shows the monitor a state. If it throws, no launch may be under way, because the vectors are used again.
  void look(const PcgMonitor& monitor, const PcgState& state) const {
    try {
      monitor({state.iterations, std::sqrt(state.rr), 0.0, 0.0});
    } catch (...) {
      static_cast<void>(cudaStreamSynchronize(stream_));
      throw;
    }
  }

  /// x, r, z, p and q = A p, once.
  void take_step(cudaStream_t stream) {
    pcg_step(v_, stream);
    if (v_.kind == PcgInverseKind::separate) precondition(stream);
    pcg_direction(v_, stream);
    if (product_) {
      product_(v_.p, v_.q);
      pcg_dot(v_, products_.data(), stream);
    } else {
      matrix_->set_stream(stream);
      matrix_->multiply_dot(v_.p, v_.q, products_.data());
    }
  }

  /// z := M⁻¹ r and the next beta, for the kind `separate`.
  void precondition(cudaStream_t stream) {
    apply_inverse(stream);
    // rᵀz = tᵀt with t = G r.
    pcg_next_beta<S>(v_, g_ ? t() : v_.r, g_ ? t() : v_.z, stream);
  }

  /// z := M⁻¹ r, unless M is the identity.
  void apply_inverse(cudaStream_t stream) {
    if (g_) {
      g_->set_stream(stream);
      transposed_->set_stream(stream);
      g_->multiply(S(1), DenseView<const S>(v_.r, n_, space()), S(0), DenseView<S>(t(), n_, space()));
      transposed_->multiply(S(1), DenseView<const S>(t(), n_, space()), S(0), DenseView<S>(v_.z, n_, space()));
    } else if (function_) {
      function_(v_.r, v_.z);
    } else if (single_) {
      float* const in = singles_.data();
      pcg_convert<S, float>(v_.r, in, n_, stream);
      single_(in, in + n_);
      pcg_convert<float, S>(in + n_, v_.z, n_, stream);
    } else if (v_.kind != PcgInverseKind::identity) {
      pcg_apply_blocks(v_, stream);
    }
  }

  std::int32_t n_;
  int device_;
  OnDevice on_device_;
  std::shared_ptr<const ProductFigures> figures_;
  cudaStream_t stream_ = nullptr;
  std::shared_ptr<Allocator> allocator_;
  std::int64_t entries_ = 0;
  Buffer<S> vectors_;
  Buffer<double> sums_;
  Buffer<double> products_;
  Buffer<PcgState> state_;
  Buffer<S> blocks_;
  Buffer<float> singles_;
  PcgVectors<S> v_;
  std::unique_ptr<SparseApply<S>> matrix_;
  std::unique_ptr<SparseApply<S>> g_;
  std::unique_ptr<SparseApply<S>> transposed_;
  VectorFunction<S> product_;
  VectorFunction<S> function_;
  VectorFunction<float> single_;
  Pinned<PcgState> states_[2];
  Event read_[2];
  PcgBatch batch_;
};

}  // namespace
}  // namespace cuda

template <class S>
std::unique_ptr<PcgEngine<S>> make_cuda_pcg(std::int32_t n, const PcgEngineOptions& options) {
  const int device = cuda::choose_device(options.device);
  const cuda::DeviceGuard guard(device);
  return std::make_unique<cuda::CudaPcg<S>>(n, options, device);
}

#define INSTANTIATE(T) template std::unique_ptr<PcgEngine<T>> make_cuda_pcg(std::int32_t, const PcgEngineOptions&);
GPUSUPERNODAL_FOR_EACH_REAL(INSTANTIATE)
#undef INSTANTIATE

}  // namespace gpusupernodal
