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
  static const tensor::View &view(const Tensor &t) { return *t.view_; }  // the caller has checked valid()
  static Tensor tensor(tensor::View view) { return Tensor(std::make_shared<const tensor::View>(std::move(view))); }

  static const program::Node *node(const program::Program &p) { return p.node_.get(); }  // null for an empty Program
  static void setNode(program::Program &p, program::Node node) {
    p.node_ = std::make_shared<const program::Node>(std::move(node));
  }
  static std::shared_ptr<const program::Node> &nodePointer(program::Program &p) { return p.node_; }
  static program::Program program(program::Node node) {
    program::Program p;
    setNode(p, std::move(node));
    return p;
  }

  static graph::GraphView &graph(const Graph &g) { return *g.impl_; }

  static const std::shared_ptr<const executable::Image> &image(const Executable &e) { return e.image_; }
  static Executable executable(std::shared_ptr<const executable::Image> image) {
    Executable e;
    e.image_ = std::move(image);
    return e;
  }
};

} // namespace poplar
