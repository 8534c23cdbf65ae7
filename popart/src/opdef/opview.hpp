// SPDX-License-Identifier: MIT
// A node as the functions of its operator see it: inputs, outputs and attributes with their checks.
#pragma once
#include "base/Text.hpp"
#include "ir/graph.hpp"
#include <sstream>

namespace popart::ops {

using ir::Attributes;
using ir::HostTensor;
using ir::Integers;
using ir::none;
using ir::Value;
using ir::Values;

// One input or output. Converts to Value; `none` if it is left out.
class ValueView {
public:
  ValueView(const ir::Graph &graph, Value value) : graph_(&graph), value_(value) {}
  operator Value() const { return value_; }
  explicit operator bool() const { return value_ != none; }
  const TensorInfo &info() const { return (*graph_)[value_].info; }
  const Shape &shape() const { return info().shape(); }
  DataType type() const { return info().dataType(); }
  std::int64_t rank() const { return info().rank(); }
  // Counted from the end when negative; popart::error if the tensor has no such dimension.
  std::int64_t dim(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i < 0 ? i + rank() : i);
    return at < shape().size() ? shape()[at] : noDimension(i);
  }
  std::int64_t elements() const { return info().nelms(); }
  const TensorId &name() const { return (*graph_)[value_].name; }
  ir::Kind kind() const { return (*graph_)[value_].kind; }
  bool isConstant() const { return value_ != none && kind() == ir::Kind::Constant; }
  const HostTensor &data() const { return (*graph_)[value_].data; }

private:
  [[noreturn]] std::int64_t noDimension(std::int64_t i) const;
  const ir::Graph *graph_;
  Value value_;
};

class OpView {
public:
  OpView(const ir::Graph &graph, const ir::Node &node) : graph_(&graph), node_(&node) {}

  std::size_t inputs() const { return node_->inputs.size(); }
  std::size_t outputs() const { return node_->outputs.size(); }
  bool hasIn(std::size_t i) const { return i < inputs() && node_->inputs[i] != none; }
  bool hasOut(std::size_t i) const { return i < outputs() && node_->outputs[i] != none; }
  ValueView in(std::size_t i) const { return {*graph_, i < inputs() ? node_->inputs[i] : none}; }
  ValueView out(std::size_t i) const { return {*graph_, i < outputs() ? node_->outputs[i] : none}; }

  // Attributes: with a default, or required (popart::error that names operator and attribute).
  bool has(const std::string &name) const { return node_->attributes.has(name); }
  std::int64_t integer(const std::string &name) const;
  std::int64_t integer(const std::string &name, std::int64_t otherwise) const;
  float real(const std::string &name) const;
  float real(const std::string &name, float otherwise) const;
  std::string text(const std::string &name) const;
  std::string text(const std::string &name, const std::string &otherwise) const;
  Integers integers(const std::string &name) const;
  Integers integers(const std::string &name, const Integers &otherwise) const;
  std::vector<float> reals(const std::string &name) const; // empty when absent
  std::vector<std::string> texts(const std::string &name) const;
  HostTensor tensor(const std::string &name) const;
  // An axis counted from the end when negative; popart::error when outside [-rank, rank).
  std::int64_t axis(const std::string &name, std::int64_t otherwise, std::int64_t rank) const;
  // Axes made positive and sorted; popart::error for one that is outside or named twice.
  Integers axes(const std::string &name, std::int64_t rank) const;

  const ir::Graph &graph() const { return *graph_; }
  const ir::Node &node() const { return *node_; }
  const ir::Graph &body(std::size_t i) const {
    require(i < node_->bodies.size(), "it needs more bodies than it has.");
    return *node_->bodies[i];
  }
  const std::string &type() const;

  // popart::error: "MatMul (at "layer1/fc"): <parts>" with the values given.
  template <class... Parts> [[noreturn]] void fail(const Parts &...parts) const {
    base::TextStream out;
    (out << ... << parts);
    failWith(out.str());
  }
  void require(bool condition, const char *message) const {
    if (!condition)
      failWith(message);
  }

private:
  [[noreturn]] void failWith(const std::string &message) const;
  const ir::Graph *graph_;
  const ir::Node *node_;
};

// The operator and where it is: `MatMul (output "y", at "layer1/fc")`.
std::string describe(const ir::Graph &graph, const ir::Node &node);

// What a random node adds to the session's seed: its own modifier, or one that follows from its
// attribute `seed`, so that nodes with the same seed draw the same numbers.
std::uint32_t seedModifierOf(const OpView &op);

} // namespace popart::ops
