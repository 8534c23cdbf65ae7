// SPDX-License-Identifier: MIT
#include "ops/shared/bodies.hpp"

#include "autodiff/autodiff.hpp"
#include "transforms/rewriting/prune.hpp"
#include <algorithm>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>

namespace popart::ops {

using lowering::Lowering;
using poplar::program::Copy;
using poplar::program::Sequence;

void requireInputs(const OpView &op, const ir::Graph &body, std::size_t first, std::size_t from) {
  const std::size_t given = op.inputs() - std::min(first, op.inputs());
  if (given + from != body.inputs.size())
    op.fail("its body \"", body.name, "\" has ", body.inputs.size() - from, " inputs, ", given,
            " are given.");
  for (std::size_t i = 0; i < given; ++i) {
    const auto &want = body[body.inputs[from + i]];
    if (!op.hasIn(first + i) || op.in(first + i).info() != want.info)
      op.fail("input \"", want.name, "\" of its body is ", want.info, ", it is given ",
              op.hasIn(first + i) ? op.in(first + i).info() : TensorInfo(), ".");
  }
}
Infos infosOf(const ir::Graph &graph, const Values &values) {
  Infos out;
  for (Value v : values)
    out.push_back(graph[v].info);
  return out;
}

BodyGradient differentiateBody(const ir::Graph &body, const std::vector<bool> &marked) {
  BodyGradient out{body, {}};
  ir::Graph &graph = out.graph;
  graph.name = body.name + "/Gradient";
  autodiff::Request request{none, none, {}, {}};
  for (std::size_t i = 0; i < body.outputs.size(); ++i)
    if (marked[i]) {
      const auto &forward = body[body.outputs[i]];
      const Value given =
          graph.add({"Gradient/" + forward.name, forward.info, ir::Kind::Computed, {}});
      graph.inputs.push_back(given);
      request.given.emplace_back(body.outputs[i], given);
    }
  for (Value v : body.inputs)
    if (isFloatingPoint(body[v].info.dataType()))
      request.wanted.insert(v);
  const auto gradients = autodiff::differentiate(graph, request);
  for (Value v : body.inputs) {
    auto it = gradients.find(v);
    out.gradients.push_back(it == gradients.end() ? none : it->second);
  }
  return out;
}

std::shared_ptr<const ir::Graph> finish(BodyGradient gradient, const std::vector<bool> &wanted) {
  auto graph = std::make_shared<ir::Graph>(std::move(gradient.graph));
  graph->outputs.clear();
  GraphBuilder b(*graph);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i])
      graph->outputs.push_back(gradient.gradients[i] == none ? b.zerosLike(graph->inputs[i])
                                                             : gradient.gradients[i]);
  transforms::prune(*graph, {graph->outputs.begin(), graph->outputs.end()});
  return graph;
}

Tensors inputTensors(Lowering &l, const OpView &op, std::size_t first, std::size_t last) {
  Tensors out;
  for (std::size_t i = first; i < last; ++i)
    out.push_back(l.tensor(op.in(i)));
  return out;
}

bool isUsed(const OpView &op, Value v) {
  const auto &nodes = op.graph().nodes;
  return std::any_of(nodes.begin(), nodes.end(), [v](const ir::Node &node) {
    return std::find(node.inputs.begin(), node.inputs.end(), v) != node.inputs.end();
  });
}

poplar::Tensor zeros(Lowering &l, DataType type, const std::vector<std::size_t> &shape) {
  poplar::Tensor t =
      l.constant(HostTensor::scalar(type, 0)).reshape(std::vector<std::size_t>(shape.size(), 1));
  for (unsigned d = 0; d < shape.size(); ++d)
    t = t.broadcast(unsigned(shape[d]), d);
  return t;
}

void copyAll(const Tensors &from, const Tensors &to, Sequence &prog) {
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i].numElements())
      prog.add(Copy(from[i], to[i]));
}
Tensors copiesOf(Lowering &l, const Tensors &values, Sequence &prog) {
  Tensors out;
  for (const auto &t : values)
    out.push_back(l.graph().clone(t, l.name("copy")));
  copyAll(values, out, prog);
  return out;
}

void carry(Lowering &l, const Tensors &next, const Tensors &state, Sequence &prog) {
  Tensors from, to;
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (next[i] == state[i])
      continue; // unchanged
    const bool isView = std::any_of(state.begin(), state.end(), [&](const poplar::Tensor &s) {
      return next[i].intersectsWith(s);
    });
    from.push_back(isView ? copiesOf(l, {next[i]}, prog).front() : next[i]);
    to.push_back(state[i]);
  }
  copyAll(from, to, prog);
}

Counter::Counter(Lowering &l, Sequence &before)
    : value_(l.graph().addVariable(poplar::INT, {}, l.name("counter"))) {
  l.graph().setTileMapping(value_, 0);
  popops::zero(l.graph(), value_, before, l.name("counter"));
}
void Counter::increment(Lowering &l, Sequence &prog) const {
  namespace pe = popops::expr;
  popops::mapInPlace(l.graph(), pe::Add(pe::_1, pe::Const(1)), {value_}, prog, l.name("counter"));
}
poplar::Tensor Counter::slice(Lowering &l, const poplar::Tensor &stack, Sequence &prog) const {
  const auto at = value_.reshape({1}).reinterpret(poplar::UNSIGNED_INT);
  return popops::dynamicSlice(l.graph(), stack, at, {0}, {1}, prog, l.name("slice")).squeeze({0});
}
poplar::Tensor Counter::makeStack(Lowering &l, const poplar::Tensor &like, std::size_t count,
                                  Sequence &before) {
  poplar::Tensor stack =
      count && like.numElements()
          ? popops::createSliceableTensorFromSlice(l.graph(), like.expand({0}), {0}, {count},
                                                   l.name("stack"))
          : l.graph().clone(like.expand({0}).broadcast(static_cast<unsigned>(count), 0));
  if (stack.numElements())
    popops::zero(l.graph(), stack, before, l.name("stack"));
  return stack;
}
void Counter::store(Lowering &l, const poplar::Tensor &value, const poplar::Tensor &stack,
                    Sequence &prog) const {
  const auto at = value_.reshape({1}).reinterpret(poplar::UNSIGNED_INT);
  if (stack.numElements())
    popops::dynamicUpdate(l.graph(), stack, value.expand({0}), at, {0}, {1}, prog, l.name("stack"));
}

} // namespace popart::ops
