#pragma once

/// \file
/// Copies lists from the host to the device.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "solver/cuda/run/device_memory.hpp"

namespace gpusupernodal::cuda {

/// Fills a slab with lists. Few bytes go by one copy. Many go through page-locked memory, which a device reads several
/// times as fast; a team of threads fills it with existing lists or with elements that are made on the fly.
class Upload {
 public:
  /// Precondition: `slab` outlives this object.
  explicit Upload(Slab& slab) : slab_(slab) {}

  /// Adds a list of `count` elements. write(first, last, to) writes elements first … last−1 to `to`; run() calls it for
  /// parts of the list, on several threads at once. Returns the list's address on the device.
  template <class Element, class Write>
  const Element* add_generated(std::int64_t count, Write write) {
    Element* const device = slab_.take<Element>(count);
    add_part({device, static_cast<std::int64_t>(sizeof(Element)), count,
              [write = std::move(write)](std::int64_t first, std::int64_t last, unsigned char* to) {
                write(first, last, reinterpret_cast<Element*>(to));
              }});
    return device;
  }

  /// Adds an existing list, which must stay unchanged until run() has returned.
  template <class Element>
  const Element* add(std::span<const Element> host) {
    return add_generated<Element>(static_cast<std::int64_t>(host.size()),
                                  [host](std::int64_t first, std::int64_t last, Element* to) {
                                    std::copy(host.data() + first, host.data() + last, to);
                                  });
  }
  template <class Element, class Allocator>
  const Element* add(const std::vector<Element, Allocator>& host) {
    return add(std::span<const Element>(host));
  }

  /// Copies what was added since the last call to the current device and waits for it.
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
