// SPDX-License-Identifier: MIT
// Runs of rows from one tensor to another; of runs that overlap, the last counts.
//   outputs: y [rows, columns]; read too unless what no run writes is set to zero
//   inputs:  x [rows, columns]; then of unsigned int [runs] the lengths, the first rows in x and
//            the first rows in y
#pragma once
#include "openipu/Attributes.hpp"

namespace popops::kernels {

inline constexpr char sequenceSlice[] = "popops.sequenceSlice";

struct ZeroUnused {
  bool zeroUnused;

  std::string write() const { return openipu::AttributeWriter().put(zeroUnused).take(); }
  static ZeroUnused read(std::string_view bytes) {
    return {openipu::AttributeReader(bytes).get<bool>()};
  }
};

} // namespace popops::kernels
