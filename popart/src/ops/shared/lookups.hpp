// SPDX-License-Identifier: MIT
// What gathers and scatters share when they are lowered: every one of them looks up, or changes,
// rows of a table [entries, width] at offsets [n].
#pragma once
#include "lowering/lowering.hpp"
#include "opdef/opview.hpp"
#include <popops/DynamicSlice.hpp>

namespace popart::ops {

// popart::error unless the input has an integer type.
void requireIndices(const OpView &op, std::size_t input);

// What an index outside of its dimension is: an error, which a run that checks indices meets; or
// an entry that is not there.
enum class Outside { IsWrong, IsNothing };
// Offsets, UNSIGNED_INT, of the shape of the indices. A negative index counts from the end.
poplar::Tensor offsetsOf(lowering::Lowering &l, const OpView &op, unsigned input, std::int64_t size,
                         Outside outside = Outside::IsWrong);
// Each index replaces coordinate `axis` of its own place; the row-major place in `table`. With
// strides for the places of other coordinates (zero where they do not count).
poplar::Tensor elementOffsets(lowering::Lowering &l, const OpView &op, unsigned input,
                              const Shape &table, std::int64_t axis);
// Index vectors along the last dimension -> the row-major place in a tensor of shape `lead`.
poplar::Tensor vectorOffsets(lowering::Lowering &l, const OpView &op, unsigned input,
                             const Shape &lead);

// How tables of this size are best spread for n lookups (and, in training, for their gradients).
popops::SlicePlan lookupPlan(lowering::Lowering &l, const OpView &op, DataType type,
                             std::int64_t entries, std::int64_t width, std::int64_t n);

// What an update does to what is there.
enum class Combine { Replace, Add, Mul, Max, Min };
Combine combineOf(const OpView &op); // attribute "reduction": none, add, sum, mul, max, min
// popart::error if elements of the type cannot be combined so.
void requireCombinable(const OpView &op, Combine how, DataType type);

// Rows [n, width] of a table [entries, width].
poplar::Tensor rowsAt(lowering::Lowering &l, const poplar::Tensor &table,
                      const poplar::Tensor &offsets);
// In place on `table`, which must not be an input's own tensor.
void combineRows(lowering::Lowering &l, const poplar::Tensor &table, const poplar::Tensor &rows,
                 const poplar::Tensor &offsets, Combine how);
// A copy that may be written.
poplar::Tensor writableCopy(lowering::Lowering &l, const poplar::Tensor &t);

} // namespace popart::ops
