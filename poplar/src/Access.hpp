// SPDX-License-Identifier: MIT
// The one door from our own sources to what the public classes hold.
#pragma once
#include "base/Text.hpp"
#include "graph/GraphState.hpp"
#include "poplar/Engine.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Executable.hpp"
#include "poplar/Graph.hpp"
#include "program/Node.hpp"

namespace poplar::openipu {

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

  // The view of a tensor of this graph; Error for a tensor of none or of another.
  template <class Error = poplar_error>
  static const tensor::View &ownView(const graph::GraphState &state, const Tensor &tensor,
                                     const std::string &call) {
    if (!tensor.valid())
      throw Error(call + ": the tensor is not initialised.");
    const auto &view = *tensor.view_;
    if (view.graph && view.graph.get() != &state)
      throw Error(
          base::str(call, ": the tensor ", tensor.getDebugStr(), " belongs to another graph."));
    return view;
  }

  static VertexRef vertex(const graph::GraphState &graph, vertex_id id) {
    return VertexRef(graph.tag, id);
  }
  // Null for a vertex that is not initialised or whose graph is gone.
  static graph::GraphState *stateOf(const VertexRef &v) {
    return v.graph_ ? v.graph_->state : nullptr;
  }
  template <class Error = poplar_error>
  static vertex_id ownVertex(const graph::GraphState &state, const VertexRef &vertex,
                             const std::string &call) {
    if (stateOf(vertex) != &state)
      throw Error(call + (vertex.graph_ ? ": the vertex belongs to another graph."
                                        : ": the vertex is not initialised."));
    return vertex.id_;
  }

  // Compute sets, functions and others by number.
  template <class Part> static Part part(const graph::GraphState &graph, std::size_t id) {
    return Part(unsigned(id), graph.tag->number);
  }
  template <class Part> static std::uint64_t graphNumber(const Part &part) { return part.graph_; }
  template <class Part> static bool isOwn(const graph::GraphState &graph, const Part &part) {
    return part.graph_ == 0 || part.graph_ == graph.tag->number;
  }

  static DataStream stream(const graph::GraphState &graph, const executable::Stream &s,
                           const Type &type) {
    DataStream out(s.handle,
                   s.toDevice ? DataStreamType::HostToDeviceFIFO : DataStreamType::DeviceToHostFIFO,
                   type, s.elements, graph.replicationFactor,
                   s.broadcast ? ReplicatedStreamMode::BROADCAST : ReplicatedStreamMode::REPLICATE);
    out.graph_ = graph.tag->number;
    return out;
  }
  static RemoteBuffer remoteBuffer(const graph::GraphState &graph,
                                   const executable::RemoteBuffer &b, const Type &type,
                                   bool rearrangeOnHost, bool optimiseMemory) {
    RemoteBuffer out(b.handle, type, b.elements, b.repeats, graph.replicationFactor,
                     rearrangeOnHost, optimiseMemory);
    out.graph_ = graph.tag->number;
    return out;
  }

  static const std::shared_ptr<const executable::Image> &image(const Executable &e) {
    return e.image_;
  }
  static auto &impl(const Engine &e) { return e.impl(); } // needs engine/EngineImpl.hpp
  static Executable executable(std::shared_ptr<const executable::Image> image) {
    Executable e;
    e.image_ = std::move(image);
    return e;
  }
};

} // namespace poplar::openipu

namespace poplar {
using openipu::Access;
}
