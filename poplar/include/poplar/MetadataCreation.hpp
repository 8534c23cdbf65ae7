// SPDX-License-Identifier: MIT
// Metadata tensors for QUARTER tensors: a scalar that holds format and scale.
#pragma once
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

// A scalar QUARTER_METADATA tensor, constant or a variable with this initial value. Throws
// poplar_error for a scale outside of -32 to 31.
Tensor createConstantMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
// The scale, one integer, is read when the program runs; its low six bits count.
Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format,
                                    const Tensor &scale, program::Sequence &prog,
                                    const DebugContext &debugContext = {});

} // namespace poplar
