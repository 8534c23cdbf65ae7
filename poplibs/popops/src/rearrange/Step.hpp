// SPDX-License-Identifier: MIT
// A superstep with a name and a vertex; its tiles are to be filled in.
#pragma once
#include "openipu/Plan.hpp"
#include <utility>

namespace popops {

inline openipu::Superstep stepOf(std::string name, std::string vertex) {
  openipu::Superstep step;
  step.name = std::move(name);
  step.vertex = std::move(vertex);
  return step;
}

} // namespace popops
