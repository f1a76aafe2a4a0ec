#include "solver/c/handle.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "gpusupernodal/error.hpp"
#include "solver/common/built.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal::c {

void Message::assign(const char* sentence) noexcept {
  const std::size_t length = std::min(std::strlen(sentence), sizeof(text) - 1);
  std::memcpy(text, sentence, length);
  text[length] = '\0';
}

Message& message_without_solver() noexcept {
  thread_local Message message;
  return message;
}

gpusupernodal_code code_of_exception(Message& message) noexcept {
  const auto keep = [&message](gpusupernodal_code code, const char* sentence) {
    message.assign(sentence);
    return code;
  };
  try {
    throw;
  } catch (const InvalidInput& error) {
    return keep(GPUSUPERNODAL_INVALID_INPUT, error.what());
  } catch (const InvalidState& error) {
    return keep(GPUSUPERNODAL_INVALID_STATE, error.what());
  } catch (const NumericalFailure& error) {
    return keep(GPUSUPERNODAL_NUMERICAL_FAILURE, error.what());
  } catch (const BackendUnavailable& error) {
    return keep(GPUSUPERNODAL_BACKEND_UNAVAILABLE, error.what());
  } catch (const Cancelled& error) {
    return keep(GPUSUPERNODAL_CANCELLED, error.what());
  } catch (const OutOfMemory& error) {
    return keep(GPUSUPERNODAL_OUT_OF_MEMORY, error.what());
  } catch (const std::bad_alloc&) {
    return keep(GPUSUPERNODAL_OUT_OF_MEMORY, "the process was refused memory");
  } catch (const DeviceError& error) {
    return keep(GPUSUPERNODAL_DEVICE_ERROR, error.what());
  } catch (const std::exception& error) {
    return keep(GPUSUPERNODAL_INTERNAL_ERROR, error.what());
  } catch (...) {
    return keep(GPUSUPERNODAL_INTERNAL_ERROR, "an unknown exception");
  }
}

void refuse_scalar_number(const char* what, gpusupernodal_scalar scalar) {
  refuse_scalar(what, detail::scalar_choices[static_cast<std::size_t>(scalar)].name);
}

void fail_null(const char* what) { fail<InvalidInput>("{} is a null pointer", what); }

void require_count(std::int64_t count, const char* what) {
  if (count < 0 || count > max_rows) fail<InvalidInput>("{} has {} entries; it must have 0 to {}", what, count, max_rows);
}

}  // namespace gpusupernodal::c
