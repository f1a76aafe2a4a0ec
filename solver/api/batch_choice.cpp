#include "solver/api/batch_choice.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/thread_team.hpp"
#include "gpusupernodal/build_config.hpp"
#include "gpusupernodal/error.hpp"
#include "solver/api/backend_choice.hpp"
#include "solver/api/device_batch.hpp"
#include "solver/api/host_batch.hpp"
#include "solver/common/fail.hpp"

namespace gpusupernodal {
namespace {

/// A batch without an engine, with a plan of the host. A device uses only the order of the plan.
template <class T>
MadeBatch<T> plan_batch(const MatrixView<T>& a, const Options& options, void* stream, std::string reason) {
  MadeBatch<T> made;
  made.options = options;
  made.options.backend = Backend::host;
  made.plan = obtain_plan_of(a, made.options, stream);
  made.reason = std::move(reason);
  return made;
}

/// LU on a device works by supernodes.
Options on_device(Options options) {
  if (options.form == Form::lu && options.lu_schedule == LuSchedule::automatic) options.lu_schedule = LuSchedule::supernodes;
  return options;
}

template <class T>
MadeBatch<T> make_device_batch(const MatrixView<T>& a, const Options& options, std::int64_t count, void* stream,
                               std::string reason) {
  MadeBatch<T> made = plan_batch(a, on_device(options), stream, std::move(reason));
  made.engine = std::make_unique<DeviceBatch<T>>(made.plan, made.options, count);
  return made;
}

/// Why a batch with these options runs on the host only; nullptr if it may run on a device. Every factorization of a batch
/// on a device has the same bits, and schedules of single systems do not matter there.
template <class T>
const char* host_only_batch(const Options& options) {
  if (ScalarTraits<T>::is_complex) return "batches of complex matrices run on the host only";
  Options other = options;
  other.deterministic = false;
  other.cuda_schedule = CudaSchedule::levels;
  return host_only_reason<T>(other);
}

/// From how many rows of all systems together, for each thread of the host, and from how many systems a device was measured
/// to be faster with values, b and x in host memory (bench/notebook/batches-on-a-device.md).
constexpr std::int64_t rows_for_device(Form form) { return form == Form::llt ? 16000 : 4000; }
constexpr std::int64_t systems_for_device = 256;

/// Makes the engine of a device. If that fails, `reason` says why, and there is none.
template <class T>
std::unique_ptr<BatchEngine<T>> try_device(const MadeBatch<T>& made, std::int64_t count, std::string& reason) {
  try {
    return std::make_unique<DeviceBatch<T>>(made.plan, made.options, count);
  } catch (const BackendUnavailable& error) {
    reason = error.what();
  } catch (const OutOfMemory& error) {
    reason = error.what();
  } catch (const DeviceError& error) {
    reason = error.what();
  } catch (const std::bad_alloc&) {
    reason = "the host has no memory for the lists of operations that a batch on a device needs";
  }
  return nullptr;
}

/// Takes the device if the batch is large enough for it; otherwise there is no engine.
template <class T>
MadeBatch<T> make_automatic_batch(const MatrixView<T>& a, const Options& options, std::int64_t count, void* stream) {
  const CudaAvailability cuda = cuda_availability();
  if (!cuda.available) return plan_batch(a, options, stream, cuda.reason);
  const std::int64_t rows = a.n * count, enough = rows_for_device(options.form) * worker_count(options.threads);
  std::string reason = fmt::format("the {} systems have {} rows together; a device is taken from {} systems and {} rows on",
                                   count, rows, systems_for_device, enough);
  if (rows < enough || count < systems_for_device) return plan_batch(a, options, stream, std::move(reason));
  MadeBatch<T> made = plan_batch(a, on_device(options), stream, std::move(reason));
  made.engine = try_device(made, count, made.reason);
  if (made.engine) return made;
  const bool needs_other_plan = made.options.lu_schedule != options.lu_schedule;
  return needs_other_plan ? plan_batch(a, options, stream, std::move(made.reason)) : std::move(made);
}

}  // namespace

template <class T>
MadeBatch<T> choose_batch(const MatrixView<T>& a, const Options& options, std::int64_t count, void* stream) {
  const Backend wanted = wanted_backend(options.backend);
  const char* const host_only = host_only_batch<T>(options);
  if (host_only != nullptr && wanted == Backend::cuda)
    fail<BackendUnavailable>("the CUDA backend was requested, but {}; set the backend to host or automatic", host_only);
  if constexpr (!ScalarTraits<T>::is_complex) {
    if (wanted == Backend::cuda) return make_device_batch(a, options, count, stream, "requested");
    if (host_only == nullptr && wanted == Backend::automatic) return make_automatic_batch(a, options, count, stream);
  }
  Options host = options;
  host.backend = Backend::host;
  return plan_batch(a, followed_options<T>(host), stream, wanted == Backend::automatic ? host_only : "requested");
}

template <class T>
MadeBatch<T> make_batch(const MatrixView<T>& a, const Options& options, std::int64_t count, void* stream) {
  MadeBatch<T> made = choose_batch(a, options, count, stream);
  if (made.engine) return made;
  const std::int64_t workers = std::clamp<std::int64_t>(count, 1, worker_count(options.threads));
  made.engine =
      std::make_unique<HostBatch<T>>(made.plan, made.options, count, make_batch_workers(static_cast<int>(workers)));
  return made;
}

#define GPUSUPERNODAL_INSTANTIATE(T)                                                             \
  template MadeBatch<T> choose_batch(const MatrixView<T>&, const Options&, std::int64_t, void*); \
  template MadeBatch<T> make_batch(const MatrixView<T>&, const Options&, std::int64_t, void*);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
