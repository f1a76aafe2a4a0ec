#pragma once

/// \file
/// The name of the machine's processor.

#include <iosfwd>
#include <string>

namespace gpusupernodal {

/// The model of the first processor as the system names it, else its architecture, implementer and part, as ARM processors
/// have them; empty if the system says neither.
std::string processor_name();

/// Makes the name from the text of /proc/cpuinfo and the architecture that uname prints.
std::string processor_name(std::istream& cpuinfo, const std::string& architecture);

}  // namespace gpusupernodal
