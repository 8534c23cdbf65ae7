// SPDX-License-Identifier: MIT
// Ends the run with poplar::application_runtime_error if an index is none of lowest .. end - 1, and
// not the one that is ignored. The host's own check: tiles have nothing to do for it.
//   outputs: none
//   inputs:  indices, int or unsigned int of any shape
#pragma once
#include "base/Text.hpp"
#include "openipu/Attributes.hpp"
#include <limits>

namespace popops::kernels {

inline constexpr char checkIndices[] = "popops.checkIndices";

struct IndexRange {
  static constexpr auto nothing = std::numeric_limits<std::int64_t>::min(); // no index

  std::int64_t lowest = 0, end = 0;
  std::string user; // the operator that looks them up, and where it stands
  std::int64_t ignored = nothing;

  std::string write() const {
    return openipu::AttributeWriter().put(lowest).put(end).put(user).put(ignored).take();
  }
  static IndexRange read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    IndexRange out;
    out.lowest = in.get<std::int64_t>();
    out.end = in.get<std::int64_t>();
    out.user = in.getString();
    out.ignored = in.get<std::int64_t>();
    return out;
  }

  bool has(std::int64_t index) const {
    return (index >= lowest && index < end) || index == ignored;
  }
  // What is wrong with an index that is not in it, at this element of indices of this shape.
  std::string complaint(std::int64_t index, std::size_t element, const auto &shape) const {
    std::string place;
    for (std::size_t d = shape.size(); d-- > 0; element /= std::size_t(shape[d]))
      place = base::str(element % std::size_t(shape[d]), place.empty() ? "" : ", ", place);
    return base::str("index ", index, " at [", place, "] of its indices is out of range: ",
                     end > lowest ? base::str("it must be from ", lowest, " to ", end - 1, ".")
                                  : "there is nothing to choose from.");
  }
};

} // namespace popops::kernels
