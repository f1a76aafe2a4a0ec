#pragma once

/// \file
/// Visibility of the shared library's symbols: everything that is not marked is hidden.

/// Marks a class or function that the shared library exports.
#define GPUSUPERNODAL_API __attribute__((visibility("default")))
