#pragma once

namespace gpusupernodal {

/// A factorization whose FactorOutcome::growth exceeds this is not trusted without a probe; LU on dense storage repeats it
/// with partial pivoting.
inline constexpr double accepted_growth = 100.0;

}  // namespace gpusupernodal
