#pragma once

/// \file
/// Indices typed by their index space, so that a row of A cannot be used as a position in the elimination order.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/large_pages.hpp"
#include "base/raw_vector.hpp"

namespace gpusupernodal {

/// A 32-bit index into one index space; −1 is the invalid id.
template <class Tag>
struct Id {
  std::int32_t value = -1;

  constexpr Id() = default;
  constexpr explicit Id(std::int64_t v) : value(static_cast<std::int32_t>(v)) {}
  constexpr bool valid() const { return value >= 0; }
  constexpr Id& operator++() {
    ++value;
    return *this;
  }
  friend constexpr auto operator<=>(Id, Id) = default;
  friend constexpr std::int32_t operator-(Id a, Id b) { return a.value - b.value; }
  friend constexpr Id operator+(Id a, std::int32_t d) { return Id(a.value + d); }
  friend constexpr Id operator-(Id a, std::int32_t d) { return Id(a.value - d); }
};

using OldIndex = Id<struct OldIndexTag>;          ///< A row or column of A, in the caller's numbering.
using NewIndex = Id<struct NewIndexTag>;          ///< A row or column of L: a position in the elimination order.
using SupernodeId = Id<struct SupernodeTag>;      ///< A supernode, numbered in postorder of the assembly tree.
using UpdateId = Id<struct UpdateTag>;            ///< An update of target supernode K by source supernode J.
using SubtreeId = Id<struct SubtreeTag>;          ///< A leaf subtree or a chain of supernodes that forms one task.
using BlockColumnId = Id<struct BlockColumnTag>;  ///< A block of columns of a supernode above the leaf subtrees.
using TaskId = Id<struct TaskTag>;                ///< A task of the task graph.

/// The ids first … last−1.
template <class IdType>
class IdRange {
 public:
  struct Iterator {
    IdType id;
    constexpr IdType operator*() const { return id; }
    constexpr Iterator& operator++() {
      ++id;
      return *this;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;
  };
  constexpr IdRange(IdType first, IdType last) : first_(first), last_(last) {}
  constexpr explicit IdRange(std::int64_t count) : first_(0), last_(count) {}
  constexpr Iterator begin() const { return {first_}; }
  constexpr Iterator end() const { return {last_}; }
  constexpr std::int32_t size() const { return last_ - first_; }

 private:
  IdType first_;
  IdType last_;
};

/// A vector indexed by ids of one type only.
template <class IdType, class T, class Items = LargeVector<T>>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t size, const T& value = T()) : items_(size, value) {}

  T& operator[](IdType id) { return items_[static_cast<std::size_t>(id.value)]; }
  const T& operator[](IdType id) const { return items_[static_cast<std::size_t>(id.value)]; }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  T* data() { return items_.data(); }
  const T* data() const { return items_.data(); }
  void push_back(const T& value) { items_.push_back(value); }
  void reserve(std::size_t size) { items_.reserve(size); }
  void assign(std::size_t size, const T& value) { items_.assign(size, value); }
  void resize(std::size_t size) { items_.resize(size); }
  T& back() { return items_.back(); }
  const T& back() const { return items_.back(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  IdRange<IdType> ids() const { return IdRange<IdType>(static_cast<std::int64_t>(items_.size())); }
  friend bool operator==(const IdVector&, const IdVector&) = default;

 private:
  Items items_;
};

/// An IdVector whose elements stay uninitialized until they are written.
template <class IdType, class T>
using RawIdVector = IdVector<IdType, T, RawVector<T>>;

}  // namespace gpusupernodal
