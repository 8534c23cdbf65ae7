// SPDX-License-Identifier: MIT
// Pipelining: stage s works on micro-batch t - s in cycle t, each on its own IPU. A value that a
// later stage reads waits there for as many cycles as the stages lie apart: a PipelineRestore
// stands for that wait, and lowering gives it a ring of buffers. The arithmetic is that of the
// plain program.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

// After this every input of a node is made in the node's own stage, or is a variable or a constant
// of its IPU. Nodes that run once per weight update stay as they are.
void splitStages(ir::Graph &graph);

} // namespace popart::transforms
