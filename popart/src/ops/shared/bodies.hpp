// SPDX-License-Identifier: MIT
// What operators with bodies (If, Loop, Scan, Call) share: binding, copying, differentiating.
#pragma once
#include "lowering/lowering.hpp"
#include "opdef/graphbuilder.hpp"

namespace popart::ops {

// popart::error unless the node's inputs from `first` on have the types of the body's from `from`.
void requireInputs(const OpView &op, const ir::Graph &body, std::size_t first,
                   std::size_t from = 0);
Infos infosOf(const ir::Graph &graph, const Values &values);

// The backward pass of a body, with all that it needs of the forward pass computed again. Inputs:
// those of the body, then the gradients of the outputs marked. Outputs: the gradients of the inputs
// in `gradients` that are not `none`, in order.
struct BodyGradient {
  ir::Graph graph;
  Values gradients; // one per input of the body
};
BodyGradient differentiateBody(const ir::Graph &body, const std::vector<bool> &marked);
// Makes the inputs' gradients that are `wanted` the outputs (zeros where none flows) and removes
// the nodes that do not lead to them.
std::shared_ptr<const ir::Graph> finish(BodyGradient gradient, const std::vector<bool> &wanted);

// The tensors of the inputs from `first` up to, not including, `last`.
Tensors inputTensors(lowering::Lowering &l, const OpView &op, std::size_t first, std::size_t last);
// Whether a node reads this value, so that it is worth keeping.
bool isUsed(const OpView &op, Value v);
// Zeros of a shape as a view of one element.
poplar::Tensor zeros(lowering::Lowering &l, DataType type, const std::vector<std::size_t> &shape);
// New variables that hold these values.
Tensors copiesOf(lowering::Lowering &l, const Tensors &values, poplar::program::Sequence &prog);
void copyAll(const Tensors &from, const Tensors &to, poplar::program::Sequence &prog);
// The values of the next iteration into the variables of this one, which they may be views of.
void carry(lowering::Lowering &l, const Tensors &next, const Tensors &state,
           poplar::program::Sequence &prog);

// Counts iterations from 0, and the place of slices that are made or used one per iteration.
class Counter {
public:
  Counter(lowering::Lowering &l, poplar::program::Sequence &before);
  const poplar::Tensor &value() const { return value_; } // INT []
  void increment(lowering::Lowering &l, poplar::program::Sequence &prog) const;
  // Entry [i] of `stack` in iteration i.
  poplar::Tensor slice(lowering::Lowering &l, const poplar::Tensor &stack,
                       poplar::program::Sequence &prog) const;
  // Zeros [count, shape of like], filled by `store`.
  static poplar::Tensor makeStack(lowering::Lowering &l, const poplar::Tensor &like,
                                  std::size_t count, poplar::program::Sequence &before);
  void store(lowering::Lowering &l, const poplar::Tensor &value, const poplar::Tensor &stack,
             poplar::program::Sequence &prog) const;

private:
  poplar::Tensor value_;
};

} // namespace popart::ops
