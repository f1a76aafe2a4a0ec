#pragma once

/// \file
/// Umbrella header of the C++ interface.

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/batch.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/info.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/pcg.hpp"
#include "gpusupernodal/plan_cache.hpp"
#include "gpusupernodal/report.hpp"
#include "gpusupernodal/solver.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/sparse_operator.hpp"
#include "gpusupernodal/system_solver.hpp"
#include "gpusupernodal/views.hpp"
