// SPDX-License-Identifier: MIT
// A whole model as Poplar programs: streams in and out, the loops over batches and micro-batches,
// weights to and from the host. What the host must connect is told by the Interface, which outlives
// the graph (an executable from the cache comes with it).
#pragma once
#include "analysis/locations.hpp"
#include "ir/foldednorm.hpp"
#include "ir/outline.hpp"
#include "lowering/lowering.hpp"
#include <popart/dataflow.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/variablesettings.hpp>

namespace popart::lowering {

// A model that is ready to be lowered.
struct Model {
  ir::Graph graph; // forward, backward, update; pruned and fused
  ir::Calls calls; // stretches of its nodes that are outlined
  DataFlow flow;
  std::map<TensorId, ir::Value> anchors;
  std::set<ir::Value> hyperParameters;   // variables that the optimizer writes
  std::map<ir::Value, ir::Value> spread; // copies of these on further IPUs, and whose they are
  std::set<ir::Value> setup; // what nodes make of weights alone: once, when weights have come
  std::vector<ir::FoldedNorm> norms; // that the host makes weights of
  std::map<TensorId, InputSettings> inputSettings;
  std::map<TensorId, VariableSettings> variableSettings;
  std::int64_t accumulationFactor = 1;
  std::int64_t replicas = 1;
  unsigned ipusPerReplica = 1;
  std::int64_t stages = 0; // of the pipeline; 0: there is none
  analysis::Locations locations;
  bool training = false;
};

struct HostTensorSpec {
  TensorId id;
  TensorInfo info;      // one micro-batch of one replica
  std::string toDevice; // stream handles; empty: no such stream
  std::string toHost;
};
struct InputSpec : HostTensorSpec {
  bool broadcast = false; // one buffer for all replicas
};
struct AnchorSpec : HostTensorSpec {
  AnchorReturnTypeId kind = AnchorReturnTypeId::All;
  std::int64_t buffersPerStep = 1; // per replica
  Shape outer;                     // leading dimensions of the user's array, ones left out
  bool forward = false;            // the program of the forward pass alone returns it
};
// A hyper-parameter that the host writes: which it is, and of which weight ("": of all).
struct HyperParameterSpec : HostTensorSpec {
  std::string slot;
  TensorId weight;
};
// A variable of the device that the host sends and, unless its streams are switched off, gets back.
struct WeightSpec : HostTensorSpec {
  std::vector<std::int64_t> groupOf; // by replica: whose values it has; empty: all have the same
  std::int64_t groups = 1;           // values the host holds, one after the other
  ir::Role role = ir::Role::Weight;
  std::string slot; // of optimiser state: which it is, and of which weight ("": of all)
  TensorId weight;
  bool returnsAll = false; // the host gets those of every replica
  bool remote = false;     // handles name a remote buffer instead of streams
  // Elements of a shard, and by replica which one it has; none: every replica has the whole.
  std::int64_t shardElements = 0;
  std::vector<std::int64_t> shardOf;
};
struct Interface {
  std::vector<InputSpec> inputs;
  std::vector<AnchorSpec> anchors;
  std::vector<WeightSpec> weights;   // in both directions; without streams: the host's alone
  std::vector<WeightSpec> made;      // by the host, from weights
  std::vector<ir::FoldedNorm> norms; // how
  std::vector<HostTensorSpec> held;  // large constants, uploaded when the engine is loaded
  std::vector<HyperParameterSpec> hyperParameters;
  std::vector<std::string> cycleCounters; // ids: "" is the whole step
  bool random = false;                    // there is a seed
  std::int64_t rngWords = 0;              // state of the tiles' generators, if it is asked for
  bool startsUp = false;                  // HeldConstantsFromHost does something
  std::int64_t batchesPerStep = 1, accumulationFactor = 1;
  std::int64_t replicas = 1; // of all instances
};

// Programs of an engine, in this order; custom ones follow.
enum ProgramIndex : unsigned {
  WeightsFromHost = 0,
  OptimizerFromHost,
  RandomSeedFromHost,
  RandomSeedToHost,
  RngStateFromHost,
  Main,
  RngStateToHost,
  WeightsToHost,
  CycleCountToHost,
  HeldConstantsFromHost,
  NamedBuffersFromHost,
  ForwardOnly, // the forward stages of a pipeline that trains; else empty
  ProgramCount
};

struct Lowered {
  std::unique_ptr<poplar::Graph> graph;
  std::vector<poplar::program::Program> programs;
  Interface interface;
};

// The leading dimensions of the array that one step of so many replicas fills for an anchor, ones
// left out.
Shape anchorOuterShape(const DataFlow &flow, const AnchorReturnType &art,
                       std::int64_t accumulationFactor, std::int64_t replicas);

Lowered lowerModel(const Model &model, const poplar::Target &target, const Options &options,
                   const SessionOptions &session);

// The id of the seed as users see it.
inline const char *seedId() { return "randomSeed___"; }

} // namespace popart::lowering
