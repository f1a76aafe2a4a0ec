#pragma once

/// \file
/// Umbrella header of the C++ interface.

#include "gpusupernodal/allocator.hpp"
#include "gpusupernodal/batch.hpp"
#include "gpusupernodal/built_with.hpp"
#include "gpusupernodal/distributed_solver.hpp"
#include "gpusupernodal/distribution.hpp"
#include "gpusupernodal/error.hpp"
#include "gpusupernodal/fabric.hpp"
#include "gpusupernodal/galerkin_product.hpp"
#include "gpusupernodal/info.hpp"
#include "gpusupernodal/names.hpp"
#include "gpusupernodal/options.hpp"
#include "gpusupernodal/pcg.hpp"
#include "gpusupernodal/plan_cache.hpp"
#include "gpusupernodal/report.hpp"
#include "gpusupernodal/solver.hpp"
#include "gpusupernodal/span.hpp"
#include "gpusupernodal/sparse_operator.hpp"
#include "gpusupernodal/sparse_product.hpp"
#include "gpusupernodal/system_solver.hpp"
#include "gpusupernodal/tuning.hpp"
#include "gpusupernodal/variable_batch.hpp"
#include "gpusupernodal/views.hpp"
