#pragma once

/// \file
/// The allocator of the host backend where the caller gives none.

#include <memory>

#include "gpusupernodal/allocator.hpp"

namespace gpusupernodal {

/// Aligned operator new without exceptions.
std::shared_ptr<Allocator> default_host_allocator();

}  // namespace gpusupernodal
