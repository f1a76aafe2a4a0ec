#pragma once

/// \file
/// What SparseProduct, GalerkinProduct and NormalEquations share: operands, the choice of the backend, states and results.

#include <memory>

#include "gpusupernodal/sparse_product.hpp"
#include "solver/api/staging.hpp"
#include "solver/sparse/product_engine.hpp"

namespace gpusupernodal {

/// Throws InvalidInput for options outside their range.
void check_product_options(const ProductOptions& options);

template <class T>
class ProductState {
 public:
  /// Options of the next analyze.
  ProductOptions options;
  void* stream = nullptr;

  /// Analyzes C = A·B; for b = nullptr the normal equations of A. Throws as SparseProduct::analyze, and changes nothing
  /// then.
  void analyze(const SparseView<T>& a, const SparseView<T>* b);

  /// Checks a call of update or compute: the state, the values, and that it can wait where it must.
  void check_values(const char* call, const char* what, Span<const T> values, std::int64_t count, MemorySpace space) const;
  void require_analyzed(const char* call) const;
  void refuse_in_capture(const char* call, const char* reason) const;

  bool is_analyzed() const { return engine_ != nullptr; }
  ProductEngine<T>& engine() { return *engine_; }
  const ProductEngine<T>& engine() const { return *engine_; }
  const ProductReport& report() const { return report_; }
  std::int64_t a_values() const { return a_values_; }
  std::int64_t b_values() const { return b_values_; }
  void set_stream(void* cuda_stream);

  /// Implement the members of SparseProduct (product_result.cpp). Values are copied only if compute has made them; `name` is
  /// that of the result in messages.
  SparseView<T> result() const;
  void copy_pattern(Span<std::int64_t> offsets, Span<std::int32_t> indices) const;
  void copy_values(Span<T> values, bool has_values, const char* name = "C") const;
  /// Copies `count` elements of the engine's memory to the host.
  template <class Element>
  void copy_to_host(Element* to, const Element* from, std::int64_t count) const {
    if (count == 0) return;
    copy_bytes_to_host(to, from, count * static_cast<std::int64_t>(sizeof(Element)));
  }

 private:
  struct Made {
    std::unique_ptr<ProductEngine<T>> engine;
    ProductReport report;
    std::int64_t a_values = 0;
    std::int64_t b_values = 0;
  };
  void copy_bytes_to_host(void* to, const void* from, std::int64_t bytes) const;
  ProductEngineOptions engine_options(Backend backend) const;
  ProductInput input_of(const SparseView<T>& a, const SparseView<T>* b, bool on_device) const;
  Made make_on(Backend backend, const SparseView<T>& a, const SparseView<T>* b) const;
  Made make(const SparseView<T>& a, const SparseView<T>* b) const;

  std::unique_ptr<ProductEngine<T>> engine_;
  ProductReport report_;
  std::int64_t a_values_ = 0;
  std::int64_t b_values_ = 0;
};

/// Values where the engine of a product can take them: an engine on the host takes a copy of those on a device. Must live
/// until the engine has taken them.
template <class T>
class NearValues {
 public:
  NearValues(const ProductState<T>& state, Span<const T> values, MemorySpace space)
      : space_(state.engine().space() == MemorySpace::host ? MemorySpace::host : space),
        copy_(values.data(), space == space_ ? MemorySpace::host : space, static_cast<std::int64_t>(values.size()),
              state.stream) {}
  const T* data() const { return copy_.data(); }
  MemorySpace space() const { return space_; }

 private:
  MemorySpace space_;
  HostCopy<T> copy_;  ///< Copies nothing where the engine takes the values themselves.
};

}  // namespace gpusupernodal
