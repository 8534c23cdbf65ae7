// SPDX-License-Identifier: MIT
// Casts between element types. Floating values become integers by truncation; values outside the
// range of an 8-bit integer become the nearest one inside. QUARTER tensors carry their format and
// scale in a metadata tensor, which a cast to QUARTER needs.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <poputil/DebugInfo.hpp>

namespace popops {

// A new tensor in the place of src. The same type gives a copy.
poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Type &dstType,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Type &dstType,
                    const poplar::Tensor &metadata, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});
void castWithOutput(poplar::Graph &graph, const poplar::Tensor &src, const poplar::Tensor &dst,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

// The program that casts src to dst.
poplar::program::Program cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
                              const poplar::DebugContext &debugContext = {});

// As part of a compute set.
void cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst, poplar::ComputeSet cs);
poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src, const poplar::Type &dstType,
                    poplar::ComputeSet cs, const poplar::DebugContext &debugContext = {});
poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src, const poplar::Type &dstType,
                    const poplar::Tensor &metadata, poplar::ComputeSet cs,
                    const poplar::DebugContext &debugContext = {});

// Whether one FLOAT value, cast to HALF, stays within `tolerance` of itself (relative). Gives a
// BOOL scalar. Deprecated.
poplar::Tensor checkAccuracyWhenCast(poplar::Graph &graph, const poplar::Tensor &input,
                                     poplar::Type outputType, double tolerance,
                                     poplar::program::Sequence &prog,
                                     const poplar::DebugContext &debugContext = {});

} // namespace popops
