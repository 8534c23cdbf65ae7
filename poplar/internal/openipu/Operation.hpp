// SPDX-License-Identifier: MIT
// A planned operator: the host function to run on whole tensors, by name (openipu/Kernel.hpp), and
// what the tiles would take for it (openipu/Plan.hpp). All operator libraries are built from this:
//
//   prog.add(openipu::operation(graph, {"popops.map", {out(y), in(a), in(b)}, bytes, plan, {di}}));
#pragma once
#include "openipu/Plan.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace poplar::openipu {

enum class Use : std::uint8_t {
  Out,   // every element is written, nothing is read
  InOut, // read and written, perhaps only in part
  In
};

struct Used {
  poplar::Tensor tensor;
  Use use;
};
inline Used out(const poplar::Tensor &t) { return {t, Use::Out}; }
inline Used inOut(const poplar::Tensor &t) { return {t, Use::InOut}; }
inline Used in(const poplar::Tensor &t) { return {t, Use::In}; }

struct Operation {
  std::string kernel;
  std::vector<Used> uses; // Out and InOut first: they are KernelArgs::outputs; then In
  std::string attributes;
  Plan plan;
  poplar::DebugContext context;
};

// Throws poplar_error when a tensor is not of this graph, an output has aliases, or a tile of the
// plan does not exist.
poplar::program::Program operation(const poplar::Graph &graph, Operation operation);

// As part of a compute set that the caller executes.
void addOperation(poplar::Graph &graph, poplar::ComputeSet computeSet, Operation operation);

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
