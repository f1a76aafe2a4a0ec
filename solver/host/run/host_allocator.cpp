#include "solver/host/run/host_allocator.hpp"

#include <algorithm>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gpusupernodal {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Large arrays begin on a huge page.
std::align_val_t alignment_of(std::size_t bytes, std::size_t alignment) {
  return std::align_val_t(bytes >= 2 * huge_page ? std::max(alignment, huge_page) : alignment);
}

/// Requests huge pages for arrays that fill whole ones. With pages of 4 KiB, each column of a tile lies in one or two pages,
/// and the processor cannot cache that many address translations.
void advise_huge_pages([[maybe_unused]] void* pointer, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  // The result is ignored: the memory works without huge pages too.
  if (bytes >= 2 * huge_page) madvise(pointer, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
}

class AlignedNew final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    void* const pointer = ::operator new(bytes, alignment_of(bytes, alignment), std::nothrow);
    if (pointer != nullptr) advise_huge_pages(pointer, bytes);
    return pointer;
  }
  void deallocate(void* pointer, std::size_t bytes, std::size_t alignment) noexcept override {
    ::operator delete(pointer, alignment_of(bytes, alignment));
  }
};

}  // namespace

std::shared_ptr<Allocator> default_host_allocator() { return std::make_shared<AlignedNew>(); }

}  // namespace gpusupernodal
