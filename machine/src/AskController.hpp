// SPDX-License-Identifier: MIT
// A partition's configuration from a controller (vipu-server). It is asked by the SDK's own `vipu`
// in a process of its own, so that programs and libraries do without gRPC; an answer is kept while
// this process lives.
#pragma once
#include <string>

namespace machine {

struct ControllerQuestion {
  std::string host, partition; // host may have a port: host:8090
  unsigned gcd = 0, seconds = 0;
  auto operator<=>(const ControllerQuestion &) const = default;
};
std::string askController(const ControllerQuestion &question); // Error

} // namespace machine
