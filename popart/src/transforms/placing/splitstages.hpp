// SPDX-License-Identifier: MIT
// Pipelining: stage s works on micro-batch t - s in cycle t, each on its own IPU. A value that a
// later stage reads waits there for as many cycles as the stages lie apart: a PipelineRestore
// stands for that wait, and lowering gives it a ring of buffers. The arithmetic is that of the
// plain program.
#pragma once
#include "ir/graph.hpp"
#include <popart/sessionoptions.hpp>
#include <set>

namespace popart::transforms {

// Stages of the forward pass, before differentiation: as annotated (all nodes or none), else the
// IPU.
void inferStages(ir::Graph &graph);

// Checks that stages have no gaps, keep to one IPU each, and that there are enough micro-batches to
// fill the pipeline. Returns the number of stages.
std::int64_t checkStages(const ir::Graph &graph, std::int64_t microBatches, bool accumulation);

// Without gradient accumulation every micro-batch updates the weights: nodes of the update go to
// the first stage of their IPU that has what they read, or to a new one behind the last.
void updateInStages(ir::Graph &graph);

// Gradients of several stages that are summed and then accumulated are accumulated in their stages
// instead, unless the sum is `kept`: none of them has to wait for another.
void accumulateInStages(ir::Graph &graph, const std::set<ir::Value> &kept);

// A node of the backward pass runs no earlier than what it reads.
void raiseStages(ir::Graph &graph);

// After this every input of a node is made in the node's own stage, or is a variable or a constant
// of its IPU. Nodes that run once per weight update stay as they are.
void splitStages(ir::Graph &graph);

} // namespace popart::transforms
