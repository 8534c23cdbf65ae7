// SPDX-License-Identifier: MIT
// What the layers leave in the trace of the host program (pvti), from construction to destruction:
//   const openipu::HostTrace traced("poplar", "Engine::load");
// Two nanoseconds unless PVTI_OPTIONS asks for a trace. Only the file behind this knows pvti.
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace poplar::openipu {

class HostTrace {
public:
  HostTrace(std::string_view channel, std::string_view label);
  ~HostTrace();
  HostTrace(const HostTrace &) = delete;
  HostTrace &operator=(const HostTrace &) = delete;
  static bool isOn();                                          // PVTI_OPTIONS asks for a trace
  explicit operator bool() const { return point_ != nullptr; } // this is part of it
  void result(const std::string &json);                        // goes with its end

private:
  struct Point;
  std::unique_ptr<Point> point_;
};

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
