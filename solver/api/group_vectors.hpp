#pragma once

/// \file
/// GroupVectors: right-hand sides and solutions of a group on a device as matrices at a stride.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "solver/api/batch_group.hpp"
#include "solver/backend/device_copy.hpp"

namespace gpusupernodal {

/// Elements between successive addresses, if they ascend by the same number of whole elements; else −1. 0 for one address.
template <class T>
std::int64_t common_stride(const std::vector<const T*>& addresses) {
  std::int64_t bytes = 0;
  for (std::size_t i = 1; i < addresses.size(); ++i) {
    const std::int64_t step =
        reinterpret_cast<std::intptr_t>(addresses[i]) - reinterpret_cast<std::intptr_t>(addresses[i - 1]);
    if (i > 1 && step != bytes) return -1;
    bytes = step;
  }
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  return bytes >= 0 && bytes % size == 0 ? bytes / size : -1;
}

/// Views of a list of matrices, by place in a group.
template <class T>
struct ListOfGroup {
  Span<const DenseView<T>> all;
  const BatchGroup<std::remove_const_t<T>>& group;

  const DenseView<T>& operator[](std::size_t place) const { return all[static_cast<std::size_t>(group.systems[place])]; }
};

/// Matrices at a stride are used where they are. Others are copied to host memory, and solutions from there.
template <class T>
class GroupVectors {
 public:
  /// Precondition: wanted systems have views with the order of the group as rows, and with `columns`. `stream` is that of
  /// device memory. Waits for copies. Throws std::bad_alloc.
  GroupVectors(const BatchGroup<T>& group, Span<const DenseView<const T>> b, Span<const DenseView<T>> x,
               std::int64_t columns, void* stream)
      : group_(group), x_list_(x), columns_(columns), stream_(stream) {
    const std::int64_t rows = group.plan->symbolic.order();
    if (!is_strided(ListOfGroup<const T>{b, group}, b_) || !is_strided(ListOfGroup<T>{x, group}, x_)) {
      is_copied_ = true;
      take(ListOfGroup<const T>{b, group}, rows, copy_of_b_);
      take(ListOfGroup<T>{x, group}, rows, copy_of_x_);
      b_ = {copy_of_b_.data(), rows, columns_, std::max<std::int64_t>(rows, 1), rows * columns_, group.count()};
      x_ = {copy_of_x_.data(), rows, columns_, std::max<std::int64_t>(rows, 1), rows * columns_, group.count()};
    }
  }

  const BatchView<const T>& b() const { return b_; }
  const BatchView<T>& x() const { return x_; }

  /// Copies x of the wanted systems to the caller; what was not written has the caller's numbers. Waits for copies.
  void give() const {
    if (!is_copied_) return;
    for (std::size_t i = 0; i < group_.systems.size(); ++i) {
      if (group_.wanted[i] == 0) continue;
      const DenseView<T>& to = ListOfGroup<T>{x_list_, group_}[i];
      const DenseView<T> from = x_.of(static_cast<std::int64_t>(i));
      for (std::int64_t c = 0; c < columns_; ++c)
        copy(to.data + c * to.ld, to.space, from.data + c * from.ld, MemorySpace::host, from.rows);
    }
  }

 private:
  /// Makes a view of all systems of the group, if they are wanted and lie at a stride.
  template <class U>
  bool is_strided(const ListOfGroup<U>& list, BatchView<U>& view) const {
    std::vector<const T*> addresses;
    for (std::size_t i = 0; i < group_.systems.size(); ++i) {
      if (group_.wanted[i] == 0 || list[i].ld != list[0].ld || list[i].space != list[0].space) return false;
      addresses.push_back(list[i].data);
    }
    const std::int64_t stride = common_stride(addresses);
    if (stride < 0) return false;
    view = {list[0].data, list[0].rows, columns_, list[0].ld, stride, group_.count()};
    view.space = list[0].space;
    return true;
  }

  template <class U>
  void take(const ListOfGroup<U>& list, std::int64_t rows, std::vector<T>& to) const {
    to.resize(static_cast<std::size_t>(rows * columns_ * group_.count()));
    for (std::size_t i = 0; i < group_.systems.size(); ++i) {
      if (group_.wanted[i] == 0) continue;
      T* const matrix = to.data() + static_cast<std::int64_t>(i) * rows * columns_;
      for (std::int64_t c = 0; c < columns_; ++c)
        copy(matrix + c * rows, MemorySpace::host, list[i].data + c * list[i].ld, list[i].space, rows);
    }
  }

  void copy(T* to, MemorySpace to_space, const T* from, MemorySpace from_space, std::int64_t count) const {
    if (to_space == MemorySpace::host && from_space == MemorySpace::host) {
      std::copy_n(from, count, to);
    } else if (count > 0) {
      copy_device_bytes(to, to_space, from, from_space, count * static_cast<std::int64_t>(sizeof(T)), stream_);
    }
  }

  const BatchGroup<T>& group_;
  Span<const DenseView<T>> x_list_;
  std::int64_t columns_;
  void* stream_;
  bool is_copied_ = false;
  std::vector<T> copy_of_b_, copy_of_x_;
  BatchView<const T> b_;
  BatchView<T> x_;
};

}  // namespace gpusupernodal
