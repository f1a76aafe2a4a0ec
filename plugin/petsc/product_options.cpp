#include <cstddef>
#include <tuple>

#include "gpusupernodal/names.hpp"
#include "plugin/petsc/option_lists.hpp"
#include "plugin/petsc/product_data.hpp"

namespace gpusupernodal::petsc {
namespace {

constexpr auto backend_list = with_end<backend_names.size()>(backend_names, "Backend");
constexpr auto format_list = with_end<format_names.size()>(format_names, "Format");
constexpr auto tuning_list = with_end<tuning_names.size()>(tuning_names, "Tuning");

/// Whether all that -mat_gpusupernodal_* sets is equal.
bool same_options(const OperatorOptions& one, const OperatorOptions& other) {
  const auto all = [](const OperatorOptions& o) {
    return std::make_tuple(o.backend, o.format, o.tuning, o.threads, o.device);
  };
  return all(one) == all(other);
}

}  // namespace

PetscErrorCode read_product_items(OptionItems PetscOptionsObject, OperatorOptions* options) {
  auto backend = static_cast<PetscEnum>(options->backend);
  auto format = static_cast<PetscEnum>(options->format);
  auto tuning = static_cast<PetscEnum>(options->tuning);
  PetscInt threads = options->threads;
  PetscInt device = options->device;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_backend", "Where to multiply", "None", backend_list.data(), backend,
                             &backend, nullptr));
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_format", "How the matrix is stored for products", "None",
                             format_list.data(), format, &format, nullptr));
  PetscCall(PetscOptionsEnum("-mat_gpusupernodal_tuning", "How the format auto decides: by models or by measuring", "None",
                             tuning_list.data(), tuning, &tuning, nullptr));
  PetscCall(PetscOptionsInt("-mat_gpusupernodal_threads", "Host threads (0: all of this process)", "None", threads, &threads,
                            nullptr));
  PetscCall(
      PetscOptionsInt("-mat_gpusupernodal_device", "CUDA device (-1: the current one)", "None", device, &device, nullptr));
  options->backend = static_cast<Backend>(backend);
  options->format = static_cast<Format>(format);
  options->tuning = static_cast<Tuning>(tuning);
  options->threads = to_int(threads);
  options->device = to_int(device);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode read_product_options(Mat a, OperatorOptions* options) {
  PetscFunctionBegin;
  PetscOptionsBegin(PetscObjectComm(reinterpret_cast<PetscObject>(a)), reinterpret_cast<PetscObject>(a)->prefix,
                    "gpusupernodal sparse product options", "Mat");
  PetscCall(read_product_items(PetscOptionsObject, options));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

void set_product_options(Mat a, const OperatorOptions& options) {
  ProductData& data = product_data(a);
  data.options_known = true;
  if (same_options(data.options, options)) return;
  data.options = options;
  data.pattern = MatrixState();
}

PetscErrorCode complete_product_options(Mat a) {
  OperatorOptions options;
  PetscFunctionBegin;
  if (product_data(a).options_known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(read_product_options(a, &options));
  set_product_options(a, options);
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace gpusupernodal::petsc
