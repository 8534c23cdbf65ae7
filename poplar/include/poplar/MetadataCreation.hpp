// SPDX-License-Identifier: MIT
// Metadata tensors for QUARTER tensors: a scalar that holds format and scale.
#pragma once
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

Tensor createConstantMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
// The scale, one integer, is read when the program runs; its low six bits count.
Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format,
                                    const Tensor &scale, program::Sequence &prog,
                                    const DebugContext &debugContext = {});

} // namespace poplar
