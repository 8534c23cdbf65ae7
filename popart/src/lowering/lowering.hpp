// SPDX-License-Identifier: MIT
// From nodes to Poplar programs. An operator's `lower` asks here for the graph to add to (that of
// its IPU), the program to append to, and the tensors of its inputs; variables, streams and
// constants get their tensors the first time somebody asks, in the layout their users want.
#pragma once
#include "opdef/opdef.hpp"
#include <map>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

namespace popart::lowering {

// What sessions set and operators read.
struct Options {
  poplar::OptionFlags convolution, matmul, lstm, gcl;
  bool holdConstants = false; // weights as constants: loaded once, in the layout users want
  bool training = false;      // Dropout draws, BatchNormalization updates
  bool nonStableSoftmax = false;
  bool stableNorm = false;
  bool stridedChannelGrouping = false; // of group norm
  bool roundsAtRandom = false;         // where a node does not say otherwise
  bool checkIndices = false;           // a run that meets one out of range ends
  std::int64_t replicas = 1;
};

poplar::Type
deviceType(DataType type); // INT64 -> INT, DOUBLE -> FLOAT ...; popart::error for STRING

// A variable beside the chip: one slot per replica, and the layout it had on each IPU when it was
// there first.
struct RemoteStorage {
  poplar::RemoteBuffer buffer;
  std::map<std::int64_t, poplar::Tensor> layouts;
};

class Lowering {
public:
  Lowering(poplar::Graph &root, const ir::Graph &model, const Options &options,
           unsigned ipusPerReplica = 1);

  // For operators.
  poplar::Graph &graph();                       // of the IPU of the node being lowered
  poplar::Graph &wholeGraph() { return root_; } // of all IPUs of a replica
  poplar::program::Sequence &program();         // what the node adds to
  poplar::Tensor tensor(ir::Value v);           // of an input
  bool canHave(ir::Value v) const;              // its tensor now: it need not be computed first
  poplar::DebugContext name(const std::string &part = "") const; // debug name of the node
  // A new tensor for an output, in the layout its users want, else that of `like`, else linear.
  poplar::Tensor newTensor(ir::Value v, const poplar::Tensor &like = {});
  // Where a variable that is kept off the chip lies.
  RemoteStorage &remote(ir::Value variable);
  // A tensor like this one, on the I/O tiles of the same IPU.
  poplar::Tensor onIoTiles(const poplar::Tensor &t, const std::string &name);
  const Options &options() const { return options_; }
  // Options of convolutions and products: the session's, then the node's own annotations.
  poplar::OptionFlags convOptions(const ops::OpView &op) const;
  poplar::OptionFlags matmulOptions(const ops::OpView &op) const;
  // A constant of the node's graph.
  poplar::Tensor constant(const ops::HostTensor &data, const std::string &name = "constant");
  // The seed of this micro-batch, UNSIGNED_INT [2]; random operators add their own modifier.
  poplar::Tensor seed();
  // The seed for the body of a node that draws numbers there: another one for every such node and,
  // given their number (INT or UNSIGNED_INT, one element), every iteration; else an invalid tensor.
  poplar::Tensor seedOfBody(const ops::OpView &op, poplar::program::Sequence &into,
                            const poplar::Tensor &iteration = {});
  // A body with its inputs bound to these tensors; its programs go to `into`. Without a seed it has
  // that of the graph it stands in.
  ops::Tensors lowerBody(const ir::Graph &body, const ops::Tensors &inputs,
                         poplar::program::Sequence &into, const poplar::Tensor &seed = {});
  // A body as a function of the device, made once for all nodes of an IPU that share it. Inputs
  // are copied in before it is called, outputs out afterwards. The seed (valid if the body draws
  // numbers) is one more input.
  struct Function {
    poplar::Function function;
    ops::Tensors inputs, outputs;
    poplar::Tensor seed;
  };
  const Function &function(const std::shared_ptr<const ir::Graph> &body, const ops::Tensors &like);

  // A value of an earlier pipeline stage as it was `delay` cycles ago, from its ring of `depth`
  // buffers on the IPU `destination`.
  poplar::Tensor restore(ir::Value v, std::int64_t destination, std::int64_t depth,
                         std::int64_t delay);

  // For sessions.
  void bind(ir::Value v, const poplar::Tensor &tensor) { tensors_[v.value] = tensor; }
  bool isBound(ir::Value v) const { return tensors_[v.value].valid(); }
  // The tensor a variable or stream gets: what the first user with a wish wants, else linear.
  poplar::Tensor create(ir::Value v);
  void lower(const ir::Node &node, poplar::program::Sequence &into);
  // Constants that got the layout their user wants: they are filled once, when the engine is
  // loaded.
  const ir::Values &heldConstants() const { return held_; }
  const std::map<ir::Value, RemoteStorage> &remotes() const { return remotes_; }
  // What a pipeline does when a cycle ends: values move on to where later stages read them.
  poplar::program::Sequence &endOfCycle() { return endOfCycle_; }
  const std::map<std::int64_t, poplar::Tensor> &cycleCounters() const { return counters_; }
  void setSeed(const poplar::Tensor &seed) { seed_ = seed; }
  void setIoTiles(poplar::Graph &graph) { io_ = &graph; }

private:
  poplar::Tensor wanted(ir::Value v, unsigned depth);
  ops::Tensors programsOf(const ops::OpView &op);
  ops::Tensors lowerExpression(const ops::OpView &op);
  poplar::Graph &graphOf(std::int64_t ipu);
  std::int64_t ipuOf(ir::Value v) const;
  poplar::Tensor ringIndex(std::int64_t ipu, std::int64_t depth, std::int64_t delay,
                           poplar::program::Sequence &into);
  poplar::Tensor makeRing(ir::Value v, std::int64_t destination, std::int64_t depth);
  void annotate(const ops::OpView &op, poplar::OptionFlags &options, bool convolution) const;

  poplar::Graph &root_;
  poplar::Graph *io_ = nullptr; // none: there are no I/O tiles
  const ir::Graph &model_;
  const Options &options_;
  ir::Links links_;
  std::shared_ptr<std::vector<poplar::Graph>> ipus_; // one per IPU; none if there is only one
  using FunctionKey = std::pair<std::shared_ptr<const ir::Graph>, std::int64_t>; // body, IPU
  std::shared_ptr<std::map<FunctionKey, Function>> functions_; // shared with bodies; never walked
  std::vector<poplar::Tensor> tensors_;
  poplar::Tensor seed_;
  ir::Values held_;
  std::map<std::pair<ir::Value, std::int64_t>, poplar::Tensor> rings_; // by value and IPU
  std::map<std::int64_t, poplar::Tensor> counters_; // cycles of the pipeline, one per IPU
  std::map<ir::Value, RemoteStorage> remotes_;
  poplar::program::Sequence endOfCycle_;
  bool isBody_ = false;            // whose constants nobody would fill
  const ir::Node *node_ = nullptr; // being lowered
  poplar::program::Sequence *program_ = nullptr;
};

// A type of partial sums that a model names, "HALF" or "FLOAT" in either case, as poplin spells it.
std::string partialsType(const std::string &text);

} // namespace popart::lowering
