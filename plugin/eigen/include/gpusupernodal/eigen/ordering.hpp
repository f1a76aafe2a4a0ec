#pragma once

/// \file
/// Applies Eigen's ordering functors as the library's orderings.

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpusupernodal/eigen/matrix_input.hpp"
#include "gpusupernodal/options.hpp"

namespace gpusupernodal {

/// Ordering tag of the classes that factorize (Eigen::GpuSupernodalLLT, GpuSupernodalLDLT and GpuSupernodalLU):
/// Options::ordering decides; by default the library chooses.
struct AutoOrdering {};

namespace eigen_detail {

/// Index type of an ordering functor; `Fallback` if the functor has no PermutationType.
template <class Functor, class Fallback, class = void>
struct OrderingIndex {
  using type = Fallback;
};
template <class Functor, class Fallback>
struct OrderingIndex<Functor, Fallback, std::void_t<typename Functor::PermutationType>> {
  using type = typename Functor::PermutationType::StorageIndex;
};

template <class Functor>
struct IsColamd : std::false_type {};
template <class StorageIndex>
struct IsColamd<Eigen::COLAMDOrdering<StorageIndex>> : std::true_type {};

/// Runs `Functor` on the `UpLo` half of `a`, or on all of it, and returns old_of_new; empty for the natural order.
/// Functors return old_of_new, as SimplicialLLT expects; COLAMDOrdering returns new_of_old, as SparseLU expects.
template <class Functor, int UpLo, class Compressed>
std::vector<std::int64_t> old_of_new_by(const Compressed& a) {
  using Scalar = typename Compressed::Scalar;
  using Index = typename OrderingIndex<Functor, typename Compressed::StorageIndex>::type;
  Eigen::SparseMatrix<Scalar, Eigen::ColMajor, typename Compressed::StorageIndex> all_entries(a.rows(), a.cols());
  if constexpr (UpLo == whole_matrix) {
    all_entries = a;
  } else {
    all_entries = a.template selfadjointView<unsigned(UpLo)>();
  }
  const Eigen::SparseMatrix<Scalar, Eigen::ColMajor, Index> graph(all_entries);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, Index> permutation;
  Functor functor;
  functor(graph, permutation);

  std::vector<std::int64_t> old_of_new(static_cast<std::size_t>(permutation.size()));
  for (Index i = 0; i < static_cast<Index>(permutation.size()); ++i) {
    const Index image = permutation.indices()[i];
    if (IsColamd<Functor>::value) {
      old_of_new[static_cast<std::size_t>(image)] = i;
    } else {
      old_of_new[static_cast<std::size_t>(i)] = image;
    }
  }
  return old_of_new;
}

/// Sets the ordering in `options` to that of `Functor`; AutoOrdering leaves `options` unchanged.
template <class Functor, int UpLo, class Compressed>
void choose_ordering(const Compressed& a, Options& options) {
  if constexpr (!std::is_same<Functor, AutoOrdering>::value) {
    options.permutation = old_of_new_by<Functor, UpLo>(a);
    options.ordering = options.permutation.empty() ? Ordering::natural : Ordering::user;
  }
}

}  // namespace eigen_detail
}  // namespace gpusupernodal
