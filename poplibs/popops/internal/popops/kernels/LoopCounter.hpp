// SPDX-License-Identifier: MIT
// count += step; with a limit, also whether the loop goes on: count < limit, or > for steps down.
//   outputs: count [1], int or unsigned int, read and written; goesOn [1], if there is a limit
//   inputs:  limit [1], of the type of count, or none
#pragma once
#include "openipu/Attributes.hpp"

namespace popops::kernels {

inline constexpr char loopCounter[] = "popops.loopCounter";

struct LoopStep {
  std::int32_t step;

  std::string write() const { return openipu::AttributeWriter().put(step).take(); }
  static LoopStep read(std::string_view bytes) {
    return {openipu::AttributeReader(bytes).get<std::int32_t>()};
  }
};

} // namespace popops::kernels
