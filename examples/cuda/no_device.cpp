#include <stdexcept>

#include "../device.hpp"

namespace example::device {
namespace {

constexpr char sentence[] = "these examples were built without the CUDA toolkit";

[[noreturn]] void refuse() { throw std::runtime_error(sentence); }

}  // namespace

std::string missing() { return sentence; }

void* allocate(std::size_t) { refuse(); }
void deallocate(void*) noexcept {}
void* create_stream() { refuse(); }
void destroy_stream(void*) { refuse(); }
void wait_for(void*) { refuse(); }
void copy_to_device(void*, const void*, std::size_t, void*) { refuse(); }
void copy_to_host(void*, const void*, std::size_t, void*) { refuse(); }

}  // namespace example::device
