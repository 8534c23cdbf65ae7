// SPDX-License-Identifier: MIT
// The one door from our own sources to what the public classes hold.
#pragma once
#include "graph/GraphState.hpp"
#include "poplar/Executable.hpp"
#include "poplar/Graph.hpp"
#include "program/Node.hpp"

namespace poplar {

struct Access {
  static const std::shared_ptr<const tensor::View> &pointer(const Tensor &t) { return t.view_; }
  static const tensor::View &view(const Tensor &t) {
    return *t.view_;
  } // the caller has checked valid()
  static Tensor tensor(tensor::View view) {
    return Tensor(std::make_shared<const tensor::View>(std::move(view)));
  }

  static const program::Node *node(const program::Program &p) {
    return p.node_.get();
  } // null for an empty Program
  static void setNode(program::Program &p, program::Node node) {
    p.node_ = std::make_shared<const program::Node>(std::move(node));
  }
  static std::shared_ptr<const program::Node> &nodePointer(program::Program &p) { return p.node_; }
  static program::Program program(program::Node node) {
    program::Program p;
    setNode(p, std::move(node));
    return p;
  }

  static graph::GraphView &graph(const Graph &g) {
    if (!g.impl_)
      throw poplar_error("The graph is empty: it was default-constructed or moved from. Construct "
                         "it with a target.");
    return *g.impl_;
  }
  static Graph graph(graph::GraphView view) {
    return Graph(std::make_unique<graph::GraphView>(std::move(view)));
  }

  static VertexRef vertex(graph::GraphState *graph, vertex_id id) { return VertexRef(graph, id); }
  static graph::GraphState *stateOf(const VertexRef &v) { return v.graph_; }
  static DataStream stream(const executable::Stream &s, const Type &type, unsigned replicas) {
    return DataStream(
        s.handle, s.toDevice ? DataStreamType::HostToDeviceFIFO : DataStreamType::DeviceToHostFIFO,
        type, s.elements, replicas,
        s.broadcast ? ReplicatedStreamMode::BROADCAST : ReplicatedStreamMode::REPLICATE);
  }
  static RemoteBuffer remoteBuffer(const executable::RemoteBuffer &b, const Type &type,
                                   unsigned replicas, bool rearrangeOnHost, bool optimiseMemory) {
    return RemoteBuffer(b.handle, type, b.elements, b.repeats, replicas, rearrangeOnHost,
                        optimiseMemory);
  }

  static const std::shared_ptr<const executable::Image> &image(const Executable &e) {
    return e.image_;
  }
  static Executable executable(std::shared_ptr<const executable::Image> image) {
    Executable e;
    e.image_ = std::move(image);
    return e;
  }
};

} // namespace poplar
