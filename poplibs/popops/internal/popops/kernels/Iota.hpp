// SPDX-License-Identifier: MIT
// t[i] = start + i.
//   outputs: t, a list of int or unsigned int
//   inputs:  none
#pragma once
#include "openipu/Attributes.hpp"

namespace popops::kernels {

inline constexpr char iota[] = "popops.iota";

struct IotaStart { // an int's bits
  std::uint32_t start;

  std::string write() const { return openipu::AttributeWriter().put(start).take(); }
  static IotaStart read(std::string_view bytes) {
    return {openipu::AttributeReader(bytes).get<std::uint32_t>()};
  }
};

} // namespace popops::kernels
