#include "solver/common/fail.hpp"

namespace gpusupernodal {

std::string format_sentence(std::string_view format, fmt::format_args values) { return fmt::vformat(format, values); }

}  // namespace gpusupernodal
