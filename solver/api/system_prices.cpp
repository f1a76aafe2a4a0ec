#include "solver/api/system_prices.hpp"

#include <algorithm>
#include <cmath>

#include "base/thread_team.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/common/fail.hpp"
#include "solver/plan/plan_cost.hpp"

namespace gpusupernodal {
namespace {

/// Bytes per second at which the host allocates memory and touches it for the first time.
constexpr double new_bytes_per_second = 4e9;
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

FactorPrice factor_price(const FactorPlan& plan, Backend backend, const Options& options, ScalarType scalar,
                         double bytes_per_second) {
  CostFigures figures = figures_of_device(options);
  if (bytes_per_second > 0.0) {
    const double workers = worker_count(options.threads);
    HostFigures& host = figures.host;
    host.solve_shared_bytes_per_second = std::min(host.solve_shared_bytes_per_second, bytes_per_second);
    // The rate of one thread hardly counts beside the shared one.
    host.solve_bytes_per_second = std::max(host.solve_bytes_per_second / workers, 10.0 * bytes_per_second / workers);
  }
  const bool cuda = backend == Backend::cuda;
  const CostFeatures features = cuda ? cost_features(plan) : cost_features_without_steps(plan);
  const int threads = worker_count(options.threads);
  FactorPrice price;
  price.factorize = cuda ? cuda_factor_seconds(features, figures.cuda, scalar)
                         : host_factor_seconds(features, figures.host, threads, scalar);
  price.solve = cuda ? cuda_solve_seconds(features, figures.cuda, scalar)
                     : host_solve_seconds(features, figures.host, threads, scalar);
  const double bytes = features.values * static_cast<double>(bytes_of(scalar));
  price.first_factorize = price.factorize + (cuda ? 0.0 : bytes / new_bytes_per_second);
  return price;
}

double iterations_worth_a_factor(const FactorPlan& plan, Backend backend, const Options& options, double bytes_of_product) {
  Options serial = options;
  serial.threads = 1;
  const FactorPrice price = factor_price(plan, backend, serial, ScalarType::real_single, 0.0);
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
