#pragma once

/// \file
/// Exceptions for wrong calls and for what the machine refused. Numerical outcomes are values (report.hpp).

#include <cstdint>
#include <stdexcept>
#include <string>

#include "gpusupernodal/export.hpp"

namespace gpusupernodal {

/// Base of all exceptions of the library. `what()` is a sentence for a person; `file()` and `line()` are the place in
/// the library that threw.
class GPUSUPERNODAL_API Error : public std::runtime_error {
 public:
  /// Copies `sentence`. Precondition: `file` lives as long as the program, as __FILE__ does.
  Error(const std::string& sentence, const char* file, int line) : std::runtime_error(sentence), file_(file), line_(line) {}
  /// Source file of the library that threw.
  const char* file() const noexcept { return file_; }
  /// Line in file().
  int line() const noexcept { return line_; }

 private:
  const char* file_;
  int line_;
};

/// An argument violates its precondition: sizes, offsets, indices, a permutation, a non-finite value.
class GPUSUPERNODAL_API InvalidInput : public Error {
 public:
  using Error::Error;
};

/// A call in the wrong state: factorize before analyze, solve before factorize, memory wanted during a graph capture.
class GPUSUPERNODAL_API InvalidState : public Error {
 public:
  using Error::Error;
};

/// The call needs a factor, but the last factorization failed numerically; the report says where.
class GPUSUPERNODAL_API NumericalFailure : public Error {
 public:
  using Error::Error;
};

/// The requested backend is unavailable: no CUDA in the build, no device, or a device too old.
class GPUSUPERNODAL_API BackendUnavailable : public Error {
 public:
  using Error::Error;
};

/// A progress callback returned false. A cancelled analyze changes nothing; a cancelled factorize leaves no factor.
class GPUSUPERNODAL_API Cancelled : public Error {
 public:
  using Error::Error;
};

/// Memory was refused. Says how much was requested and, if known, how much was free.
class GPUSUPERNODAL_API OutOfMemory : public Error {
 public:
  /// As Error; the two numbers are in bytes, −1 if unknown.
  OutOfMemory(const std::string& sentence, const char* file, int line, std::int64_t bytes_needed, std::int64_t bytes_free)
      : Error(sentence, file, line), needed_(bytes_needed), free_(bytes_free) {}
  /// Bytes requested; −1 if unknown.
  std::int64_t bytes_needed() const noexcept { return needed_; }
  /// Bytes free at that time; −1 if unknown.
  std::int64_t bytes_free() const noexcept { return free_; }

 private:
  std::int64_t needed_;
  std::int64_t free_;
};

/// A CUDA, cuBLAS or cuSOLVER call failed for a reason other than memory.
class GPUSUPERNODAL_API DeviceError : public Error {
 public:
  using Error::Error;
};

}  // namespace gpusupernodal
