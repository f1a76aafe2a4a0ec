#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "gpusupernodal/galerkin_product.hpp"
#include "gpusupernodal/sparse_product.hpp"
#include "gpusupernodal_product.h"
#include "solver/c/handle.hpp"
#include "solver/c/options.hpp"
#include "solver/c/product_views.hpp"
#include "solver/c/views.hpp"

namespace gpusupernodal::c {

template <class... T>
using AnyProduct = std::variant<SparseProduct<T>..., GalerkinProduct<T>...>;

}  // namespace gpusupernodal::c

struct gpusupernodal_product {
  gpusupernodal::c::AnyProduct<GPUSUPERNODAL_REAL_TYPES> product;
  std::string text;  ///< Storage for the results of report_text.
  gpusupernodal::c::Message message;
};

namespace gpusupernodal::c {
namespace {

template <class Call>
gpusupernodal_code with_product(gpusupernodal_product* handle, const Call& call) noexcept {
  if (handle == nullptr) return guarded(message_without_solver(), [] { fail_null("the product"); });
  return guarded(handle->message, [&] { std::visit(call, handle->product); });
}

template <template <class> class Product, class T>
T scalar_of(const Product<T>&);
template <class Product>
using ScalarOfProduct = decltype(scalar_of(std::declval<const Product&>()));

template <template <class> class Product>
gpusupernodal_code create(int scalar, gpusupernodal_product** product) {
  return guarded(message_without_solver(), [&] {
    require(product, "the place for the product");
    *product = nullptr;
    auto made = std::make_unique<gpusupernodal_product>();
    emplace_among<Product, GPUSUPERNODAL_REAL_TYPES>("a product", enumerator(scalar, GPUSUPERNODAL_DOUBLE, "the scalar"),
                                                     made->product);
    *product = made.release();
  });
}

}  // namespace
}  // namespace gpusupernodal::c

namespace c = gpusupernodal::c;

gpusupernodal_code gpusupernodal_product_create(int scalar, gpusupernodal_product** product) {
  return c::create<gpusupernodal::SparseProduct>(scalar, product);
}

gpusupernodal_code gpusupernodal_product_create_galerkin(int scalar, gpusupernodal_product** product) {
  return c::create<gpusupernodal::GalerkinProduct>(scalar, product);
}

void gpusupernodal_product_destroy(gpusupernodal_product* product) { delete product; }

const char* gpusupernodal_product_message(const gpusupernodal_product* product) {
  return product == nullptr ? c::message_without_solver().text : product->message.text;
}

gpusupernodal_code gpusupernodal_product_set_option(gpusupernodal_product* product, const char* name, const char* value) {
  return c::with_product(product, [&](auto& p) {
    c::require(name, "the option's name");
    c::require(value, "the option's value");
    gpusupernodal::ProductOptions options = p.options();
    c::set_option(options, name, value);
    p.set_options(std::move(options));
  });
}

gpusupernodal_code gpusupernodal_product_set_stream(gpusupernodal_product* product, void* cuda_stream) {
  return c::with_product(product, [&](auto& p) { p.set_stream(cuda_stream); });
}

gpusupernodal_code gpusupernodal_product_analyze(gpusupernodal_product* product, const gpusupernodal_sparse* a,
                                                 const gpusupernodal_sparse* b) {
  return c::with_product(product, [&](auto& p) {
    using T = c::ScalarOfProduct<std::remove_cvref_t<decltype(p)>>;
    const auto left = c::operand_view<T>(a, "A");
    p.analyze(left, c::operand_view<T>(b, "B"));
  });
}

gpusupernodal_code gpusupernodal_product_compute(gpusupernodal_product* product, const void* a_values, int64_t a_count,
                                                 const void* b_values, int64_t b_count, int space) {
  return c::with_product(product, [&](auto& p) {
    using T = c::ScalarOfProduct<std::remove_cvref_t<decltype(p)>>;
    const auto left = c::values_of<T>(a_values, a_count, "the array of values of A");
    const auto right = c::values_of<T>(b_values, b_count, "the array of values of B");
    p.compute(left, right, c::space_of(space, "the space of values"));
  });
}

gpusupernodal_code gpusupernodal_product_copy(gpusupernodal_product* product, int64_t* offsets, int32_t* indices,
                                              void* values) {
  return c::with_product(product, [&](auto& p) {
    using T = c::ScalarOfProduct<std::remove_cvref_t<decltype(p)>>;
    const auto entries = static_cast<std::size_t>(p.report().entries);
    if (indices != nullptr) c::require(offsets, "the place for offsets");
    if (offsets != nullptr) {
      if (entries > 0) c::require(indices, "the place for indices");
      p.copy_pattern({offsets, static_cast<std::size_t>(p.rows()) + 1}, {indices, entries});
    }
    if (values != nullptr) p.copy_values({static_cast<T*>(values), entries});
  });
}

gpusupernodal_code gpusupernodal_product_report_number(gpusupernodal_product* product, const char* name, double* value) {
  return c::with_product(product, [&](auto& p) {
    c::require(name, "the name");
    c::require(value, "the place for the number");
    *value = c::product_report_number(p.report(), name);
  });
}

gpusupernodal_code gpusupernodal_product_report_text(gpusupernodal_product* product, const char* name, const char** text) {
  return c::with_product(product, [&](auto& p) {
    c::require(name, "the name");
    c::require(text, "the place for the text");
    product->text = c::product_report_text(p.report(), name);
    *text = product->text.c_str();
  });
}
