// SPDX-License-Identifier: MIT
// Building models from code: every call appends one node in canonical form, infers what it makes,
// and folds it at once if all it needs is constant. Decompositions, gradients, optimisers,
// transforms and front ends all write with this.
//
//   GraphBuilder b(graph);
//   Value y = b.relu(b.op("MatMul", {x, w}));
#pragma once
#include "ops/core/opdef.hpp"

namespace popart::ops {

// Whether an IPU, even one with more memory than there are, could hold such a tensor.
bool fitsAnIpu(const TensorInfo &info);
// popart::error for more numbers than the host should make up one by one.
void requireFewNumbers(const OpView &op, double count);

class GraphBuilder {
public:
  // Nodes go to the end of the graph, or of the list given (a pass that writes a new list).
  explicit GraphBuilder(ir::Graph &graph) : GraphBuilder(graph, graph.nodes) {}
  GraphBuilder(ir::Graph &graph, std::vector<ir::Node> &nodes) : graph_(graph), nodes_(nodes) {}

  // What all nodes from here on inherit.
  ir::Settings settings;
  ir::Pass pass = ir::Pass::Forward;
  std::string prefix; // of the names of new values

  // One operator; `op` gives its first output, `ops` the number asked for.
  Value op(const std::string &type, const Values &inputs, Attributes attributes = {});
  Values ops(const std::string &type, const Values &inputs, unsigned outputs,
             Attributes attributes = {});
  // A prepared node (bodies, options); fills in its outputs.
  Values append(ir::Node node, unsigned outputs);

  Value constant(HostTensor data, const std::string &name = "constant");
  Value integers(const Integers &values); // INT64 [n]
  Value scalar(double value, Value like); // of the type of `like`, rank 0

  // Shorthand for what gradients are made of.
  Value add(Value a, Value b) { return op("Add", {a, b}); }
  Value sub(Value a, Value b) { return op("Sub", {a, b}); }
  Value mul(Value a, Value b) { return op("Mul", {a, b}); }
  Value div(Value a, Value b) { return op("Div", {a, b}); }
  Value add(Value a, double b) { return add(a, scalar(b, a)); }
  Value mul(Value a, double b) { return mul(a, scalar(b, a)); }
  Value sub(double a, Value b) { return sub(scalar(a, b), b); }
  Value div(double a, Value b) { return div(scalar(a, b), b); }
  Value neg(Value a) { return op("Neg", {a}); }
  Value exp(Value a) { return op("Exp", {a}); }
  Value log(Value a) { return op("Log", {a}); }
  Value sqrt(Value a) { return op("Sqrt", {a}); }
  Value square(Value a) { return mul(a, a); }
  Value reciprocal(Value a) { return op("Reciprocal", {a}); }
  Value sign(Value a) { return op("Sign", {a}); }
  Value where(Value condition, Value a, Value b) { return op("Where", {condition, a, b}); }
  Value matmul(Value a, Value b) { return op("MatMul", {a, b}); }
  Value reshape(Value a, const Shape &shape);
  Value transpose(Value a, const Integers &perm);
  Value reduceSum(Value a, const Integers &axes, bool keepDims);
  Value expand(Value a, const Shape &shape); // broadcast to
  Value cast(Value a, DataType type);        // `a` itself if it has the type
  Value zerosLike(Value a);

  const TensorInfo &info(Value v) const { return graph_[v].info; }
  const Shape &shape(Value v) const { return graph_[v].info.shape(); }
  DataType type(Value v) const { return graph_[v].info.dataType(); }
  ir::Graph &graph() { return graph_; }

private:
  ir::Graph &graph_;
  std::vector<ir::Node> &nodes_;
};

// The same while differentiating: gradients of the node's outputs.
class GradBuilder : public GraphBuilder {
public:
  GradBuilder(ir::Graph &graph, std::vector<ir::Node> &nodes, const Values &outputGrads)
      : GraphBuilder(graph, nodes), outputGrads_(outputGrads) {}
  // Gradient of output i; `none` when nothing that leads to the loss uses that output.
  Value dy(unsigned i = 0) const { return i < outputGrads_.size() ? outputGrads_[i] : none; }
  // Summed over the dimensions along which `forward` was broadcast, so that the shape is its own.
  Value unbroadcast(Value gradient, Value forward);

private:
  const Values &outputGrads_;
};

// numpy's rule; popart::error through op.fail when the shapes do not fit.
Shape broadcast(const OpView &op, const Shape &a, const Shape &b);

} // namespace popart::ops
