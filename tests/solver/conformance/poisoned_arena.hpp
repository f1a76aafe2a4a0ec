#pragma once

/// \file
/// An arena for thousands of short-lived executors. It is allocated once and full of NaN whenever it hands out memory.

#include <cstring>
#include <new>

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/options.hpp"

namespace gpusupernodal::test {

/// Allocates memory of the current device. Returns null on failure or in a build without CUDA.
void* take_device_pages(std::size_t bytes);
void give_back_device_pages(void* pages);
/// Sets all bits and synchronizes the device.
void poison_device_pages(void* pages, std::size_t bytes);

/// Hands out pieces one behind the other and starts over when all of them have been freed. Unwritten memory reads as NaN, or
/// as −1 for an index, so an executor that depends on it fails.
class PoisonedArena final : public Allocator {
 public:
  PoisonedArena(Backend backend, std::size_t bytes) : on_host_(backend == Backend::host), bytes_(bytes) {
    pages_ =
        static_cast<char*>(on_host_ ? ::operator new(bytes, alignment_of_pages, std::nothrow) : take_device_pages(bytes));
    used_ = bytes;
    restart();
  }
  ~PoisonedArena() override {
    if (on_host_) {
      ::operator delete(pages_, alignment_of_pages);
    } else {
      give_back_device_pages(pages_);
    }
  }
  PoisonedArena(const PoisonedArena&) = delete;
  PoisonedArena& operator=(const PoisonedArena&) = delete;

  void* allocate(std::size_t bytes, std::size_t alignment) override {
    const std::size_t begin = (used_ + alignment - 1) / alignment * alignment;
    if (pages_ == nullptr || begin > bytes_ || bytes > bytes_ - begin) return nullptr;
    used_ = begin + bytes;
    ++alive_;
    return pages_ + begin;
  }
  void deallocate(void*, std::size_t, std::size_t) noexcept override {
    if (--alive_ == 0) restart();
  }

 private:
  static constexpr std::align_val_t alignment_of_pages{4096};

  void restart() {
    if (pages_ == nullptr) return;
    if (on_host_) {
      std::memset(pages_, 0xff, used_);
    } else {
      poison_device_pages(pages_, used_);
    }
    used_ = 0;
  }

  bool on_host_;
  std::size_t bytes_;
  char* pages_ = nullptr;
  std::size_t used_ = 0;
  std::int64_t alive_ = 0;
};

}  // namespace gpusupernodal::test
