#pragma once

/// \file
/// Fits positive numbers to samples.

#include <cmath>
#include <functional>
#include <vector>

namespace gpusupernodal {

using Numbers = std::vector<double*>;

/// Penalty for changing a figure by a factor of e from its start. It is so small that it matters only for figures that the
/// samples do not determine, like a device's rate at large products if all matrices are small.
inline constexpr double weight_of_start = 1e-4;

inline double distance_from(const std::vector<double>& start, const Numbers& numbers) {
  double sum = 0.0;
  for (std::size_t i = 0; i < numbers.size(); ++i) sum += std::pow(std::log(*numbers[i] / start[i]), 2);
  return sum;
}

/// Reduces `loss` by coordinate descent: multiplies single numbers by factors that approach 1. Factors are the natural steps
/// because the numbers are positive and differ by orders of magnitude.
inline void descend(const Numbers& numbers, const std::function<double()>& loss) {
  double best = loss();
  for (double step = 2.0; step > 1.002; step = std::sqrt(step)) {
    for (bool better = true; better;) {
      better = false;
      for (double* const number : numbers) {
        for (const double factor : {step, 1.0 / step}) {
          const double before = *number;
          *number = before * factor;
          const double now = loss();
          if (now < best * (1.0 - 1e-6)) {
            best = now;
            better = true;
          } else {
            *number = before;
          }
        }
      }
    }
  }
}

/// Reduces loss() over all figures that `for_each(figures, visit)` visits, starting from their current values.
template <class Figures, class ForEach>
void fit_figures(Figures& figures, const ForEach& for_each, const std::function<double()>& loss) {
  Numbers numbers;
  for_each(figures, [&](const auto& /*name*/, double& value) { numbers.push_back(&value); });
  std::vector<double> start;
  for (const double* number : numbers) start.push_back(*number);
  descend(numbers, [&] { return loss() + weight_of_start * distance_from(start, numbers); });
}

}  // namespace gpusupernodal
