// SPDX-License-Identifier: MIT
// What adding weight updates to a model works with: a Weight is all that is known of one, and
// Updates does the steps that update.cpp names, each in the file of its name. For this folder
// alone.
#pragma once
#include "opdef/graphbuilder.hpp"
#include "optimizer/lossscale.hpp"
#include "optimizer/scalars.hpp"
#include "optimizer/update.hpp"

namespace popart::optimizer {

using ir::HostTensor;
using ir::Value;
using ir::Values;

struct Weight {
  Value variable = ir::none;                                        // as the model has it
  Value value = ir::none, gradient = ir::none, velocity = ir::none; // in the update
  TensorId name;
  Recipe recipe;
  Scalars scalars;
  Values states;
  Value step = ir::none;
  Values corrections;
  Value clip = ir::none;
  std::optional<std::int64_t> virtualGraph, stage; // where it lies; stage of its gradient
  std::string alike; // weights with the same text can be updated by one node
  // Replicas that share out the update, its accumulator (`Accum___`), or keep only a part of the
  // weight and its states; states[i] is then that part.
  bool sharded = false, shardedAccumulator = false, shardedWeight = false;
  std::vector<bool> shardedStates;
  CommGroup domain;
  Value accumulator = ir::none;
  bool elsewhere = false; // the weight or its accumulator is not whole on the tiles
};
using Group = std::vector<Weight *>;

class Updates {
public:
  Updates(ir::Graph &graph, const Optimizer &optimizer, const Context &context,
          const std::map<TensorId, HostTensor> &state)
      : graph_(graph), b_(graph), optimizer_(optimizer), context_(context), state_(state),
        lossFactor_(lossScaleFactor(graph)) {}
  void add(const autodiff::Gradients &gradients);

private:
  using Place = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;
  static Place placeOf(const Weight &w) { return {w.virtualGraph, w.stage}; }
  // As attribute or input of a node, under the name that its operator uses.
  struct Given {
    ir::Attributes &attributes;
    Values inputs;
    std::vector<std::string> names;
    void value(const std::string &name, Value v) {
      inputs.push_back(v);
      names.push_back(name);
    }
  };
  static ir::Integers groupNumbers(const CommGroup &group) {
    return {static_cast<std::int64_t>(group.type), group.replicaGroupSize};
  }

  // ---- update.cpp: what there is, and the order of steps
  void addOptimizer();
  void addOwnRule();
  Value reduced(const Weight &w);
  void collect(const autodiff::Gradients &gradients);
  Weight described(const ir::Links &links, Value value, Value gradient);
  void place(const Weight &w);

  // ---- states.cpp: variables of weights, scalars as attributes or inputs of nodes
  HostTensor initial(const TensorId &id, const TensorInfo &info, const HostTensor &otherwise);
  Value stateOf(const Weight &w, const std::string &slot, const TensorInfo &info,
                const HostTensor &first);
  void addState(Weight &w);
  const Scalar &scalar(const Weight &w, const std::string &name) const;
  Value scalarValue(const Weight &w, const Scalar &s);
  void give(Given &to, const Weight &w, const std::string &name, const std::string &as);
  void finish(ir::Node &node, const Given &given);

  // ---- parts.cpp: weights that replicas share out
  void findShards(Weight &w);
  Value kept(Value variable, const Weight &w, bool sharded);
  ir::Attributes shardAttributes(const Weight &w) const;
  void scatter(const Group &group);
  Value whole(const Weight &w, Value part, const Shape &shape);
  Value partOf(const Weight &w, Value whole);
  std::vector<Values> enterParts(const Group &group);
  Values leaveParts(const Group &group, const std::vector<Values> &whole, Values made);
  void makeWhole();

  // ---- accumulate.cpp: per micro-batch
  void accumulate();
  Value runningShare(const Weight &w);
  void addAccumulate(const Group &group, Value share);
  Value accumulator(Weight &w);

  // ---- reduce.cpp: over replicas
  void reduce();
  ir::Integers sharers(const TensorId &weight) const;

  // ---- clip.cpp: by a norm over weights
  void clip();
  [[noreturn]] void unknownWeight(const std::vector<TensorId> &ids) const;
  void clipTogether(const Group &group, float maxNorm);

  // ---- countsteps.cpp: corrections of biases
  void countSteps();
  void countSteps(const Group &counted);
  void correct(const Group &group, const std::string &beta);

  // ---- apply.cpp: the update itself
  std::vector<Group> grouped();
  void update(const Group &group);
  void giveScalars(ir::Node &node, const Weight &w);
  Value inverseFactor();

  ir::Graph &graph_;
  ops::GraphBuilder b_;
  const Optimizer &optimizer_;
  const Context &context_;
  const std::map<TensorId, HostTensor> &state_;
  std::vector<Weight> weights_;
  Value inverseFactor_ = ir::none;
  struct Running {
    Value counter = ir::none, share = ir::none;
    ir::Settings settings;
  };
  std::map<Place, Running> running_;
  const Value lossFactor_;
  std::map<std::pair<std::string, Value>, Value>
      hyperParameters_; // made so far, by slot and weight
};

// A scalar of a list; internal_error if it is not there.
const Scalar &named(const Scalars &scalars, const std::string &name, const Optimizer &optimizer);

} // namespace popart::optimizer
