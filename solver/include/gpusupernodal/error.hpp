#pragma once

/// \file
/// Exceptions: what a caller did wrong, or what the machine could not give. Numerical outcomes are values (report.hpp).

#include <cstdint>
#include <stdexcept>
#include <string>

#include "gpusupernodal/export.hpp"

namespace gpusupernodal {

/// Base of all exceptions of the library; `what()` is a sentence for a person, `file()`/`line()` the place in the library.
class GPUSUPERNODAL_API Error : public std::runtime_error {
 public:
  /// `sentence` is copied; `file` must live as long as the program, as __FILE__ does.
  Error(const std::string& sentence, const char* file, int line) : std::runtime_error(sentence), file_(file), line_(line) {}
  /// File of the library that threw.
  const char* file() const noexcept { return file_; }
  /// Line in it.
  int line() const noexcept { return line_; }

 private:
  const char* file_;
  int line_;
};

/// An argument is not what the docs ask for: sizes, offsets, indices, a permutation, a non-finite value.
class GPUSUPERNODAL_API InvalidInput : public Error {
 public:
  using Error::Error;
};

/// A call in the wrong state: factorize before analyze, solve before factorize, another pattern than analyzed.
class GPUSUPERNODAL_API InvalidState : public Error {
 public:
  using Error::Error;
};

/// solve was asked for while the last factorization failed numerically; the report says where.
class GPUSUPERNODAL_API NumericalFailure : public Error {
 public:
  using Error::Error;
};

/// The backend asked for is not there: no CUDA in the build, no device, a device too old.
class GPUSUPERNODAL_API BackendUnavailable : public Error {
 public:
  using Error::Error;
};

/// The progress callback returned false; the object is as it was before the call or says that it is not.
class GPUSUPERNODAL_API Cancelled : public Error {
 public:
  using Error::Error;
};

/// Memory was refused: how much was asked for, and what was free where that is known (-1 where not).
class GPUSUPERNODAL_API OutOfMemory : public Error {
 public:
  /// As Error, with the two numbers of bytes.
  OutOfMemory(const std::string& sentence, const char* file, int line, std::int64_t bytes_needed, std::int64_t bytes_free)
      : Error(sentence, file, line), needed_(bytes_needed), free_(bytes_free) {}
  /// Bytes that were asked for; −1 where that is not known.
  std::int64_t bytes_needed() const noexcept { return needed_; }
  /// Bytes that were free then; −1 where that is not known.
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
