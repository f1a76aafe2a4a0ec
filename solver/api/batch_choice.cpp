#include "solver/api/batch_choice.hpp"

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

/// An engine with a plan of the host. On a device, only the order of the plan is used.
template <class Engine, class T>
MadeBatch<T> make_engine(const MatrixView<T>& a, const Options& options, std::int64_t count, void* stream,
                         std::string reason) {
  MadeBatch<T> made;
  made.options = options;
  made.options.backend = Backend::host;
  made.plan = obtain_plan_of(a, made.options, stream);
  made.engine = std::make_unique<Engine>(made.plan, made.options, count);
  made.reason = std::move(reason);
  return made;
}

template <class T>
MadeBatch<T> make_host_batch(const MatrixView<T>& a, const Options& options, std::int64_t count, void* stream,
                             std::string reason) {
  return make_engine<HostBatch<T>>(a, options, count, stream, std::move(reason));
}

template <class T>
MadeBatch<T> make_device_batch(const MatrixView<T>& a, const Options& options, std::int64_t count, void* stream,
                               std::string reason) {
  Options with = options;
  if (options.form == Form::lu && options.lu_schedule == LuSchedule::automatic) with.lu_schedule = LuSchedule::supernodes;
  return make_engine<DeviceBatch<T>>(a, with, count, stream, std::move(reason));
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

/// Rows of all systems together, for each thread of the host, from which a device was measured to be as fast with values, b
/// and x in host memory (bench/notebook/batches-on-a-device.md).
constexpr std::int64_t rows_for_device = 4000;

/// Takes the device if the batch is large enough for it.
template <class T>
MadeBatch<T> make_automatic_batch(const MatrixView<T>& a, const Options& options, std::int64_t count, void* stream) {
  const CudaAvailability cuda = cuda_availability();
  if (!cuda.available) return make_host_batch(a, options, count, stream, cuda.reason);
  const std::int64_t rows = a.n * count, enough = rows_for_device * worker_count(options.threads);
  std::string reason = fmt::format("the systems have {} rows together; from {} on a device is taken", rows, enough);
  if (rows < enough) return make_host_batch(a, options, count, stream, std::move(reason));
  try {
    return make_device_batch(a, options, count, stream, std::move(reason));
  } catch (const BackendUnavailable& error) {
    reason = error.what();
  } catch (const OutOfMemory& error) {
    reason = error.what();
  } catch (const DeviceError& error) {
    reason = error.what();
  }
  return make_host_batch(a, options, count, stream, std::move(reason));
}

}  // namespace

template <class T>
MadeBatch<T> make_batch(const MatrixView<T>& a, const Options& options, std::int64_t count, void* stream) {
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
  return make_host_batch(a, followed_options<T>(host), count, stream,
                         wanted == Backend::automatic ? host_only : "requested");
}

#define GPUSUPERNODAL_INSTANTIATE(T) \
  template MadeBatch<T> make_batch(const MatrixView<T>&, const Options&, std::int64_t, void*);
GPUSUPERNODAL_FOR_EACH_SCALAR(GPUSUPERNODAL_INSTANTIATE)
#undef GPUSUPERNODAL_INSTANTIATE

}  // namespace gpusupernodal
