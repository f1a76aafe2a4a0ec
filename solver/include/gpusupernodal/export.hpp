#pragma once

/// \file
/// Marks what the shared library exports; all else of it is hidden.

/// Before a class or function that users of the shared library call.
#define GPUSUPERNODAL_API __attribute__((visibility("default")))
