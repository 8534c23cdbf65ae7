// SPDX-License-Identifier: MIT
// Plain loops over any number of dimensions, for reference results.
#pragma once
#include "ir/graph.hpp"

namespace popart::testing {

// Calls f for every index below `shape`.
template <class F> void forEach(const Shape &shape, F &&f) {
  Shape index(shape.size(), 0);
  for (std::int64_t n = ir::elementsOf(shape); n-- > 0;) {
    f(index);
    for (std::size_t i = shape.size(); i-- > 0 && ++index[i] == shape[i];)
      index[i] = 0;
  }
}
// Where an element lies in a row-major tensor.
inline std::size_t offset(const Shape &shape, const Shape &index) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < shape.size(); ++i)
    at = at * shape[i] + index[i];
  return std::size_t(at);
}

} // namespace popart::testing
