#pragma once

/// \file
/// The price of a piece of a factorization on one thread of the host.

#include "solver/model/cost_model.hpp"

namespace gpusupernodal {

/// Seconds of one thread for the flops, values, updates and supernodes of `work`.
double host_work_seconds(const CostFeatures& work, const HostFigures& figures, ScalarType scalar);

}  // namespace gpusupernodal
