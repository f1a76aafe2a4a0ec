#pragma once

/// \file
/// Numbers below the least normal one. Many processors take a hundred times as long for an operation that meets one.

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "solver/exec/executor.hpp"

namespace gpusupernodal {

/// While it lives and `flush` is true, results of this thread that are below the least normal number become zero, and so do
/// such operands. Does nothing where the processor is not known here.
class FlushSubnormals {
 public:
  explicit FlushSubnormals(bool flush) : before_(control()) {
    if (flush) set_control(before_ | flush_bits);
  }
  ~FlushSubnormals() { set_control(before_); }
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
#if defined(__SSE2__)
  using Control = unsigned int;
  static constexpr Control flush_bits = 0x8040;  // Results and operands of MXCSR: FTZ, DAZ.
  static Control control() { return _mm_getcsr(); }
  static void set_control(Control value) { _mm_setcsr(value); }
#elif defined(__aarch64__)
  using Control = std::uint64_t;
  static constexpr Control flush_bits = Control{1} << 24;  // FZ of FPCR.
  static Control control() {
    Control value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void set_control(Control value) { asm volatile("msr fpcr, %0" : : "r"(value)); }
#else
  using Control = int;
  static constexpr Control flush_bits = 0;
  static Control control() { return 0; }
  static void set_control(Control) {}
#endif

  Control before_;
};

/// Whether a factorization in T of scale·A + shift·I stays as accurate as it is if numbers below the least normal one, u,
/// become zero. An entry of A is the sum of at most n products of entries of L; so the backward error of entry (i, j) grows
/// by n·u at most, which is nothing beside rounding, eps·sqrt(a_ii·a_jj), if all diagonal entries are some n·u / eps or
/// more. False for double, where such numbers are rare, and where a diagonal entry is missing. Cost: what is read of A's map
/// and diagonal.
template <class T>
bool subnormals_are_negligible(const FactorPlan& plan, const FactorInput<T>& input);

extern template bool subnormals_are_negligible(const FactorPlan&, const FactorInput<float>&);
extern template bool subnormals_are_negligible(const FactorPlan&, const FactorInput<double>&);

}  // namespace gpusupernodal
