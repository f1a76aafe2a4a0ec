#pragma once

/// \file
/// HostVectors: vectors in host memory.

#include <memory>
#include <vector>

#include "solver/backend/buffer.hpp"
#include "solver/backend/vector_space.hpp"

namespace gpusupernodal {

template <class S>
class HostVectors final : public VectorSpace<S> {
 public:
  explicit HostVectors(std::shared_ptr<Allocator> allocator) : allocator_(std::move(allocator)) {}

  MemorySpace space() const override { return MemorySpace::host; }
  DenseView<S> scratch(int slot, std::int64_t rows, std::int64_t cols) override;
  void copy(const DenseView<const S>& from, const DenseView<S>& to) override;
  void axpy(S alpha, const DenseView<const S>& x, const DenseView<S>& y) override;
  double max_norm(const DenseView<const S>& x) override;

 private:
  std::shared_ptr<Allocator> allocator_;
  std::vector<Buffer<S>> slots_;
};

/// The largest |v[i]|, i < n, in double; NaN if an entry is NaN.
template <class S>
double largest_magnitude(const S* v, std::int64_t n);

}  // namespace gpusupernodal
