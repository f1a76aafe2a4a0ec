#include "cli/exit_code.hpp"

#include <exception>
#include <new>

#include "cli/print.hpp"
#include "gpusupernodal/error.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {
namespace {

ExitCode say(const char* context, const char* sentence, ExitCode code) {
  if (*context != '\0') {
    print_to(stderr, "gpusupernodal: {}: {}\n", context, sentence);
  } else {
    print_to(stderr, "gpusupernodal: {}\n", sentence);
  }
  return code;
}

}  // namespace

ExitCode exit_code(Status status) {
  switch (status) {
    case Status::success:
      return ExitCode::success;
    case Status::not_positive_definite:
      return ExitCode::not_positive_definite;
    case Status::non_finite_input:
      return ExitCode::bad_input;
  }
  return ExitCode::failure;
}

ExitCode report_exception(const char* context) {
  try {
    throw;
  } catch (const io::FileError& e) {
    return say("", e.what(), ExitCode::bad_input);
  } catch (const InvalidInput& e) {
    return say(context, e.what(), ExitCode::bad_input);
  } catch (const BackendUnavailable& e) {
    return say(context, e.what(), ExitCode::backend_unavailable);
  } catch (const OutOfMemory& e) {
    return say(context, e.what(), ExitCode::no_memory);
  } catch (const std::bad_alloc&) {
    return say(context, "not enough memory.", ExitCode::no_memory);
  } catch (const std::exception& e) {
    return say(context, e.what(), ExitCode::failure);
  }
}

}  // namespace gpusupernodal::cli
