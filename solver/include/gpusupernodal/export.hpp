#pragma once

/// \file
/// Marks what the shared library exports.

#if defined(GPUSUPERNODAL_STATIC)
#define GPUSUPERNODAL_API
#else
#define GPUSUPERNODAL_API __attribute__((visibility("default")))
#endif
