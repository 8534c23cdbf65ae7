// SPDX-License-Identifier: MIT
// 8-bit floats in products and convolutions: their values are exact in half, so they are cast
// first, as chips without units for them must; results are half.
#pragma once
#include "base/Text.hpp"
#include "popops/Cast.hpp"
#include "poputil/exceptions.hpp"

namespace poplin {

inline bool isQuarter(const poplar::Tensor &a, const poplar::Tensor &b) {
  return a.elementType() == poplar::QUARTER || b.elementType() == poplar::QUARTER;
}

inline poplar::Tensor fromQuarter(poplar::Graph &graph, const poplar::Tensor &t,
                                  poplar::program::Sequence &prog,
                                  const poplar::DebugContext &context) {
  return t.elementType() == poplar::QUARTER
             ? popops::cast(graph, t, poplar::HALF, prog, {context, "FromQuarter"})
             : t;
}

// An output type that follows the inputs becomes half; another is refused.
inline poplar::Type quarterOutput(const char *function, const poplar::Type &asked) {
  if (asked != poplar::HALF && asked != poplar::QUARTER)
    throw poputil::poplibs_error(base::str(
        "poplin::", function, ": quarter operands give half, not ", asked, ". Cast the result."));
  return poplar::HALF;
}

} // namespace poplin
