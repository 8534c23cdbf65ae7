// SPDX-License-Identifier: MIT
#include "openipu/HostTrace.hpp"
#include "pvti/pvti.hpp"

namespace poplar::openipu {

struct HostTrace::Point {
  Point(pvti::TraceChannel &channel, std::string_view label)
      : point(&channel, std::string(label)) {}
  pvti::Tracepoint point;
};

bool HostTrace::isOn() {
  static const bool on = pvti::isTraceEnabled();
  return on;
}

HostTrace::HostTrace(std::string_view channel, std::string_view label) {
  if (!isOn())
    return;
  pvti::TraceChannel found{std::string(channel)};
  if (found.isEnabled())
    point_ = std::make_unique<Point>(found, label);
}
HostTrace::~HostTrace() = default;
void HostTrace::result(const std::string &json) {
  if (point_)
    point_->point.result(pvti::createJsonMetadata(json));
}

} // namespace poplar::openipu
