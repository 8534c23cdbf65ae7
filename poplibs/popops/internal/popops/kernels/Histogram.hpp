// SPDX-License-Identifier: MIT
// Counts of elements below the first level, between each two, and from the last on (NaN too).
//   outputs: counts [levels + 1], of float or unsigned int; read too if `update`
//   inputs:  the elements [..., n], float or half; levels [levels], ascending, of their type
#pragma once
#include "openipu/Attributes.hpp"

namespace popops::kernels {

inline constexpr char histogram[] = "popops.histogram";

struct HistogramOf {
  bool absolute; // of the elements
  bool update;   // counts are added to what is there

  std::string write() const { return openipu::AttributeWriter().put(absolute).put(update).take(); }
  static HistogramOf read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    const bool absolute = in.get<bool>();
    return {absolute, in.get<bool>()};
  }
};

} // namespace popops::kernels
