#include <cuda_runtime_api.h>

#include <span>
#include <vector>

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/spmv_kernels.hpp"
#include "solver/backend/buffer.hpp"
#include "solver/backend/device_copy.hpp"
#include "solver/cuda/run/device.hpp"
#include "solver/cuda/run/device_memory.hpp"
#include "solver/sparse/sparse_apply.hpp"

namespace gpusupernodal {
namespace cuda {
namespace {

template <class Element>
std::int64_t padded_bytes(std::int64_t count) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(Element));
  return (bytes + Slab::alignment - 1) / Slab::alignment * Slab::alignment;
}

template <class S>
std::int64_t slab_bytes(const SparseLayout& layout) {
  return padded_bytes<std::int32_t>(static_cast<std::int64_t>(layout.offsets.size())) +
         padded_bytes<std::int32_t>(static_cast<std::int64_t>(layout.index.size())) +
         padded_bytes<std::uint16_t>(static_cast<std::int64_t>(layout.delta.size())) +
         padded_bytes<std::int32_t>(static_cast<std::int64_t>(layout.order.size())) +
         padded_bytes<std::int32_t>(static_cast<std::int64_t>(layout.source.size())) + padded_bytes<S>(layout.stored_values);
}

template <class S>
class CudaApply final : public SparseApply<S> {
 public:
  /// Precondition: `device` is the current device and usable.
  CudaApply(const SparseLayout& layout, const ApplyOptions& options, int device)
      : device_(device),
        stream_(static_cast<cudaStream_t>(options.stream)),
        allocator_(options.allocator ? options.allocator : make_device_allocator(device)),
        input_values_(layout.input_values),
        slab_(allocator_, slab_bytes<S>(layout), "a sparse operator") {
    arrays_.rows = layout.rows;
    arrays_.columns = layout.columns;
    arrays_.width = layout.width;
    arrays_.stored_values = layout.stored_values;
    arrays_.offsets = slab_.upload(std::span<const std::int32_t>(layout.offsets));
    arrays_.index = slab_.upload(std::span<const std::int32_t>(layout.index));
    arrays_.delta = slab_.upload(std::span<const std::uint16_t>(layout.delta));
    arrays_.order = slab_.upload(std::span<const std::int32_t>(layout.order));
    if (!layout.source.empty()) source_ = slab_.upload(std::span<const std::int32_t>(layout.source));
    arrays_.values = values_ = slab_.take<S>(layout.stored_values);
    prepare_sparse_values<S>();
    prepare_csr_product<S>();
  }

  /// Work that was enqueued may use the memory.
  ~CudaApply() override {
    const DeviceGuard guard(device_);
    static_cast<void>(cudaDeviceSynchronize());
  }

  MemorySpace space() const override { return MemorySpace::device; }
  std::int64_t rows() const override { return arrays_.rows; }
  std::int64_t columns() const override { return arrays_.columns; }
  std::int64_t memory_bytes() const override {
    return slab_.size() + staging_.size() * static_cast<std::int64_t>(sizeof(S));
  }
  void set_stream(void* stream) override { stream_ = static_cast<cudaStream_t>(stream); }

  void update(const S* values, MemorySpace value_space) override {
    if (input_values_ == 0) return;
    const DeviceGuard guard(device_);
    const std::int64_t bytes = input_values_ * static_cast<std::int64_t>(sizeof(S));
    if (value_space == MemorySpace::host) {
      if (source_ == nullptr)
        return copy_device_bytes(values_, MemorySpace::device, values, MemorySpace::host, bytes, stream_);
      if (staging_.size() == 0) staging_ = Buffer<S>(allocator_, input_values_, "values on their way to a sparse operator");
      copy_device_bytes(staging_.data(), MemorySpace::device, values, MemorySpace::host, bytes, stream_);
      values = staging_.data();
    }
    if (source_ != nullptr) return gather_values(values, source_, arrays_.stored_values, values_, stream_);
    GPUSUPERNODAL_CUDA_CHECK(
        cudaMemcpyAsync(values_, values, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, stream_));
  }

  void multiply(S alpha, const DenseView<const S>& x, S beta, const DenseView<S>& y) override {
    const ProductVectors<S> v{alpha, x.data, x.ld, beta, y.data, y.ld, static_cast<std::int32_t>(y.cols), nullptr};
    if (arrays_.rows == 0 || v.columns == 0) return;
    const DeviceGuard guard(device_);
    if (alpha == S(0)) return scale_rows(arrays_.rows, v, stream_);
    csr_product(arrays_, v, stream_);
  }

  std::int32_t dot_partials() const override { return csr_dot_blocks(arrays_); }

  void multiply_dot(const S* x, S* y, double* partials) override {
    const DeviceGuard guard(device_);
    csr_product(arrays_, {S(1), x, arrays_.columns, S(0), y, arrays_.rows, 1, partials}, stream_);
  }

 private:
  int device_;
  cudaStream_t stream_;
  std::shared_ptr<Allocator> allocator_;
  std::int64_t input_values_;
  Slab slab_;
  Buffer<S> staging_;  ///< For values from host memory; taken when they first come.
  SparseArrays<S> arrays_;
  const std::int32_t* source_ = nullptr;
  S* values_ = nullptr;
};

}  // namespace
}  // namespace cuda

template <class S>
std::unique_ptr<SparseApply<S>> make_cuda_apply(const SparseLayout& layout, const ApplyOptions& options) {
  const int device = cuda::choose_device(options.device);
  const cuda::DeviceGuard guard(device);
  return std::make_unique<cuda::CudaApply<S>>(layout, options, device);
}

template std::unique_ptr<SparseApply<float>> make_cuda_apply(const SparseLayout&, const ApplyOptions&);
template std::unique_ptr<SparseApply<double>> make_cuda_apply(const SparseLayout&, const ApplyOptions&);

}  // namespace gpusupernodal
