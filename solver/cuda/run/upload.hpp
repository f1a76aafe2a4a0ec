#pragma once

/// \file
/// Lists of the host's on their way to the device.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/cuda/run/device_memory.hpp"

namespace gpusupernodal::cuda {

/// Lists that a slab gets. Few bytes go by one copy; many through page-locked memory, from which a device reads several
/// times as fast, and which a team of threads fills: from lists that there are, or with elements that are made there.
class Upload {
 public:
  /// `slab` must outlive this.
  explicit Upload(Slab& slab) : slab_(slab) {}

  /// `count` elements; write(first, last, to) writes those from first up to last to `to`. It is called by run(), for parts
  /// of the list on several threads at once. Returns where they will be on the device.
  template <class Element, class Write>
  const Element* add_made(std::int64_t count, Write write) {
    Element* const device = slab_.take<Element>(count);
    add_part({device, static_cast<std::int64_t>(sizeof(Element)), count,
              [write = std::move(write)](std::int64_t first, std::int64_t last, unsigned char* to) {
                write(first, last, reinterpret_cast<Element*>(to));
              }});
    return device;
  }

  /// A list that stays where it is until run() has returned.
  template <class Element>
  const Element* add(std::span<const Element> host) {
    return add_made<Element>(static_cast<std::int64_t>(host.size()),
                             [host](std::int64_t first, std::int64_t last, Element* to) {
                               std::copy(host.data() + first, host.data() + last, to);
                             });
  }
  template <class Element, class Allocator>
  const Element* add(const std::vector<Element, Allocator>& host) {
    return add(std::span<const Element>(host));
  }

  /// Copies what was added since the last call, on the current device, and waits for it.
  void run(ThreadTeam& team);

 private:
  struct Part {
    void* device;
    std::int64_t element_bytes;
    std::int64_t count;
    std::function<void(std::int64_t first, std::int64_t last, unsigned char* to)> write;

    std::int64_t bytes() const { return element_bytes * count; }
  };
  /// Elements of a part that are copied at once.
  struct Piece {
    const Part* part;
    std::int64_t first;
    std::int64_t last;
  };
  class Lane;

  void add_part(Part part) {
    if (part.count > 0) parts_.push_back(std::move(part));
  }
  void copy_by_one() const;
  void copy_by_lanes(int lanes, ThreadTeam& team) const;

  Slab& slab_;
  std::vector<Part> parts_;
};

}  // namespace gpusupernodal::cuda
