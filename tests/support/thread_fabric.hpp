#pragma once

/// \file
/// A Fabric whose parts are threads of this process.

#include <functional>
#include <memory>

#include "gpusupernodal/fabric.hpp"

namespace gpusupernodal::test {

/// The fabric is as strict as a Fabric may be: a message is read from the sender's memory when it is received,
/// wait_for_sends blocks until then, broadcasts overtake messages and refuse to run while a send is pending.
///
/// Calls work(fabric) for each of `parts` parts on a thread of its own, and returns when all have returned. If one throws,
/// the others' calls of their fabrics throw too; the exception of the first part that threw by itself is rethrown.
void run_parts(int parts, const std::function<void(Fabric&)>& work);

}  // namespace gpusupernodal::test
