#pragma once

/// \file
/// NVTX ranges: named intervals of host time, which profilers show next to the launches in them. Without a profiler a
/// range costs one comparison.

#include <nvtx3/nvToolsExt.h>

#include <cstdint>

namespace gpusupernodal::cuda {

/// A range that lasts as long as this object, with an optional number (the level of a tree, a count of right-hand
/// sides).
class Range {
 public:
  explicit Range(const char* name, std::int64_t number = -1) {
    nvtxEventAttributes_t attributes = {};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    if (number >= 0) {
      attributes.payloadType = NVTX_PAYLOAD_TYPE_INT64;
      attributes.payload.llValue = number;
    }
    nvtxDomainRangePushEx(domain(), &attributes);
  }
  ~Range() { nvtxDomainRangePop(domain()); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  static nvtxDomainHandle_t domain() {
    static const nvtxDomainHandle_t handle = nvtxDomainCreateA("gpusupernodal");
    return handle;
  }
};

}  // namespace gpusupernodal::cuda
