#include "solver/api/shared_structure.hpp"

#include <cstring>
#include <type_traits>

namespace gpusupernodal {
namespace {

class Writer {
 public:
  template <class Item>
  void number(const Item& item) {
    static_assert(std::is_trivially_copyable_v<Item>);
    append(&item, sizeof(Item));
  }
  template <class List>
  void list(const List& list) {
    number(static_cast<std::int64_t>(list.size()));
    append(list.data(), list.size() * sizeof(*list.data()));
  }
  std::vector<char> take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t bytes) {
    const auto* const begin = static_cast<const char*>(data);
    bytes_.insert(bytes_.end(), begin, begin + bytes);
  }
  std::vector<char> bytes_;
};

class Reader {
 public:
  explicit Reader(const std::vector<char>& bytes) : next_(bytes.data()) {}

  template <class Item>
  void number(Item& item) {
    copy(&item, sizeof(Item));
  }
  template <class List>
  void list(List& list) {
    std::int64_t size = 0;
    number(size);
    list.resize(static_cast<std::size_t>(size));
    copy(list.data(), list.size() * sizeof(*list.data()));
  }

 private:
  void copy(void* to, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, next_, bytes);
    next_ += bytes;
  }
  const char* next_;
};

/// Calls visit.number or visit.list for all that is sent.
template <class Visit, class Symbolic, class Map>
void visit_all(Visit& visit, Symbolic& symbolic, Map& map) {
  visit.list(symbolic.permutation.old_of_new);
  visit.list(symbolic.first_column);
  visit.list(symbolic.parent);
  visit.list(symbolic.subtree_first);
  visit.list(symbolic.row_offset);
  visit.list(symbolic.rows);
  visit.number(symbolic.nonzeros);
  visit.number(symbolic.flops);
  visit.list(map.subtrees);
  visit.list(map.part_of);
  visit.list(map.top);
  visit.list(map.shares);
  visit.number(map.top_flops);
  visit.number(map.seconds);
  visit.number(map.seconds_of_one);
}

}  // namespace

std::vector<char> bytes_of(const SymbolicFactor& symbolic, const PartMap& map) {
  Writer writer;
  visit_all(writer, symbolic, map);
  return writer.take();
}

SharedStructure structure_from(const std::vector<char>& bytes) {
  SharedStructure shared;
  Reader reader(bytes);
  visit_all(reader, shared.symbolic, shared.map);
  SymbolicFactor& symbolic = shared.symbolic;
  symbolic.permutation = permutation_from(std::move(symbolic.permutation.old_of_new));
  symbolic.supernode_of.resize(static_cast<std::size_t>(symbolic.order()));
  for (SupernodeId s : symbolic.supernode_ids()) {
    for (NewIndex c : IdRange<NewIndex>(symbolic.first_column[s], symbolic.first_column[s + 1]))
      symbolic.supernode_of[c] = s;
  }
  return shared;
}

}  // namespace gpusupernodal
