#include "solver/common/built.hpp"

#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/names.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

std::string joined(const std::vector<std::string>& names, const char* separator) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : separator) + name;
  return text;
}

}  // namespace

std::vector<std::string> built_scalars() {
  std::vector<std::string> names;
  for (const detail::ScalarChoice& scalar : detail::scalar_choices) {
    if (scalar.is_built) names.emplace_back(scalar.name);
  }
  return names;
}

std::vector<std::string> built_forms() {
  std::vector<std::string> names;
  for (const Form form : {Form::llt, Form::ldlt, Form::lu}) {
    if (built_with(form)) names.emplace_back(name_of(form));
  }
  return names;
}

void require_built(Form form) {
  if (built_with(form)) return;
  const std::vector<std::string> forms = built_forms();
  fail<InvalidInput>(
      "the form is {}, but this library was built without it; it has {}; build it with -DGPUSUPERNODAL_FORMS='{};{}'",
      name_of(form), joined(forms, ", "), joined(forms, ";"), name_of(form));
}

void refuse_scalar(std::string_view what, std::string_view scalar) {
  const std::vector<std::string> scalars = built_scalars();
  fail<InvalidInput>(
      "{} needs the scalar type {}, but this library was built without it; it has {}; build it with "
      "-DGPUSUPERNODAL_SCALARS='{};{}'",
      what, scalar, joined(scalars, ", "), joined(scalars, ";"), scalar);
}

}  // namespace gpusupernodal
