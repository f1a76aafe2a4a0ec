#pragma once

/// \file
/// Interrupts a phase at each of its sites in turn.

#include <functional>
#include <iostream>
#include <new>
#include <string>
#include <utility>

#include "tests/faults/heap.hpp"
#include "tests/faults/life.hpp"
#include "tests/support/every.hpp"

namespace gpusupernodal::test {

/// How a call ended; `other`: with an exception that is not documented for a refusal by the machine.
enum class Ended { well, out_of_memory, device_error, other };

template <class Call>
Ended attempt(const Call& call) {
  try {
    call();
    return Ended::well;
  } catch (const OutOfMemory&) {
    return Ended::out_of_memory;
  } catch (const std::bad_alloc&) {
    return Ended::out_of_memory;
  } catch (const DeviceError&) {
    return Ended::device_error;
  } catch (const BackendUnavailable&) {
    return Ended::device_error;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "an exception of another kind: " << error.what();
    return Ended::other;
  }
}

struct SweepOptions {
  Lasting lasting = Lasting::once;
  bool device_errors = false;           ///< Whether DeviceError is acceptable, besides running out of memory.
  bool must_be_reported = false;        ///< Whether every failure must cause an exception, …
  std::function<bool()> unless;         ///< … except if this returns true.
  std::function<void()> before_call;    ///< Called just before a site may fail.
  std::function<void()> after_failure;  ///< Called just after a call that threw.
  std::int64_t max_sites = 1000000;     ///< Bound of the failing sites; with more sites, they are evenly spread.
};

/// Runs a life in which the k-th site fails; returns whether it did.
inline bool break_off(const Subject& subject, const Options& options, Injection& faults, const Phase& phase, std::int64_t k,
                      const SweepOptions& how) {
  Life life(subject, options);
  phase.before(life);
  const Observed was = observe(life);
  if (how.before_call) how.before_call();
  faults.arm(k, how.lasting);
  const Ended ended = attempt([&] { phase.call(life); });
  faults.disarm();
  const bool fired = faults.fired();
  if (!fired) {
    EXPECT_EQ(ended, Ended::well);
    expect_sound(life);
    return false;
  }
  EXPECT_TRUE(ended != Ended::device_error || how.device_errors);
  const bool need_not_be_reported = !how.must_be_reported || (how.unless && how.unless());
  EXPECT_TRUE(ended != Ended::well || need_not_be_reported) << "the failure was not reported";
  if (ended != Ended::well && how.after_failure) how.after_failure();
  if (ended != Ended::well) expect_former_or_invalid(life, was);
  expect_sound(life);  // The call may have succeeded without the refused resource.
  if (life.solver || was.there) {
    const Ended again = attempt([&] { phase.call(life); });
    EXPECT_TRUE(again == Ended::well || !life.solver) << "the object does not work any more";
    expect_sound(life);
  }
  return true;
}

/// Number of sites of the phase if nothing fails.
inline std::int64_t count_sites(const Subject& subject, const Options& options, Injection& faults, const Phase& phase) {
  Life life(subject, options);
  phase.before(life);
  faults.arm(0, Lasting::once);
  phase.call(life);
  faults.disarm();
  return faults.seen();
}

/// Makes each site of the phase fail in a separate life, or each every()-th one, until a life sees no failure; expects that
/// nothing leaks. Returns the number of failures.
inline std::int64_t sweep(const Subject& subject, const Options& options, Injection& faults, const Phase& phase,
                          const SweepOptions& how) {
  // First without a failure, which creates what is created once per process.
  const std::int64_t stride = every() * (count_sites(subject, options, faults, phase) / how.max_sites + 1);
  std::int64_t failures = 0;
  for (std::int64_t k = 1;; k += stride) {
    SCOPED_TRACE(phase.name + ", failure at site " + std::to_string(k));
    const std::int64_t pieces = heap_pieces();
    const bool fired = break_off(subject, options, faults, phase, k, how);
    EXPECT_EQ(heap_pieces(), pieces) << "a leak";
    if (testing::Test::HasFailure()) return failures;
    if (!fired) return failures;
    ++failures;
  }
}

/// Prints the number of sites for the report.
inline void print_sites(const std::string& what, const std::string& phase, std::int64_t failures) {
  std::cout << "sites: " << what << " | " << phase << " | " << failures << '\n';
}

}  // namespace gpusupernodal::test
