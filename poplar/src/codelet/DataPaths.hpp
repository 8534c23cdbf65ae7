// SPDX-License-Identifier: MIT
// Whether the way that code takes can depend on data: on what its operands hold, and not only on
// the vertex's own fields, sizes and pointers, which stay what they are. Where it cannot, one count
// of a vertex is right for every run. In doubt it can.
#pragma once
#include "codelet/Strides.hpp"

namespace poplar::codelet {

// A vertex as its code finds it: a pointer in the first argument.
struct VertexState {
  std::vector<std::int64_t> tables; // offsets of pointers to records (address, size) of rows
};

// `vertex` is null for functions that vertices call: their arguments may be data.
bool dependsOnData(const Function &function, const VertexState *vertex);

} // namespace poplar::codelet
