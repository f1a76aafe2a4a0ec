#pragma once

/// \file
/// Marks what the shared library exports; all else of it is hidden.

#define GPUSUPERNODAL_API __attribute__((visibility("default")))
