#pragma once

/// \file
/// WorkLimit: when a search that may take long ends early.

#include <cstdint>
#include <functional>
#include <limits>

namespace gpusupernodal {

struct WorkLimit {
  double max_flops = std::numeric_limits<double>::infinity();  ///< With more operations, the search is abandoned.
  /// If set, called many times a second with the fraction of the columns that is done. What it throws ends the search.
  std::function<void(double)> check;
};

/// Counts the work of a search over so many columns. `limit` must outlive it.
class WorkMeter {
 public:
  WorkMeter(const WorkLimit& limit, std::int32_t columns) : limit_(limit), columns_(columns) {}

  /// Adds the operations of a column. Returns false if the search is to be abandoned. Throws what the check throws.
  bool add_column(double flops) {
    ++done_;
    flops_ += flops;
    unchecked_ += flops + least_per_column;
    if (unchecked_ >= between_checks) {
      unchecked_ = 0.0;
      if (limit_.check) limit_.check(static_cast<double>(done_) / columns_);
    }
    return flops_ <= limit_.max_flops;
  }

 private:
  static constexpr double between_checks = 1e7;     ///< Some hundredths of a second.
  static constexpr double least_per_column = 1000;  ///< An empty column costs time too.
  const WorkLimit& limit_;
  std::int32_t columns_;
  std::int32_t done_ = 0;
  double flops_ = 0.0;
  double unchecked_ = 0.0;
};

}  // namespace gpusupernodal
