// SPDX-License-Identifier: MIT
// The model: values (tensors) and the nodes (operators) that compute them, in an order in which
// they can run. One graph holds forward pass, backward pass and weight update; bodies of If, Loop,
// Scan and Call are graphs of their own, whose inputs include everything they use from outside.
//
// Plain data. Passes make a new list of nodes and put it in place; values are only ever added, and
// one that nobody makes or uses any more is simply unused.
#pragma once
#include "ir/settings.hpp"
#include <deque>
#include <memory>
#include <unordered_map>

namespace popart::ops {
struct OpDef;
}

namespace popart::ir {

enum class Kind {
  Computed, // by a node
  Stream,   // by the host, for every micro-batch
  Variable, // kept on the device: weights, optimiser state
  Constant
};

struct ValueData {
  TensorId name; // unique in its graph
  TensorInfo info;
  Kind kind = Kind::Computed;
  HostTensor data;          // of a constant; the first value of a variable
  Role role = Role::Weight; // of a variable
  // Of a variable, by where the session keeps it (transforms/memory/movevariables.hpp):
  Value shardOf = none; // this replica's part of that variable, flat
  bool offChip = false; // in memory beside the chip
  bool ioTiles = false; // from and to there it passes over I/O tiles
  // Of what an optimiser needs: state, accumulators, hyper-parameters. Never read from the name.
  Value weight = none;   // that it belongs to; none: to all
  std::string slot = {}; // which it is of those: Accl1, Step ...; scaledLearningRate0, lossScaling
  bool gathers = false;  // state that gradients are accumulated in
};

// When a node runs: for every micro-batch (Forward, Backward), or once per weight update.
enum class Pass : std::uint8_t { Forward, Backward, Update };

class Graph;
struct Node {
  const ops::OpDef *def = nullptr;
  Values inputs;  // `none` where an optional one is left out
  Values outputs; // likewise
  Attributes attributes;
  Settings settings;
  Pass pass = Pass::Forward;
  std::vector<std::shared_ptr<const Graph>> bodies; // If: then, else.  Loop, Scan, Call: the body
};

// A node of the forward pass, or its copy that the backward pass computes again.
inline bool isOfForward(const Node &node) {
  return node.pass == Pass::Forward ||
         (node.pass == Pass::Backward && node.settings.recompute == Recompute::Recompute);
}

class Graph {
public:
  std::string name = "maingraph";
  std::vector<Node> nodes; // in running order
  // How weights are updated, where the model says it itself instead of an optimizer: nodes that
  // addUpdates appends to the others (optimizer/rule.hpp).
  std::vector<Node> rule;
  Values inputs, outputs; // of a body in order; of the main graph: streams, and the ONNX outputs

  // Adds a value; a name that is taken gets "/1", "/2" ... appended.
  Value add(ValueData value);
  Value addStream(const TensorId &name, const TensorInfo &info);
  Value addVariable(const TensorId &name, HostTensor initial, Role role = Role::Weight);
  Value addConstant(const TensorId &name, HostTensor data);

  // popart::error for `none`: an operator looks at what a model leaves out.
  ValueData &operator[](Value v) { return v.value < size() ? values_[v.value] : leftOut(); }
  const ValueData &operator[](Value v) const {
    return v.value < size() ? values_[v.value] : leftOut();
  }
  std::size_t size() const { return values_.size(); }
  Value find(const TensorId &name) const;     // `none` if there is no such value
  Value require(const TensorId &name) const;  // popart::error with near matches
  void rename(Value v, const TensorId &name); // popart::error if the name is taken
  std::string freeName(const std::string &wanted) const;

private:
  [[noreturn]] static ValueData &leftOut();
  std::deque<ValueData> values_; // adding moves none: references to infos and shapes stay good
  std::unordered_map<TensorId, Value> byName_;
  mutable std::unordered_map<std::string, unsigned> taken_; // next number to try for a name
};

// Index of the node that computes each value (-1: none), and the nodes that use it, in order.
struct Links {
  explicit Links(const Graph &graph);
  std::vector<int> producer;
  std::vector<std::vector<unsigned>> consumers;
};

// One line per node: what it is, what it reads and writes, and where and when it runs if that is
// not the forward pass on the only IPU. For messages, logs, dumps and tests.
std::string text(const Graph &graph);

} // namespace popart::ir
