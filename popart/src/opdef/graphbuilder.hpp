// SPDX-License-Identifier: MIT
// Writing into an ir::Graph (openipu/Writer.hpp says how): gradients, decompositions, optimisers,
// transforms and the importer, and Model for front ends.
//
//   GraphBuilder b(graph);
//   Value y = b.op("Relu", {b.matmul(x, w)});
#pragma once
#include "opdef/opdef.hpp"
#include "openipu/Writer.hpp"

namespace popart::ops {

// Whether an IPU, even one with more memory than there are, could hold such a tensor.
bool fitsAnIpu(const TensorInfo &info);
// popart::error for more numbers than the host should make up one by one.
void requireFewNumbers(const OpView &op, double count);

class GraphBuilder : public Writer {
public:
  // Nodes go to the end of the graph, or of the list given (a pass that writes a new list).
  explicit GraphBuilder(ir::Graph &graph) : GraphBuilder(graph, graph.nodes) {}
  GraphBuilder(ir::Graph &graph, std::vector<ir::Node> &nodes) : graph_(graph), nodes_(nodes) {}

  // What all nodes from here on inherit beside `settings`.
  ir::Pass pass = ir::Pass::Forward;
  std::string prefix; // of the names of new values

  Values ops(const std::string &type, const Values &inputs, unsigned outputs,
             Attributes attributes = {}) override;
  // A prepared node (bodies, options); fills in its outputs.
  Values append(ir::Node node, unsigned outputs);
  Value constant(HostTensor data, const std::string &name = "constant") override;

  const TensorInfo &info(Value v) const override { return graph_[v].info; }
  const HostTensor *valuesOf(Value v) const override;
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

// One node at the end of a list, whose output is not computed now even if all inputs are constants:
// for weights, which the device handles quicker.
Value addUnfolded(ir::Graph &graph, std::vector<ir::Node> &nodes, const char *type,
                  const Values &inputs, const Attributes &attributes, const ir::Settings &settings,
                  const std::string &name);

// numpy's rule; popart::error through op.fail when the shapes do not fit.
Shape broadcast(const OpView &op, const Shape &a, const Shape &b);

} // namespace popart::ops
