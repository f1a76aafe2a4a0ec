#include "cli/exit_code.hpp"

#include <exception>
#include <new>
#include <utility>

#include "base/fmt.hpp"
#include "cli/print.hpp"
#include "cli/terminal.hpp"
#include "gpusupernodal/error.hpp"
#include "io/symmetric_matrix.hpp"

namespace gpusupernodal::cli {
namespace {

/// Ends the sentence by a period, which the library's messages lack.
Failure say(const char* context, const char* sentence, ExitCode code) {
  std::string text = *context == '\0' ? sentence : fmt::format("{}: {}", context, sentence);
  if (!text.empty() && text.back() != '.' && text.back() != '?') text += '.';
  return {code, std::move(text)};
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
    case Status::singular:
      return ExitCode::singular;
    case Status::unstable:
      return ExitCode::unstable;
  }
  return ExitCode::failure;
}

const char* name_of(ExitCode code) {
  switch (code) {
    case ExitCode::success:
      return "success";
    case ExitCode::failure:
      return "failure";
    case ExitCode::bad_input:
      return "bad_input";
    case ExitCode::not_positive_definite:
      return "not_positive_definite";
    case ExitCode::no_memory:
      return "no_memory";
    case ExitCode::backend_unavailable:
      return "backend_unavailable";
    case ExitCode::singular:
      return "singular";
    case ExitCode::unstable:
      return "unstable";
    case ExitCode::not_converged:
      return "not_converged";
  }
  return "failure";
}

ExitCode report(const Failure& failure) {
  print_to(stderr, "{} {}\n", styled(stderr, Style::error, "gpusupernodal:"), failure.sentence);
  return failure.code;
}

Failure current_failure(const char* context) {
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
