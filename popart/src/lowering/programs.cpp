// SPDX-License-Identifier: MIT
// A model has one list of nodes, a session runs three nested loops, and nodes of one pass belong at
// different depths of them. ProgramBuilder lowers each node into the sequence of the place where it
// runs: what is made of weights alone when weights have come, a micro-batch (one sequence per
// pipeline stage), the update. Then it puts the sequences into loops (finishMain):
//
//   first; Repeat(batches) { Repeat(accumulation) { micro-batch }; update }; last
//
// What makes it hard: with a pipeline the inner loop is cycles, in which stage s works on the
// micro-batch that stage 0 had s cycles before, with cycles in front that fill it and behind that
// drain it; with I/O tiles, transfers of one micro-batch run beside the computation of another; and
// every stream, anchor and weight must be told to the host in the Interface as it was laid out.
//
//   two stages, accumulation 3:   fill [0]   full [0 1] [0 1]   drain [1]   update
#include "lowering/programs.hpp"

#include "analysis/neighbours.hpp"
#include "analysis/storage.hpp"
#include "base/Text.hpp"
#include "lowering/calls.hpp"
#include "lowering/iotiles.hpp"
#include "lowering/sidebyside.hpp"
#include "opdef/groups.hpp"
#include "openipu/Together.hpp"
#include <algorithm>
#include <cmath>
#include <popart/error.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/RandomSeed.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/TileMapping.hpp>

namespace popart::lowering {

using ir::Kind;
using ir::Pass;
using ir::Value;
using poplar::program::Copy;
using poplar::program::Sequence;
namespace pe = popops::expr;

namespace {

class ProgramBuilder {
public:
  ProgramBuilder(const Model &model, const poplar::Target &target, const Options &options,
                 const SessionOptions &session)
      : model_(model), session_(session),
        root_(std::make_unique<poplar::Graph>(
            target, poplar::replication_factor(static_cast<unsigned>(model.replicas)))),
        compute_(tilesOf(*root_, session.numIOTiles, Tiles::Compute)),
        io_(tilesOf(*root_, session.numIOTiles, Tiles::Io)),
        graph_(session.numIOTiles > 0 ? &compute_ : root_.get()),
        lowering_(*graph_, model.graph, options, model.ipusPerReplica) {
    if (session.numIOTiles > 0)
      lowering_.setIoTiles(io_);
  }

  Lowered build() {
    programs_.resize(ProgramCount);
    addCodelets();
    for (std::uint32_t i = 0; i < model_.graph.size(); ++i)
      if (const Value whole = model_.graph[Value{i}].shardOf; whole != ir::none)
        shards_[whole] = Value{i};
    auto &io = interface_;
    io.batchesPerStep = model_.flow.batchesPerStep();
    io.accumulationFactor = model_.accumulationFactor;
    io.replicas = model_.replicas;
    io.random = rounds(model_.graph) || std::any_of(model_.graph.nodes.begin(),
                                                    model_.graph.nodes.end(), ops::drawsNumbers);
    work_.resize(static_cast<std::size_t>(std::max<std::int64_t>(model_.stages, 1)));
    if (io.random)
      addSeed();
    createVariables();
    overlap_.on = overlaps();
    addInputs();
    for (const auto &node : model_.graph.nodes)
      if (isSetup(node))
        lowerSetup(node);
    lowerNodes(false);
    lowerNodes(true);
    addAnchorsOfUnmadeValues();
    addWeightStreams();
    addHeldConstants();
    addSetup();
    finishMain();
    return {std::move(root_), {programs_.begin(), programs_.end()}, std::move(interface_)};
  }

private:
  // For custom operators, which name the vertices in them.
  void addCodelets() {
    for (const auto &file : session_.customCodelets)
      try {
        graph_->addCodelets(file, poplar::CodeletFileType::Auto,
                            session_.customCodeletCompileFlags);
      } catch (const poplar::poplar_error &e) {
        throw error(base::str("customCodelets: ", e.what()));
      }
  }

  void lowerNode(const ir::Node &node, Sequence &into) {
    lowering_.lower(node, into);
    for (Value v : node.outputs)
      if (v != ir::none)
        addAnchors(v, into, node.pass);
  }

  // Those of the weight update, or all others; outlined stretches as calls.
  void lowerNodes(bool updates) {
    const auto &nodes = model_.graph.nodes;
    CallLowering calls(lowering_, model_.graph, session_.subgraphCopyingStrategy);
    SideBySide update(model_.graph, updates && model_.ipusPerReplica > 1);
    auto call = model_.calls.begin();
    for (std::size_t n = 0; n < nodes.size();) {
      const bool outlined = call != model_.calls.end() && call->begin == n;
      const std::size_t end = outlined ? call->end : n + 1;
      if ((nodes[n].pass == Pass::Update) == updates && !isSetup(nodes[n])) {
        auto &stage = work_[updates ? 0 : stageOf(nodes[n])];
        auto &into = updates ? update.of(std::span(nodes).subspan(n, end - n)) : stage.program;
        lowering_.setSeed(stage.seed);
        if (outlined)
          into.add(calls.lower(
              *call, [&](const ir::Node &node, Sequence &part) { lowerNode(node, part); }));
        else
          lowerNode(nodes[n], into);
      }
      call += outlined;
      n = end;
    }
    if (updates)
      update_ = update.finish();
  }

  std::size_t stageOf(const ir::Node &node) const {
    return model_.stages ? static_cast<std::size_t>(*node.settings.pipelineStage) : 0;
  }
  // What the host sends arrives in the first stage that reads it, and variables are looked at
  // there.
  std::size_t stageOf(Value v) const {
    std::size_t first = work_.size() - 1;
    if (first == 0)
      return 0;
    for (const auto &node : model_.graph.nodes)
      if (node.pass != Pass::Update &&
          std::find(node.inputs.begin(), node.inputs.end(), v) != node.inputs.end())
        first = std::min(first, stageOf(node));
    return first;
  }

  // The stages that have a part of the forward pass: the first ones.
  std::size_t forwardStages() const {
    std::size_t count = 0;
    for (const auto &node : model_.graph.nodes)
      if (node.pass == Pass::Forward)
        count = std::max(count, stageOf(node) + 1);
    return count;
  }

  // Where a variable is updated, if every micro-batch does so.
  std::size_t lastStageOf(Value v) const {
    std::size_t last = 0;
    for (const auto &node : model_.graph.nodes)
      if (node.pass != Pass::Update &&
          std::find(node.inputs.begin(), node.inputs.end(), v) != node.inputs.end())
        last = std::max(last, stageOf(node));
    return last;
  }

  bool isSetup(const ir::Node &node) const {
    return !node.outputs.empty() && model_.setup.count(node.outputs[0]);
  }
  // What is made of weights is made anew whenever they come; what needs constants only, once. Both
  // are kept in the layout that users want.
  void lowerSetup(const ir::Node &node) {
    bool ofWeights = false;
    for (Value v : node.inputs)
      ofWeights = ofWeights || (v != ir::none &&
                                (model_.graph[v].kind == Kind::Variable || ofWeights_.count(v)));
    if (ofWeights)
      ofWeights_.insert(node.outputs.begin(), node.outputs.end());
    auto &program = ofWeights ? setupOfWeights_ : setupOfConstants_;
    interface_.startsUp = interface_.startsUp || !ofWeights;
    lowering_.lower(node, program);
    for (Value v : node.outputs) {
      if (v == ir::none)
        continue;
      const auto made = lowering_.tensor(v), kept = lowering_.create(v);
      if (kept == made)
        continue;
      program.add(Copy(made, kept, false, "layout/" + model_.graph[v].name));
      lowering_.bind(v, kept);
    }
  }
  void addSetup() {
    programs_[HeldConstantsFromHost].add(setupOfConstants_);
    programs_[WeightsFromHost].add(setupOfWeights_);
    if (!session_.updatableNamedBuffers.empty())
      programs_[NamedBuffersFromHost].add(setupOfWeights_);
  }

  // One seed from the host; it moves on with every micro-batch, and replicas differ. Every stage of
  // a pipeline counts for itself, so that forward and backward pass of a micro-batch see the same.
  void addSeed() {
    const auto variable = [&](const char *name) {
      auto t = graph_->addVariable(poplar::UNSIGNED_INT, {2}, name);
      graph_->setTileMapping(t, 0);
      return t;
    };
    seed_ = variable(seedId());
    auto down = graph_->addHostToDeviceFIFO("h2d_randomSeed", poplar::UNSIGNED_INT, 2,
                                            poplar::ReplicatedStreamMode::BROADCAST);
    auto up = graph_->addDeviceToHostFIFO("d2h_randomSeed", poplar::UNSIGNED_INT, 2);
    programs_[RandomSeedFromHost].add(Copy(down, seed_));
    programs_[RandomSeedToHost].add(Copy(seed_, up));
    for (auto &stage : work_) {
      stage.seed = variable("microBatchSeed");
      startBatch_.add(Copy(seed_, stage.seed));
      if (model_.replicas > 1)
        popops::addInPlace(*graph_, stage.seed[0], replicaIndex(), startBatch_, "seed/replica");
      popops::mapInPlace(*graph_, pe::Add(pe::_1, pe::Const(1u)), {stage.seed[1]}, stage.program,
                         "seed/next");
    }
    popops::mapInPlace(*graph_, pe::Add(pe::_1, pe::Const(static_cast<unsigned>(microBatches()))),
                       {seed_[1]}, startBatch_, "seed/next");
    if (rounds(model_.graph))
      addRounding();
  }
  // Whether anything may round at random.
  bool rounds(const ir::Graph &graph) const {
    return session_.enableStochasticRounding ||
           std::ranges::any_of(graph.nodes, [this](const ir::Node &node) {
             return analysis::roundingOf(node).value_or(false) ||
                    std::ranges::any_of(node.bodies,
                                        [this](const auto &body) { return rounds(*body); });
           });
  }
  // What tiles round by begins with the seed, alike in all replicas, so that their weights stay
  // alike; it moves on by itself.
  void addRounding() {
    poprand::setSeed(*graph_, seed_, 0, programs_[RandomSeedFromHost], "stochasticRounding");
    if (!session_.enableLoadAndOffloadRNGState)
      return;
    const auto state = poplar::getHwSeeds(*graph_, programs_[RngStateToHost], "rngState");
    const auto words = state.numElements();
    interface_.rngWords = static_cast<std::int64_t>(words);
    auto up = graph_->addDeviceToHostFIFO("d2h_rngState", poplar::UNSIGNED_INT, words);
    programs_[RngStateToHost].add(Copy(state, up));
    auto down = graph_->addHostToDeviceFIFO("h2d_rngState", poplar::UNSIGNED_INT, words,
                                            poplar::ReplicatedStreamMode::REPLICATE);
    programs_[RngStateFromHost].add(Copy(down, state));
    poplar::setHwSeeds(*graph_, state, programs_[RngStateFromHost], "rngState");
  }

  poplar::Tensor replicaIndex() {
    auto index = graph_->addReplicationIndexConstant("replica");
    graph_->setTileMapping(index, 0);
    return index.reinterpret(poplar::UNSIGNED_INT);
  }

  void createVariables() {
    for (std::uint32_t i = 0; i < model_.graph.size(); ++i)
      if (model_.graph[Value{i}].kind == Kind::Variable && isUsed(Value{i}) &&
          !isElsewhere(Value{i}))
        lowering_.tensor(Value{i});
  }
  bool isElsewhere(Value v) const { return model_.graph[v].offChip || shards_.count(v); }
  bool isUsed(Value v) const {
    if (used_.empty()) {
      used_.assign(model_.graph.size(), false);
      for (const auto &node : model_.graph.nodes)
        for (Value in : node.inputs)
          if (in != ir::none)
            used_[in.value] = true;
      for (const auto &[id, value] : model_.anchors)
        used_[value.value] = true;
    }
    return used_[v.value];
  }

  void addInputs() {
    for (Value v : model_.graph.inputs) {
      const auto &value = model_.graph[v];
      if (value.kind != Kind::Stream || !isUsed(v))
        continue;
      InputSpec spec;
      spec.id = value.name;
      spec.info = value.info;
      const auto settings = model_.inputSettings.find(value.name);
      spec.broadcast = settings != model_.inputSettings.end() &&
                       settings->second.replicatedStreamMode() == ReplicatedStreamMode::Broadcast;
      const auto t = lowering_.tensor(v);
      auto &program = work_[stageOf(v)].program;
      fill(spec, t, program);
      interface_.inputs.push_back(spec);
      addAnchors(v, program, Pass::Forward);
    }
  }
  // Values from the host at the start of every micro-batch, or made up.
  void fill(InputSpec &spec, const poplar::Tensor &t, Sequence &into) {
    if (session_.syntheticDataMode != SyntheticDataMode::Off) {
      if (session_.syntheticDataMode == SyntheticDataMode::Zeros)
        popops::zero(*graph_, t, into, "synthetic/" + spec.id);
      else
        makeUp(t, into, spec.id);
      return;
    }
    if (!t.numElements())
      return;
    spec.toDevice = "h2d_" + spec.id;
    auto stream =
        graph_->addHostToDeviceFIFO(spec.toDevice, t.elementType(), t.numElements(),
                                    spec.broadcast ? poplar::ReplicatedStreamMode::BROADCAST
                                                   : poplar::ReplicatedStreamMode::REPLICATE);
    const auto settings = model_.inputSettings.find(spec.id);
    if (session_.numIOTiles > 0 && settings != model_.inputSettings.end() &&
        settings->second.tileSet() == TileSet::IO) {
      const auto landed = lowering_.onIoTiles(t, spec.id);
      (overlap_.on ? overlap_.load : into).add(Copy(stream, landed));
      (overlap_.on ? overlap_.takeIn : into).add(Copy(landed, t, false, "ioTileCopy/" + spec.id));
    } else
      into.add(Copy(stream, t));
  }
  // Whether all that a micro-batch has for the host passes over I/O tiles and may be early or late.
  bool overlaps() const {
    const auto may = [](const auto &settings) {
      return settings.tileSet() == TileSet::IO &&
             (settings.exchangeStrategy() == ExchangeStrategy::OverlapInnerLoop ||
              settings.exchangeStrategy() == ExchangeStrategy::OverlapLoops);
    };
    if (session_.numIOTiles <= 0 || model_.stages || !lowering_.remotes().empty() ||
        session_.syntheticDataMode != SyntheticDataMode::Off)
      return false;
    for (Value v : model_.graph.inputs)
      if (model_.graph[v].kind == Kind::Stream && isUsed(v)) {
        const auto settings = model_.inputSettings.find(model_.graph[v].name);
        if (settings == model_.inputSettings.end() || !may(settings->second))
          return false;
      }
    return std::all_of(model_.anchors.begin(), model_.anchors.end(), [&](const auto &anchor) {
      const auto &art = model_.flow.art(anchor.first);
      return art.id() == AnchorReturnTypeId::Final || art.id() == AnchorReturnTypeId::Sum ||
             (art.id() == AnchorReturnTypeId::All && may(art));
    });
  }
  void makeUp(const poplar::Tensor &t, Sequence &into, const TensorId &id);

  void addAnchors(Value v, Sequence &into, Pass pass) {
    for (const auto &[id, value] : model_.anchors)
      if (value == v)
        addAnchor(id, v, into, pass);
  }
  // Anchored variables and constants: no step computes them, so they are read where they are used;
  // variables of a training that does not accumulate, when they have been updated.
  void addAnchorsOfUnmadeValues() {
    const bool updated = model_.training && !session_.enableGradientAccumulation;
    for (const auto &[id, value] : model_.anchors) {
      const auto kind = model_.graph[value].kind;
      if (kind == Kind::Variable && updated && !model_.stages)
        addAnchor(id, value, update_, Pass::Update);
      else if (kind == Kind::Variable && updated)
        addAnchor(id, value, work_[lastStageOf(value)].program, Pass::Forward);
      else if (kind == Kind::Variable || kind == Kind::Constant || model_.setup.count(value)) {
        const auto stage = stageOf(value);
        addAnchor(id, value, work_[stage].program,
                  stage < forwardStages() ? Pass::Forward : Pass::Backward);
      }
    }
  }

  void addAnchor(const TensorId &id, Value v, Sequence &into, Pass pass) {
    const auto &art = model_.flow.art(id);
    AnchorSpec spec;
    spec.id = id;
    spec.info = model_.graph[v].info;
    spec.kind = art.id();
    spec.forward = pass == Pass::Forward;
    const bool once = art.id() == AnchorReturnTypeId::Final; // when the step ends
    const auto t = isElsewhere(v) ? fetch(v, once ? last_ : into) : lowering_.tensor(v);
    if (session_.syntheticDataMode == SyntheticDataMode::Off && t.numElements()) {
      spec.toHost = "anchor_d2h_" + id;
      auto stream = graph_->addDeviceToHostFIFO(spec.toHost, t.elementType(), t.numElements());
      Outlet outlet{stream, {}};
      if (session_.numIOTiles > 0 && art.tileSet() == TileSet::IO)
        outlet.landing = lowering_.onIoTiles(t, id);
      const auto kept = !once              ? t
                        : isAccumulator(v) ? copied(t, id, beforeUpdate_)
                        : changes(v)       ? copied(t, id, into)
                                           : t;
      copyOut(art, kept, outlet, into, pass, id);
    }
    describe(spec, art);
    interface_.anchors.push_back(spec);
  }
  bool isAccumulator(Value v) const {
    const auto &value = model_.graph[v];
    return value.kind == Kind::Variable && value.role == ir::Role::Accumulator;
  }
  // Whether a value may lie in a variable that changes before the step ends.
  bool changes(Value v) {
    if (changing_.empty()) {
      classes_ = analysis::memoryClasses(model_.graph);
      changing_.resize(classes_.size(), false);
      for (const auto &node : model_.graph.nodes)
        for (auto i : analysis::writtenInputs(model_.graph, node))
          if (node.def->updates >= 0)
            changing_[classes_[node.inputs[i].value]] = true;
    }
    return model_.graph[v].kind == Kind::Computed && changing_[classes_[v.value]];
  }
  // As it is at this point: what an update leaves of an accumulator is zeros.
  poplar::Tensor copied(const poplar::Tensor &t, const TensorId &id, Sequence &here) {
    auto kept = graph_->clone(t, "anchor/" + id);
    here.add(Copy(t, kept));
    return kept;
  }
  // A variable that is not whole on the tiles, for somebody outside the model to look at.
  poplar::Tensor fetch(Value v, Sequence &into) {
    const auto &value = model_.graph[v];
    if (const auto it = shards_.find(v); it != shards_.end()) {
      const auto part =
          isElsewhere(it->second) ? fetch(it->second, into) : lowering_.tensor(it->second);
      const auto domain = model_.locations.of(model_.graph, v).domain;
      return gcl::allGatherCrossReplica(*graph_, part, into, ops::gclGroup(domain), "anchor")
          .flatten()
          .slice(0, static_cast<std::size_t>(value.info.nelms()))
          .reshape(value.info.shape_szt());
    }
    auto t = graph_->addVariable(deviceType(value.info.dataType()), value.info.shape_szt(),
                                 poplar::VariableMappingMethod::LINEAR, "anchor/" + value.name);
    into.add(Copy(lowering_.remote(v).buffer, t));
    return t;
  }
  void copyOut(const AnchorReturnType &art, const poplar::Tensor &t, const Outlet &outlet,
               Sequence &into, Pass pass, const TensorId &id) {
    switch (art.id()) {
    case AnchorReturnTypeId::All:
      // What is made once per weight update is returned for every micro-batch of it.
      if (overlap_.on && (microBatches() == 1 || &into == &work_.front().program)) {
        into.add(outlet.early(t, lowering_.onIoTiles(t, id), overlap_));
        break;
      }
      for (std::int64_t i = 0; i < (pass == Pass::Update ? interface_.accumulationFactor : 1); ++i)
        into.add(outlet.of(t));
      break;
    case AnchorReturnTypeId::Final:
      addAround({}, outlet.of(t), pass);
      break;
    case AnchorReturnTypeId::Sum: {
      auto sum = graph_->clone(t, "anchorSum___" + id);
      Sequence zero;
      popops::zero(*graph_, sum, zero, "anchorSum/" + id);
      popops::addInPlace(*graph_, sum, t, into, "anchorSum/" + id);
      addAround(zero, outlet.of(sum), pass);
      break;
    }
    case AnchorReturnTypeId::EveryN:
      copyEvery(art.rp(), outlet.of(t), into, id);
    }
  }
  // What a step begins and ends with, also if it is the forward pass alone.
  void addAround(const Sequence &first, const Sequence &last, Pass pass) {
    first_.add(first);
    last_.add(last);
    if (pass != Pass::Forward)
      return;
    forwardFirst_.add(first);
    forwardLast_.add(last);
  }
  // A counter on the device says when the N-th micro-batch has come.
  void copyEvery(int period, const Sequence &out, Sequence &into, const TensorId &id) {
    auto counter = graph_->addVariable(poplar::UNSIGNED_INT, {}, "anchorCounter/" + id);
    graph_->setTileMapping(counter, 0);
    popops::zero(*graph_, counter, first_, "anchorCounter/" + id);
    popops::mapInPlace(*graph_,
                       pe::Rem(pe::Add(pe::_1, pe::Const(1u)), pe::Const(unsigned(period))),
                       {counter}, into, "anchorCounter/" + id);
    auto due = popops::map(*graph_, pe::Equal(pe::_1, pe::Const(0u)), {counter}, into);
    into.add(poplar::program::If(due, out, Sequence()));
  }
  void describe(AnchorSpec &spec, const AnchorReturnType &art) {
    const auto all = interface_.batchesPerStep * interface_.accumulationFactor;
    spec.buffersPerStep = art.id() == AnchorReturnTypeId::All      ? all
                          : art.id() == AnchorReturnTypeId::EveryN ? all / art.rp()
                                                                   : 1;
    spec.outer = anchorOuterShape(model_.flow, art, model_.accumulationFactor, model_.replicas);
  }

  void addWeightStreams() {
    for (std::uint32_t i = 0; i < model_.graph.size(); ++i) {
      const Value v{i};
      const auto &value = model_.graph[v];
      if (value.kind != Kind::Variable || !(lowering_.isBound(v) || lowering_.remotes().count(v)))
        continue;
      if (session_.syntheticDataMode != SyntheticDataMode::Off)
        continue;
      if (value.offChip && !value.data && value.shardOf == ir::none)
        continue; // an activation: the host has no part in it
      if (const auto it = model_.spread.find(v); it != model_.spread.end())
        programs_[OptimizerFromHost].add(
            Copy(lowering_.tensor(it->second), lowering_.tensor(v), false, "spread"));
      else if (model_.hyperParameters.count(v))
        addHyperParameter(v);
      else
        addWeightStream(v);
    }
    addFoldedNorms();
  }
  // The host keeps what it makes others of, unless the device has it too.
  void addFoldedNorms() {
    auto &io = interface_;
    std::set<TensorId> there;
    for (const auto *specs : {&io.weights, &io.made})
      for (const auto &spec : *specs)
        there.insert(spec.id);
    for (const auto &norm : model_.norms) {
      if (!there.count(norm.weights))
        continue; // pruned, or nothing is sent
      io.norms.push_back(norm);
      for (const auto &id :
           {norm.ofWeights, norm.ofBias, norm.scale, norm.shift, norm.mean, norm.variance})
        if (!id.empty() && there.insert(id).second) {
          auto &spec = io.weights.emplace_back();
          spec.id = id;
          spec.info = model_.graph[model_.graph.find(id)].info;
        }
    }
  }
  bool isMadeByHost(const TensorId &id) const {
    return std::any_of(model_.norms.begin(), model_.norms.end(), [&](const ir::FoldedNorm &norm) {
      return id == norm.weights || id == norm.bias;
    });
  }
  void addHyperParameter(Value v) {
    const auto &value = model_.graph[v];
    const auto t = lowering_.tensor(v);
    HyperParameterSpec spec;
    static_cast<HostTensorSpec &>(spec) = {value.name, value.info, "h2d_" + value.name, ""};
    spec.slot = value.slot;
    spec.weight = weightOf(value);
    auto down = graph_->addHostToDeviceFIFO(spec.toDevice, t.elementType(), t.numElements(),
                                            poplar::ReplicatedStreamMode::BROADCAST);
    programs_[OptimizerFromHost].add(Copy(down, t));
    interface_.hyperParameters.push_back(spec);
  }
  TensorId weightOf(const ir::ValueData &variable) const {
    return variable.weight == ir::none ? "" : model_.graph[variable.weight].name;
  }
  void addWeightStream(Value v) {
    const auto &value = model_.graph[v];
    const auto &whole = value.shardOf == ir::none ? value : model_.graph[value.shardOf];
    WeightSpec spec;
    spec.id = whole.name;
    spec.info = whole.info;
    spec.role = whole.role;
    spec.slot = whole.slot;
    spec.weight = weightOf(whole);
    spec.remote = value.offChip;
    group(spec, whole);
    if (value.shardOf != ir::none)
      shard(spec, value);
    const bool made = isMadeByHost(spec.id);
    if (spec.remote) {
      spec.toDevice = lowering_.remotes().at(v).buffer.handle();
      spec.toHost = returns(whole) ? spec.toDevice : "";
    } else
      connect(spec, lowering_.tensor(v), !made && returns(whole));
    (made ? interface_.made : interface_.weights).push_back(spec);
  }
  void connect(WeightSpec &spec, const poplar::Tensor &t, bool returns) {
    const bool alike = spec.groupOf.empty() && spec.shardOf.empty();
    spec.toDevice = "h2d_" + spec.id;
    auto down = graph_->addHostToDeviceFIFO(spec.toDevice, t.elementType(), t.numElements(),
                                            alike ? poplar::ReplicatedStreamMode::BROADCAST
                                                  : poplar::ReplicatedStreamMode::REPLICATE);
    programs_[WeightsFromHost].add(Copy(down, t));
    const auto &named = session_.updatableNamedBuffers;
    if (std::find(named.begin(), named.end(), spec.id) != named.end())
      programs_[NamedBuffersFromHost].add(Copy(down, t));
    if (returns) {
      spec.toHost = "weight_d2h_" + spec.id;
      auto up = graph_->addDeviceToHostFIFO(spec.toHost, t.elementType(), t.numElements());
      programs_[WeightsToHost].add(Copy(t, up));
    }
  }
  void shard(WeightSpec &spec, const ir::ValueData &part) const {
    const auto domain = model_.locations.of(model_.graph, part.shardOf).domain;
    spec.shardElements = part.info.nelms();
    for (std::int64_t r = 0; r < model_.replicas; ++r)
      spec.shardOf.push_back(analysis::placeIn(domain, r, model_.replicas));
  }
  // Combined velocities are both accumulators and state: they stay home only if both do.
  bool returns(const ir::ValueData &variable) const {
    const bool state = variable.role == ir::Role::OptimizerState;
    if (variable.gathers && model_.accumulationFactor > 1)
      return !(session_.disableGradAccumulationTensorStreams &&
               session_.disableOptimizerStateTensorStreams);
    return !(state && session_.disableOptimizerStateTensorStreams) &&
           !(variable.role == ir::Role::Accumulator &&
             session_.disableGradAccumulationTensorStreams);
  }
  // The state of a weight is grouped as the weight is.
  void group(WeightSpec &spec, const ir::ValueData &variable) const {
    const auto it = model_.variableSettings.find(
        variable.weight == ir::none ? spec.id : model_.graph[variable.weight].name);
    if (it == model_.variableSettings.end())
      return;
    const auto replicas = static_cast<unsigned>(model_.replicas);
    spec.groups = it->second.getGroupCount(replicas);
    spec.returnsAll =
        replicas > 1 && it->second.getRetrievalMode() == VariableRetrievalMode::AllReplicas;
    if (spec.groups == 1)
      return;
    spec.groupOf.resize(replicas);
    const auto groups = it->second.groups(replicas);
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (auto replica : groups[g])
        spec.groupOf[std::size_t(replica)] = static_cast<std::int64_t>(g);
  }

  void addHeldConstants() {
    for (Value v : lowering_.heldConstants()) {
      const auto &value = model_.graph[v];
      const auto t = lowering_.tensor(v);
      HostTensorSpec spec{value.name, value.info, "constant_h2d_" + value.name, ""};
      auto down = graph_->addHostToDeviceFIFO(spec.toDevice, t.elementType(), t.numElements(),
                                              poplar::ReplicatedStreamMode::BROADCAST);
      programs_[HeldConstantsFromHost].add(Copy(down, t));
      interface_.held.push_back(spec);
      interface_.startsUp = true;
    }
  }

  // Micro-batches between two runs of update_.
  std::int64_t microBatches() const {
    return model_.training && model_.accumulationFactor > 1 ? model_.accumulationFactor
           : model_.stages                                  ? interface_.batchesPerStep
                                                            : interface_.accumulationFactor;
  }
  static poplar::program::Program times(std::int64_t n, const Sequence &body) {
    if (n == 1)
      return body;
    return poplar::program::Repeat(static_cast<unsigned>(n), body);
  }

  // One cycle of the pipeline: these stages side by side (those of one IPU in turn), then values
  // move.
  Sequence cycle(std::int64_t first, std::int64_t last) {
    std::map<std::int64_t, Sequence> byIpu;
    for (auto s = first; s <= last; ++s)
      byIpu[work_[std::size_t(s)].ipu].add(work_[std::size_t(s)].program);
    std::vector<poplar::program::Program> all;
    for (const auto &[ipu, program] : byIpu)
      all.push_back(program);
    return Sequence({openipu::together(all, "pipeline/cycle"), lowering_.endOfCycle()});
  }
  // Filled stage by stage, run full, drained: stage s sees its micro-batches in order. Fewer
  // micro-batches than stages never fill it.
  void startPipeline() {
    for (const auto &node : model_.graph.nodes)
      if (node.pass != Pass::Update)
        work_[stageOf(node)].ipu = node.settings.virtualGraph.value_or(0);
    for (const auto &[ipu, counter] : lowering_.cycleCounters()) {
      popops::zero(*graph_, counter, startBatch_, "pipeline/start");
      popops::mapInPlace(*graph_, pe::Add(pe::_1, pe::Const(1u)), {counter}, lowering_.endOfCycle(),
                         "pipeline/count");
    }
  }
  Sequence pipeline(std::int64_t stages) {
    const auto last = stages - 1;
    Sequence out;
    const auto n = microBatches();
    const auto first = [n](std::int64_t t) { return std::max<std::int64_t>(t - n + 1, 0); };
    for (std::int64_t t = 0; t < last; ++t)
      out.add(cycle(first(t), t));
    if (n > last)
      out.add(times(n - last, cycle(0, last)));
    for (auto t = std::max(n, last); t < n + last; ++t)
      out.add(cycle(first(t), last));
    return out;
  }

  // The cycles that a program takes, read on a tile.
  void count(const std::string &id, Sequence &program, unsigned tile, Instrumentation kind) {
    if (!session_.instrumentWithHardwareCycleCounter ||
        !session_.hardwareInstrumentations.count(kind))
      return;
    counted_.push_back(poplar::cycleCount(*graph_, program, tile, "cycleCount/" + id));
    interface_.cycleCounters.push_back(id);
  }

  // first; Repeat(batches) { Repeat(accumulation) { micro-batch }; update }; last
  void finishMain() {
    const bool outer = overlap_.on && microBatches() == 1; // the loop in which transfers overlap
    if (model_.stages)
      startPipeline();
    const auto body = model_.stages           ? poplar::program::Program(pipeline(model_.stages))
                      : overlap_.on && !outer ? overlap_.loop(microBatches(), work_.front().program)
                                              : times(microBatches(), work_.front().program);
    Sequence batch({startBatch_, body, beforeUpdate_, update_});
    for (unsigned ipu = 0; ipu < model_.ipusPerReplica; ++ipu) // of the last update of a step
      count("inner_ipu_" + std::to_string(ipu), batch, ipu * graph_->getTarget().getTilesPerIPU(),
            Instrumentation::Inner);
    const auto batches = interface_.batchesPerStep * interface_.accumulationFactor / microBatches();
    Sequence main({first_, outer ? overlap_.loop(batches, batch) : times(batches, batch), last_});
    if (session_.createImplicitPipeliningFwdOnlyProgram) {
      const Sequence forward{startBatch_, pipeline(std::int64_t(forwardStages()))};
      programs_[ForwardOnly].add(Sequence{forwardFirst_, times(batches, forward), forwardLast_});
    }
    count("", main, 0, Instrumentation::Outer);
    if (!counted_.empty()) {
      auto up =
          graph_->addDeviceToHostFIFO("d2h_cycleCount", poplar::UNSIGNED_INT, 2 * counted_.size());
      programs_[CycleCountToHost].add(Copy(poplar::concat(counted_), up));
    }
    programs_[Main].add(main);
  }

  // A stage of the pipeline; without one, all that a micro-batch does.
  struct Stage {
    Sequence program;
    poplar::Tensor seed;
    std::int64_t ipu = 0;
  };

  const Model &model_;
  const SessionOptions &session_;
  std::unique_ptr<poplar::Graph> root_;
  poplar::Graph compute_, io_; // the tiles of root_ by what they do; all of them without I/O tiles
  poplar::Graph *graph_;       // where the model runs
  Lowering lowering_;
  std::vector<std::uint32_t> classes_; // of memory, by value
  std::vector<bool> changing_;         // by class
  Interface interface_;
  std::vector<Sequence> programs_;
  std::vector<Stage> work_;
  Sequence setupOfConstants_, setupOfWeights_;
  std::set<Value> ofWeights_; // values made in the latter
  Sequence first_, startBatch_, beforeUpdate_, update_,
      last_;                            // startBatch_: before the micro-batches of an update
  Sequence forwardFirst_, forwardLast_; // of first_ and last_, what the forward pass needs
  HostOverlap overlap_;
  poplar::Tensor seed_;
  mutable std::vector<bool> used_;
  std::vector<poplar::Tensor> counted_; // cycles, in the order of interface_.cycleCounters
  std::map<Value, Value> shards_;       // of whole variables
};

void ProgramBuilder::makeUp(const poplar::Tensor &t, Sequence &into, const TensorId &id) {
  // The values of a fixed pseudo-random sequence, written once: what they are must not matter.
  // Integers are the magnitudes of such values, rounded, but uniform ones of 8 bits have the whole
  // range of their type; bools say which of them are positive, or large.
  const bool real = t.elementType() == poplar::FLOAT || t.elementType() == poplar::HALF;
  const bool eightBits =
      t.elementType() == poplar::SIGNED_CHAR || t.elementType() == poplar::UNSIGNED_CHAR;
  std::vector<float> values(t.numElements());
  std::uint64_t state = 0x9e3779b97f4a7c15ull;
  const auto uniform = [&] {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<float>(state >> 40) / static_cast<float>(1 << 24);
  };
  for (auto &v : values) {
    v = uniform();
    if (session_.syntheticDataMode == SyntheticDataMode::RandomNormal) {
      float sum = v; // twelve uniform numbers make a normal one
      for (int i = 1; i < 12; ++i)
        sum += uniform();
      v = sum - 6;
    }
    if (eightBits && session_.syntheticDataMode == SyntheticDataMode::RandomUniform)
      v = std::floor(256 * v) - (t.elementType() == poplar::SIGNED_CHAR ? 128.0f : 0.0f);
    else if (t.elementType() == poplar::BOOL)
      v = v > (session_.syntheticDataMode == SyntheticDataMode::RandomNormal ? 0.0f : 0.5f);
    else if (!real)
      v = std::round(std::abs(v));
  }
  auto data =
      graph_->addConstant<float>(t.elementType(), t.shape(), values.data(), "synthetic/" + id);
  poputil::mapTensorLinearly(*graph_, data);
  into.add(Copy(data, t));
}

} // namespace

Shape anchorOuterShape(const DataFlow &flow, const AnchorReturnType &art,
                       std::int64_t accumulationFactor, std::int64_t replicas) {
  Shape outer;
  if (art.id() == AnchorReturnTypeId::All)
    outer = {flow.batchesPerStep(), accumulationFactor};
  else if (art.id() == AnchorReturnTypeId::EveryN)
    outer = {flow.batchesPerStep() / art.rp(), accumulationFactor};
  outer.push_back(replicas);
  std::erase(outer, 1);
  return outer;
}

Lowered lowerModel(const Model &model, const poplar::Target &target, const Options &options,
                   const SessionOptions &session) {
  return ProgramBuilder(model, target, options, session).build();
}

} // namespace popart::lowering
