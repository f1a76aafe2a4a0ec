#pragma once

/// \file
/// How a thread rounds, and what it does with numbers below the least normal one.

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace gpusupernodal {

/// Rounding mode and treatment of subnormal numbers, without the status flags. On processors that this header does not know,
/// there is only one mode.
class FloatMode {
 public:
  static FloatMode of_this_thread() { return FloatMode(control() & mode_bits); }
  /// This mode, except that operands and results below the least normal number become zero.
  FloatMode flushing() const { return FloatMode(bits_ | flush_bits); }
  void set_for_this_thread() const {
    const Control now = control();
    if ((now & mode_bits) != bits_) set_control((now & ~mode_bits) | bits_);
  }

 private:
#if defined(__SSE2__)
  using Control = unsigned int;
  static constexpr Control mode_bits = 0xE040;   // MXCSR: FTZ, rounding, DAZ.
  static constexpr Control flush_bits = 0x8040;  // FTZ, DAZ.
  static Control control() { return _mm_getcsr(); }
  static void set_control(Control value) { _mm_setcsr(value); }
#elif defined(__aarch64__)
  using Control = std::uint64_t;
  static constexpr Control mode_bits = Control{7} << 22;   // FPCR: rounding, FZ.
  static constexpr Control flush_bits = Control{1} << 24;  // FZ.
  static Control control() {
    Control value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void set_control(Control value) { asm volatile("msr fpcr, %0" : : "r"(value)); }
#else
  using Control = unsigned int;
  static constexpr Control mode_bits = 0;
  static constexpr Control flush_bits = 0;
  static Control control() { return 0; }
  static void set_control(Control) {}
#endif

  explicit FloatMode(Control bits) : bits_(bits) {}
  Control bits_;
};

/// Sets the thread's mode for the lifetime of the object.
class WithFloatMode {
 public:
  explicit WithFloatMode(FloatMode mode) : before_(FloatMode::of_this_thread()) { mode.set_for_this_thread(); }
  ~WithFloatMode() { before_.set_for_this_thread(); }
  WithFloatMode(const WithFloatMode&) = delete;
  WithFloatMode& operator=(const WithFloatMode&) = delete;

 private:
  FloatMode before_;
};

}  // namespace gpusupernodal
