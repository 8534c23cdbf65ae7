// SPDX-License-Identifier: MIT
// The operations behind all slicing functions: read slices, update slices. Operands are in the
// normal form of popops/kernels/Slice.hpp, and their shapes have been checked.
#pragma once
#include "openipu/Operation.hpp"
#include "popops/kernels/Slice.hpp"

namespace popops::slice {

using kernels::Bounds;
using kernels::Update;
using Request = kernels::SliceRequest;

struct SliceOperands {
  poplar::Tensor table, rows, offsets;
};

// A lookup out of range: the rows stay as they were, or (a new tensor) become zero.
enum class Missing { Zero, Keep };

poplar::program::Program sliceOperation(const poplar::Graph &graph, const SliceOperands &operands,
                                        const Request &request, Missing missing, openipu::Plan plan,
                                        const poplar::DebugContext &context);

// In the order of the lookups. `scale` may be an invalid tensor. With float partials halves are
// combined as floats and rounded once per row.
struct UpdateHow {
  Update op = Update::Replace;
  poplar::Tensor scale;
  bool floatPartials = false;
};
poplar::program::Program updateOperation(const poplar::Graph &graph, const SliceOperands &operands,
                                         const Request &request, const UpdateHow &how,
                                         openipu::Plan plan, const poplar::DebugContext &context);

} // namespace popops::slice
