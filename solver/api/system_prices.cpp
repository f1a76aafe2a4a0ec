#include "solver/api/system_prices.hpp"

#include <algorithm>
#include <cmath>

#include "base/thread_team.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/common/fail.hpp"
#include "solver/plan/plan_cost.hpp"

namespace gpusupernodal {
namespace {

/// Bytes per second at which a thread of the host touches new memory for the first time, for at most so many threads.
constexpr double new_bytes_per_second = 2e9;
constexpr int most_threads_of_new_bytes = 8;
/// Thread time of an iteration on the host, for each entry and each row of A.
constexpr double seconds_per_entry = 1e-9;
constexpr double seconds_per_row = 1e-8;
/// Seconds in which Pcg takes over A, for each entry of both triangles: on the host without, for a device with the choice of
/// a format.
constexpr double host_setup_per_entry = 2e-8;
constexpr double device_setup = 5e-3;
constexpr double device_setup_per_entry = 7e-8;
/// Seconds to allocate memory for a factor on a device and to copy a plan there.
constexpr double new_device_factor = 3e-3;
/// Iterations reduce the residual less than the rounding errors of the factor suggest.
constexpr double safety_of_single = 30.0;
/// If an iteration reduces the residual by less than this, a factor in single precision is not considered.
constexpr double least_reduction = 0.3;
/// `mixed` is chosen only if its price is at most this fraction of that of `direct`: only a lower bound of the condition
/// number is known, and breakdowns in single precision or many iterations took up to four times the forecast.
constexpr double margin_of_mixed = 0.65;

std::string seconds_text(double seconds) {
  return std::isfinite(seconds) ? fmt::format("{:.3g} s", seconds) : std::string("not possible");
}

}  // namespace

Method cheapest(const SystemPrices& prices, double solves) {
  const double direct = prices.direct.total(solves), mixed = prices.mixed.total(solves), pcg = prices.pcg.total(solves);
  if (pcg <= direct && pcg <= mixed) return Method::pcg;
  if (std::isinf(direct)) return mixed < pcg ? Method::mixed : Method::pcg;
  if (pcg <= direct && mixed >= margin_of_mixed * direct) return Method::pcg;
  return mixed < margin_of_mixed * direct ? Method::mixed : Method::direct;
}

std::string forecast_sentence(const SystemPrices& prices, double solves, double iterations, Method chosen) {
  return fmt::format("{} is forecast to end first for {:.0f} solve{}: direct {}, mixed {}, pcg {}{}", name_of(chosen),
                     solves, solves == 1.0 ? "" : "s", seconds_text(prices.direct.total(solves)),
                     seconds_text(prices.mixed.total(solves)), seconds_text(prices.pcg.total(solves)),
                     std::isfinite(iterations) ? fmt::format(" ({:.0f} iterations each)", iterations) : std::string());
}

FactorPrices::FactorPrices(const FactorPlan& plan, Backend backend, const Options& options)
    : features_(backend == Backend::cuda ? cost_features(plan) : cost_features_without_steps(plan)),
      figures_(figures_of_device(options)),
      threads_(worker_count(options.threads)),
      cuda_(backend == Backend::cuda) {}

FactorPrice FactorPrices::of(ScalarType scalar, double bytes_per_second) const {
  HostFigures host = figures_.host;
  if (bytes_per_second > 0.0) {
    host.solve_shared_bytes_per_second = std::min(host.solve_shared_bytes_per_second, bytes_per_second);
    // The rate of one thread hardly counts beside the shared one.
    host.solve_bytes_per_second = std::max(host.solve_bytes_per_second, 10.0 * bytes_per_second) / threads_;
  }
  FactorPrice price;
  price.factorize =
      cuda_ ? cuda_factor_seconds(features_, figures_.cuda, scalar) : host_factor_seconds(features_, host, threads_, scalar);
  price.solve =
      cuda_ ? cuda_solve_seconds(features_, figures_.cuda, scalar) : host_solve_seconds(features_, host, threads_, scalar);
  const double bytes = features_.values * static_cast<double>(bytes_of(scalar));
  const double new_memory =
      cuda_ ? new_device_factor : bytes / (new_bytes_per_second * std::min(threads_, most_threads_of_new_bytes));
  price.first_factorize = price.factorize + new_memory;
  return price;
}

double read_rate(double bytes, double seconds, int threads) {
  constexpr double least_part = 0.25;  // Of the time, which reading takes in any case.
  const double waking = HostFigures().solve_seconds_per_doubling * std::log2(static_cast<double>(std::max(threads, 1)));
  return bytes / std::max(seconds - waking, least_part * seconds);
}

double most_iterations_by_jacobi(double besides, double spread, double tolerance) {
  if (!(besides < 1.0 && std::isfinite(spread))) return std::numeric_limits<double>::infinity();
  const double of_scaled = (1.0 + besides) / (1.0 - besides);
  const double root = std::sqrt(of_scaled);
  if (root <= 1.0) return 1.0;
  // The error in A's norm falls by 2·ρᵏ; the residual in ‖·‖₂ by up to √κ(A) less.
  const double of_a = of_scaled * (1.0 + besides) * spread;
  return std::ceil(std::log(2.0 * std::sqrt(of_a) / std::max(tolerance, 1e-16)) / std::log1p(2.0 / (root - 1.0)));
}

double bytes_of_iteration(double rows, double entries, ScalarType scalar) {
  constexpr double vectors = 12.0;  // Read or written in an iteration.
  const auto size = static_cast<double>(bytes_of(scalar));
  return entries * (size + sizeof(std::int32_t)) + vectors * rows * size;
}

double host_iteration(const HostFigures& figures, double rows, double entries, ScalarType scalar, int threads) {
  const double waking = figures.solve_seconds_per_doubling * std::log2(static_cast<double>(std::max(threads, 1)));
  const double work = (seconds_per_entry * entries + seconds_per_row * rows) / std::max(threads, 1);
  return waking + std::max(work, bytes_of_iteration(rows, entries, scalar) / figures.solve_shared_bytes_per_second);
}

double device_iteration(const CudaFigures& figures, double rows, double entries, ScalarType scalar) {
  constexpr double seconds_of_launches = 9e-6, part_of_rate = 0.5;
  return seconds_of_launches + bytes_of_iteration(rows, entries, scalar) / (part_of_rate * figures.solve_bytes_per_second);
}

double host_setup_of_pcg(double entries) { return host_setup_per_entry * entries; }
double device_setup_of_pcg(double entries) { return device_setup + device_setup_per_entry * entries; }

double iterations_worth_a_factor(const FactorPlan& plan, Backend backend, const Options& options, double bytes_of_product) {
  Options serial = options;
  serial.threads = 1;
  const FactorPrice price = FactorPrices(plan, backend, serial).of(ScalarType::real_single, 0.0);
  const double bytes_of_solve = 2.0 * std::max(1.0, cost_features_without_steps(plan).values) * sizeof(float);
  return price.factorize / (price.solve * (1.0 + bytes_of_product / bytes_of_solve));
}

double mixed_iterations(const RitzValues& ritz, double tolerance) {
  const double condition = ritz.smallest > 0.0 ? ritz.largest / ritz.smallest : 1.0;
  const double reduction = condition * safety_of_single * static_cast<double>(std::numeric_limits<float>::epsilon());
  if (reduction > least_reduction) return std::numeric_limits<double>::infinity();
  return std::max(1.0, std::ceil(std::log(std::max(tolerance, 1e-16)) / std::log(reduction)));
}

}  // namespace gpusupernodal
