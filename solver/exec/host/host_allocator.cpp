#include "solver/exec/host/host_allocator.hpp"

#include <new>

namespace gpusupernodal {
namespace {

class AlignedNew final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    return ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
  }
  void deallocate(void* pointer, std::size_t, std::size_t alignment) noexcept override {
    ::operator delete(pointer, std::align_val_t(alignment));
  }
};

}  // namespace

std::shared_ptr<Allocator> default_host_allocator() { return std::make_shared<AlignedNew>(); }

}  // namespace gpusupernodal
