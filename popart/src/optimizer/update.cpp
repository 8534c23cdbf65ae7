// SPDX-License-Identifier: MIT
// From gradients to new weights, for every optimizer. A Recipe says what one weight's update is
// (its states, scalars and the node that does it); this file does all around it that depends on how
// the model runs. It is hard because these choices multiply: gradients may be accumulated over
// micro-batches, reduced over all replicas or a group of them, shared out so that each replica
// updates a part, clipped by a norm over all weights, unscaled; weights and states may be on the
// tiles, in a remote buffer, whole or in parts. Each is a step of Updates::add in this order, which
// changes what Weight::gradient is, so that the next need not know what came before:
//
//   collect     dw                               accumulate  Accum___w += dw, each micro-batch
//   reduce      sum over replicas, or a part     makeWhole   whole where a part will not do
//   clip        times min(1, limit / norm)       update      w and its states, by the recipe
//
// Weights that are alike are updated by one node over all of them (grouped).
#include "optimizer/update.hpp"

#include "base/Text.hpp"
#include "op/graphbuilder.hpp"
#include "optimizer/lossscale.hpp"
#include "optimizer/recipe.hpp"
#include "optimizer/rule.hpp"
#include "optimizer/statistics.hpp"
#include "transforms/memory/shards.hpp"
#include <algorithm>
#include <popart/adam.hpp>
#include <popart/error.hpp>
#include <tuple>

namespace popart::optimizer {

using ir::HostTensor;
using ir::Kind;
using ir::Pass;
using ir::Role;
using ir::Value;
using ir::Values;

namespace {

constexpr const char *stepPrefix = "Step___";
constexpr std::int64_t smallWeight = 4096; // elements; smaller weights are updated together
constexpr std::int64_t groupElements = 1 << 16;

HostTensor firstOf(const State &state, const HostTensor &weight, const Shape &shape) {
  const TensorInfo info(state.type, shape);
  if (state.first != 0)
    return HostTensor::filled(info, state.first);
  if (state.ofWeight == 0 || !weight)
    return HostTensor::filled(info, 0);
  auto values = weight.doubles();
  for (auto &v : values)
    v *= state.ofWeight;
  return HostTensor::fromDoubles(info, values);
}

struct Weight {
  Value value = ir::none, gradient = ir::none, velocity = ir::none;
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
      : graph_(graph), b_(graph), optimizer_(optimizer), context_(context), state_(state) {}

  void add(const autodiff::Gradients &gradients) {
    collect(gradients);
    if (weights_.empty() && !hasRule(graph_))
      return;
    if (context_.accumulation)
      accumulate();
    b_.pass = Pass::Update;
    if (context_.replicas > 1 && context_.reduction != ReductionType::NoReduction)
      reduce();
    makeWhole();
    if (hasRule(graph_))
      addOwnRule();
    else
      addOptimizer();
    for (const auto &[place, running] : running_) {
      b_.settings = running.settings;
      b_.op("AccumulatorZero", {running.counter});
    }
    if (lossScaleFactor(graph_) != ir::none)
      addLossScaleUpdate(graph_, context_);
  }

private:
  void addOptimizer() {
    clip();
    countSteps();
    for (auto &group : grouped())
      update(group);
  }

  // The model says itself what becomes of gradients.
  void addOwnRule() {
    std::map<Value, RuleInput> inputs;
    for (auto &w : weights_) {
      if (w.sharded)
        throw error(base::str("The weight \"", w.name,
                              "\" is shared out over replicas, which the model's own rule of "
                              "updates cannot do."));
      place(w);
      inputs[w.value] = {reduced(w), b_.settings};
    }
    optimizer::addRule(graph_, inputs);
    for (auto &w : weights_)
      if (w.accumulator != ir::none) {
        place(w);
        b_.op("AccumulatorZero", {w.accumulator});
      }
  }
  // The gradient without the scales that optimizers take off in their update.
  Value reduced(const Weight &w) {
    Value out = w.gradient;
    const auto &scale = scalar(w, "clipNormGradientScaling");
    if (!scale.constant)
      out = b_.mul(out, b_.cast(scalarValue(w, scale), graph_[out].info.dataType()));
    else if (scale.value != 1)
      out = b_.mul(out, scale.value);
    if (lossScaleFactor(graph_) != ir::none)
      out = b_.mul(out, b_.cast(inverseFactor(), graph_[out].info.dataType()));
    return b_.cast(out, graph_[w.value].info.dataType());
  }

  // ---- what there is

  void collect(const autodiff::Gradients &gradients) {
    const auto statistics = runningStatistics(graph_);
    const ir::Links links(graph_);
    const auto asked = weightsOfRule(graph_);
    for (const auto &[value, gradient] : gradients)
      if (!statistics.count(value) && (!hasRule(graph_) || asked.count(value)))
        weights_.push_back(described(links, value, gradient));
    for (auto &w : weights_)
      addState(w);
  }

  Weight described(const ir::Links &links, Value value, Value gradient) {
    const auto &data = graph_[value];
    if (data.info.dataType() != DataType::FLOAT && data.info.dataType() != DataType::FLOAT16)
      throw error(base::str("The weight \"", data.name, "\" has the type ",
                            nameOf(data.info.dataType()),
                            ", which cannot be trained. Weights are FLOAT or FLOAT16."));
    Weight w;
    w.value = value;
    w.gradient = gradient;
    w.name = data.name;
    w.recipe = recipeOf(optimizer_, w.name, data.info.dataType(), context_);
    if (hasRule(graph_)) { // which has states of its own
      Recipe none;
      none.accumType = w.recipe.accumType;
      w.recipe = std::move(none);
    }
    w.scalars = scalarsOf(optimizer_, w.name, context_);
    if (!links.consumers[value.value].empty())
      w.virtualGraph = graph_.nodes[links.consumers[value.value][0]].settings.virtualGraph;
    if (links.producer[gradient.value] >= 0)
      w.stage = graph_.nodes[static_cast<std::size_t>(links.producer[gradient.value])]
                    .settings.pipelineStage;
    w.alike = base::str(w.recipe.op, ' ', data.info.dataType(), graph_[gradient].info.dataType(),
                        w.virtualGraph.value_or(-1), '.', w.stage.value_or(-1),
                        w.recipe.attributes.has("nesterov"), w.recipe.states.size(),
                        optimizer_.hasSpecific(w.name) ? w.name : "");
    findShards(w);
    return w;
  }

  // ---- parts of weights

  void findShards(Weight &w) {
    const auto locate = [&](const TensorId &id, const TensorInfo &info, Role role) {
      const bool gathers = role == Role::OptimizerState && w.recipe.inVelocity;
      return context_.locations.of({id, info, role, w.name, gathers});
    };
    const auto elsewhere = [&](const TensorId &id, Role role) {
      const auto location = locate(id, graph_[w.value].info, role);
      return location.offChip || location.sharded;
    };
    bool state = false;
    for (const auto &s : w.recipe.states)
      state |= elsewhere(s.prefix + w.name, Role::OptimizerState);
    w.elsewhere = elsewhere(w.name, Role::Weight) ||
                  elsewhere("Accum___" + w.name, Role::Accumulator) ||
                  (state && w.recipe.inVelocity);
    w.alike += w.elsewhere ? " elsewhere" : "";
    w.alike += state ? " state elsewhere" : "";
    if (!context_.locations.mayShard())
      return;
    const Shape shape = graph_[w.value].info.shape();
    bool first = true;
    const auto sharded = [&](const TensorId &id, DataType type, Role role) {
      const auto location = locate(id, TensorInfo(type, shape), role);
      if (!location.sharded)
        return false;
      if (!first && location.domain != w.domain)
        throw error(base::str("\"", id,
                              "\" is shared out over other replicas than what else "
                              "belongs to the weight \"",
                              w.name, "\". Give all of them one sharding domain."));
      w.domain = location.domain;
      first = false;
      return true;
    };
    w.shardedWeight = sharded(w.name, graph_[w.value].info.dataType(), Role::Weight);
    w.sharded = w.shardedWeight;
    for (const auto &s : w.recipe.states) {
      w.shardedStates.push_back(sharded(s.prefix + w.name, s.type, Role::OptimizerState));
      w.sharded |= w.shardedStates.back();
    }
    w.shardedAccumulator = context_.accumulation &&
                           sharded("Accum___" + w.name, w.recipe.accumType, Role::Accumulator);
    w.alike += base::str(' ', w.sharded, w.shardedAccumulator, w.shardedWeight, w.domain);
    for (const bool state : w.shardedStates)
      w.alike += state ? '1' : '0';
  }
  // The variable, or the one that has this replica's part of it.
  Value kept(Value variable, const Weight &w, bool sharded) {
    return sharded
               ? transforms::addShard(graph_, variable, {false, true, w.domain}, context_.replicas)
               : variable;
  }
  ir::Attributes shardAttributes(const Weight &w) const {
    return transforms::shardAttributes(w.domain, context_.replicas);
  }
  // Gradients of one group, summed up, a part on every replica.
  void scatter(const Group &group) {
    Values in;
    for (auto *w : group)
      in.push_back(w->gradient);
    auto out = b_.ops("ReplicatedReduceScatter", in, static_cast<unsigned>(in.size()),
                      shardAttributes(*group[0]));
    const auto across = analysis::across(group[0]->domain, context_.replicas);
    if (across.type != CommGroupType::None)
      out = b_.ops("ReplicatedAllReduce", out, static_cast<unsigned>(out.size()),
                   transforms::shardAttributes(across, context_.replicas));
    for (std::size_t i = 0; i < group.size(); ++i)
      group[i]->gradient = out[i];
  }
  Value whole(const Weight &w, Value part, const Shape &shape) {
    auto attributes = shardAttributes(w);
    attributes.set("shape", shape);
    return b_.op("ShardGather", {part}, std::move(attributes));
  }
  Value partOf(const Weight &w, Value whole) {
    constexpr std::int64_t local = 8; // the collective operator: nothing is added up
    auto attributes = shardAttributes(w);
    attributes.set("collectiveOp", local);
    return b_.op("ReplicatedReduceScatter", {whole}, std::move(attributes));
  }
  // Weights and states become their parts. Gives the variables that are to get the new value as a
  // whole, by state and weight; none where only parts are kept.
  std::vector<Values> enterParts(const Group &group) {
    std::vector<Values> whole(1 + group[0]->states.size());
    const auto part = [&](std::size_t k, const Weight &w, Value &variable, bool kept) {
      whole[k].push_back(kept ? ir::none : variable);
      if (!kept)
        variable = partOf(w, variable);
    };
    for (auto *w : group) {
      w->value = kept(w->value, *w, w->shardedWeight);
      part(0, *w, w->value, w->shardedWeight);
      for (std::size_t k = 0; k < w->states.size(); ++k)
        part(k + 1, *w, w->states[k], w->shardedStates[k]);
    }
    return whole;
  }
  // The new values of weights, of which the whole is put together if it is kept.
  Values leaveParts(const Group &group, const std::vector<Values> &whole, Values made) {
    for (std::size_t k = 0; k < whole.size(); ++k)
      for (std::size_t i = 0; i < group.size(); ++i)
        if (const Value variable = whole[k][i]; variable != ir::none) {
          auto &part = made[k * group.size() + i];
          const Shape shape = graph_[variable].info.shape();
          part = b_.op("CopyVarUpdate", {variable, this->whole(*group[i], part, shape)});
        }
    return made;
  }
  // Gradients were accumulated in parts, but the update is of the whole.
  void makeWhole() {
    for (auto &w : weights_)
      if (w.shardedAccumulator && !w.sharded) {
        place(w);
        w.gradient = whole(w, w.gradient, graph_[w.value].info.shape());
      }
  }

  // A saved value, if there is one that fits.
  HostTensor initial(const TensorId &id, const TensorInfo &info, const HostTensor &otherwise) {
    auto it = state_.find(id);
    if (it == state_.end())
      return otherwise;
    if (it->second.info().nelms() != info.nelms())
      throw error(base::str("The model's \"", id, "\" has the shape ", ir::text(it->second.shape()),
                            ", but the optimizer keeps ", ir::text(info.shape()), " there."));
    return it->second.as(info.dataType()).reshaped(info.shape());
  }
  Value stateOf(const Weight &w, const TensorId &id, const TensorInfo &info,
                const HostTensor &first) {
    const Value v = graph_.addVariable(id, initial(id, info, first), Role::OptimizerState);
    graph_[v].weight = w.value;
    return v;
  }

  void addState(Weight &w) {
    const Shape shape = graph_[w.value].info.shape();
    for (const auto &s : w.recipe.states) {
      const Value state = stateOf(w, s.prefix + w.name, TensorInfo(s.type, shape),
                                  firstOf(s, graph_[w.value].data, shape));
      graph_[state].gathers = w.recipe.inVelocity;
      w.states.push_back(kept(state, w, w.sharded && w.shardedStates[w.states.size()]));
    }
    if (w.recipe.inVelocity)
      w.velocity = w.states[0];
    if (!w.recipe.corrected.empty()) {
      const TensorInfo info(DataType::FLOAT, Shape{});
      const TensorId id = stepPrefix + w.name;
      w.step = stateOf(w, id, info, *firstStep(optimizer_, id));
    }
  }

  // ---- scalars

  const Scalar &scalar(const Weight &w, const std::string &name) const {
    for (const auto &s : w.scalars)
      if (s.name == name)
        return s;
    throw internal_error("{} has no scalar {}.", optimizer_.type_s(), name);
  }
  // The variable of a scalar that may change; weights share the default one.
  Value scalarValue(const Weight &w, const Scalar &s) {
    const TensorId id = scalarVariable(optimizer_, s.name, w.name);
    const auto [known, fresh] = hyperParameters_.try_emplace(id, ir::none);
    if (fresh)
      known->second = graph_.addVariable(id, HostTensor::scalar(DataType::FLOAT, s.value),
                                         Role::HyperParameter);
    return known->second;
  }
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
  void give(Given &to, const Weight &w, const std::string &name, const std::string &as) {
    const auto &s = scalar(w, name);
    if (s.constant)
      to.attributes.set(as, static_cast<float>(s.value));
    else
      to.value(as, scalarValue(w, s));
  }
  void finish(ir::Node &node, const Given &given) {
    node.inputs.insert(node.inputs.end(), given.inputs.begin(), given.inputs.end());
    if (!given.names.empty())
      node.attributes.set("scalars", given.names);
  }

  // ---- per micro-batch

  void accumulate() {
    b_.pass = Pass::Backward;
    const bool running = context_.reduction == ReductionType::Mean &&
                         context_.mean == MeanReductionStrategy::Running;
    for (auto &group : grouped()) {
      place(*group[0]);
      const bool share = running && !group[0]->recipe.inVelocity;
      const Value factor = share ? runningShare(*group[0]) : ir::none;
      if (group[0]->shardedAccumulator)
        scatter(group);
      addAccumulate(group, factor);
    }
    for (const auto &[place, running] : running_) {
      b_.settings = running.settings;
      b_.op("Accumulate", {running.counter, b_.scalar(1, running.counter)});
    }
  }
  // 1 / (number of micro-batches so far), counted in every place where weights are.
  Value runningShare(const Weight &w) {
    const auto [at, fresh] = running_.try_emplace(placeOf(w));
    auto &running = at->second;
    if (fresh) {
      running.counter = graph_.addVariable("Counter___", HostTensor::scalar(DataType::FLOAT, 0),
                                           Role::Accumulator);
      running.settings = b_.settings;
      running.settings.name = "Update/count";
      running.share = b_.reciprocal(b_.add(running.counter, 1));
    }
    return running.share;
  }
  void addAccumulate(const Group &group, Value share) {
    place(*group[0]);
    ir::Node node;
    node.def = &ops::opOf("Accumulate");
    Given given{node.attributes, {}, {}};
    const bool inVelocity = group[0]->recipe.inVelocity;
    for (auto *w : group)
      node.inputs.push_back(inVelocity ? w->velocity : accumulator(*w));
    for (auto *w : group)
      node.inputs.push_back(w->gradient);
    for (auto *w : group) // the weight is on the tiles, so that the accumulator can lie as it does
      if (!w->elsewhere)
        node.inputs.push_back(w->value);
    node.attributes.set("weights", static_cast<std::int64_t>(group.size()));
    if (inVelocity)
      give(given, *group[0], "dampeningScaleFactor1", "factor");
    if (share != ir::none) {
      node.attributes.set("kind", std::string("Mean"));
      given.value("factor", share);
    }
    finish(node, given);
    const auto made = b_.append(std::move(node), static_cast<unsigned>(group.size()));
    for (std::size_t i = 0; i < group.size(); ++i)
      group[i]->gradient = made[i];
  }
  Value accumulator(Weight &w) {
    const TensorInfo info(w.recipe.accumType, graph_[w.value].info.shape());
    const Value variable =
        graph_.addVariable("Accum___" + w.name, HostTensor::filled(info, 0), Role::Accumulator);
    graph_[variable].weight = w.value;
    return w.accumulator = kept(variable, w, w.shardedAccumulator);
  }

  // ---- over replicas and weights

  // One collective for all gradients of a type on an IPU.
  void reduce() {
    std::map<std::tuple<std::int64_t, DataType, ir::Integers, bool>, Group> together;
    for (auto &w : weights_)
      if (!w.shardedAccumulator)
        together[{w.virtualGraph.value_or(-1), graph_[w.gradient].info.dataType(),
                  w.sharded ? groupNumbers(w.domain) : sharers(w.name), w.sharded}]
            .push_back(&w);
    for (const auto &[key, group] : together) {
      place(*group[0]);
      if (group[0]->sharded) {
        scatter(group);
        continue;
      }
      Values in;
      for (auto *w : group)
        in.push_back(w->gradient);
      const auto out =
          b_.ops(context_.accumulation ? "ReplicatedAllReduceInplace" : "ReplicatedAllReduce", in,
                 static_cast<unsigned>(in.size()), {{"collectiveCommGroup", std::get<2>(key)}});
      for (std::size_t i = 0; i < group.size(); ++i)
        group[i]->gradient = out[i];
    }
  }
  // The replicas that have the same value of a weight: {type, size} of a group.
  ir::Integers sharers(const TensorId &weight) const {
    auto it = context_.sharedBy.find(weight);
    return groupNumbers(it == context_.sharedBy.end() ? CommGroup() : it->second);
  }
  static ir::Integers groupNumbers(const CommGroup &group) {
    return {static_cast<std::int64_t>(group.type), group.replicaGroupSize};
  }

  void clip() {
    for (const auto &settings : optimizer_.getClipNormSettings()) {
      Group group;
      const auto &ids = settings.getWeightIds();
      const bool all = settings.getMode() == ClipNormSettings::Mode::ClipAllWeights;
      for (auto &w : weights_)
        if (all || std::find(ids.begin(), ids.end(), w.name) != ids.end())
          group.push_back(&w);
      if (!all && group.size() != ids.size())
        unknownWeight(ids);
      if (!group.empty())
        clipTogether(group, settings.getMaxNorm());
    }
  }
  [[noreturn]] void unknownWeight(const std::vector<TensorId> &ids) const {
    std::vector<std::string> names;
    for (const auto &w : weights_)
      names.push_back(w.name);
    for (const auto &id : ids)
      if (std::find(names.begin(), names.end(), id) == names.end())
        throw error(base::str("ClipNormSettings: \"", id, "\" is no weight that is trained.",
                              base::didYouMean(id, names)));
    throw internal_error("A weight is clipped twice.");
  }
  void clipTogether(const Group &group, float maxNorm) {
    std::map<std::tuple<std::int64_t, bool, ir::Integers>, Group> byIpu;
    for (auto *w : group)
      byIpu[{w->virtualGraph.value_or(-1), w->sharded, groupNumbers(w->domain)}].push_back(w);
    ir::Node node;
    node.def = &ops::opOf("ClipFactor");
    for (const auto &[ipu, weights] : byIpu) {
      place(*weights[0]);
      Values gradients;
      for (auto *w : weights)
        gradients.push_back(w->gradient);
      Value norm = b_.op("SquaredNorm", gradients);
      if (weights[0]->sharded)
        norm = b_.op("ReplicatedAllReduce", {norm}, shardAttributes(*weights[0]));
      node.inputs.push_back(norm);
    }
    node.attributes.set("maxNorm", maxNorm);
    Given given{node.attributes, {}, {}};
    // Of the loss scale alone, so that all weights share it.
    Weight shared;
    shared.scalars = scalarsOf(optimizer_, "", context_);
    give(given, shared, "clipNormGradientScaling", "gradientScaling");
    if (lossScaleFactor(graph_) != ir::none)
      given.value("inverseLossScaleFactor", inverseFactor());
    finish(node, given);
    const Value factor = b_.append(std::move(node), 1)[0];
    const std::string mark = base::str(" clip", factor.value);
    for (auto *w : group) {
      w->clip = factor;
      w->alike += mark;
    }
  }

  // ---- counts

  // All counts of an IPU at once, and the corrections by each beta.
  void countSteps() {
    std::map<Place, Group> counted;
    for (auto &w : weights_)
      if (w.step != ir::none)
        counted[placeOf(w)].push_back(&w);
    for (const auto &[at, group] : counted)
      countSteps(group);
  }
  void countSteps(const Group &counted) {
    place(*counted[0]);
    Values steps;
    for (auto *w : counted)
      steps.push_back(w->step);
    const auto now = b_.ops("AdamStep", steps, static_cast<unsigned>(steps.size()),
                            {{"weights", static_cast<std::int64_t>(steps.size())}});
    for (std::size_t i = 0; i < counted.size(); ++i)
      counted[i]->step = now[i];
    std::map<std::string, Group> byValues;
    for (auto *w : counted)
      byValues[optimizer_.hasSpecific(w->name) ? w->name : ""].push_back(w);
    for (auto &[name, group] : byValues)
      for (const auto &beta : group[0]->recipe.corrected)
        correct(group, beta);
  }
  void correct(const Group &group, const std::string &beta) {
    ir::Node node;
    node.def = &ops::opOf("BiasCorrection");
    for (auto *w : group)
      node.inputs.push_back(w->step);
    const auto &s = scalar(*group[0], beta);
    if (s.constant)
      node.attributes.set("beta", static_cast<float>(s.value));
    else
      node.inputs.push_back(scalarValue(*group[0], s));
    const auto made = b_.append(std::move(node), static_cast<unsigned>(group.size()));
    for (std::size_t i = 0; i < group.size(); ++i)
      group[i]->corrections.push_back(made[i]);
  }

  // ---- the update itself

  // Small weights that are alike go together, in the order of the first of each.
  std::vector<Group> grouped() {
    std::vector<Group> out;
    std::map<std::string, std::pair<std::size_t, std::int64_t>> open; // group, elements
    for (auto &w : weights_) {
      const auto elements = graph_[w.value].info.nelms();
      if (w.recipe.alone || elements > smallWeight) {
        out.push_back({&w});
        continue;
      }
      auto it = open.find(w.alike);
      if (it == open.end() || it->second.second + elements > groupElements) {
        open[w.alike] = {out.size(), elements};
        out.push_back({&w});
      } else {
        out[it->second.first].push_back(&w);
        it->second.second += elements;
      }
    }
    return out;
  }

  void update(const Group &group) {
    const Weight &first = *group[0];
    place(first);
    ir::Node node;
    node.def = &ops::opOf(first.recipe.op);
    node.attributes = first.recipe.attributes;
    const auto whole = first.sharded ? enterParts(group) : std::vector<Values>();
    if (first.sharded && first.recipe.alone) // it takes norms
      node.attributes.set("collectiveCommGroup", groupNumbers(first.domain));
    const auto all = [&](auto pick) {
      for (auto *w : group)
        node.inputs.push_back(pick(*w));
    };
    all([](const Weight &w) { return w.value; });
    for (std::size_t i = 0; i < first.states.size(); ++i)
      all([&](const Weight &w) {
        return i == 0 && w.recipe.inVelocity ? w.gradient : w.states[i];
      });
    std::size_t written = 1 + first.states.size();
    if (!first.recipe.inVelocity) {
      all([](const Weight &w) { return w.gradient; });
      written += context_.accumulation && first.sharded == first.shardedAccumulator;
    }
    for (std::size_t i = 0; i < first.corrections.size(); ++i)
      all([&](const Weight &w) { return w.corrections[i]; });
    node.attributes.set("weights", static_cast<std::int64_t>(group.size()));
    node.attributes.set("written", static_cast<std::int64_t>(written));
    node.attributes.set("perWeight", static_cast<std::int64_t>(first.corrections.size()));
    giveScalars(node, first);
    const auto made = b_.append(std::move(node), static_cast<unsigned>(written * group.size()));
    const auto updated = first.sharded ? leaveParts(group, whole, made) : made;
    for (std::size_t i = 0; i < group.size() && !first.shardedWeight; ++i)
      graph_.rename(updated[i], graph_.freeName("UpdatedVar___" + group[i]->name));
    if (first.accumulator != ir::none && first.sharded != first.shardedAccumulator)
      for (auto *w : group)
        b_.op("AccumulatorZero", {w->accumulator});
  }
  void giveScalars(ir::Node &node, const Weight &w) {
    Given given{node.attributes, {}, {}};
    for (const auto &name : w.recipe.scalars)
      if (!w.recipe.inVelocity || name != "dampeningScaleFactor1")
        give(given, w, name, name);
    if (w.clip != ir::none)
      given.value("clipFactor", w.clip);
    if (lossScaleFactor(graph_) != ir::none)
      given.value("inverseLossScaleFactor", inverseFactor());
    finish(node, given);
  }
  Value inverseFactor() {
    if (inverseFactor_ == ir::none) {
      const auto kept = std::exchange(b_.settings, {});
      inverseFactor_ = b_.reciprocal(lossScaleFactor(graph_));
      b_.settings = kept;
    }
    return inverseFactor_;
  }

  using Place = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;
  static Place placeOf(const Weight &w) { return {w.virtualGraph, w.stage}; }
  void place(const Weight &w) {
    b_.settings = {};
    b_.settings.virtualGraph = w.virtualGraph;
    b_.settings.pipelineStage = w.stage;
    b_.settings.name = "Update/" + w.name;
  }

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
  std::map<TensorId, Value> hyperParameters_; // made so far
};

} // namespace

void addUpdates(ir::Graph &graph, const autodiff::Gradients &gradients, const Optimizer &optimizer,
                const Context &context, const std::map<TensorId, HostTensor> &state) {
  keepRunningStatistics(graph);
  Updates(graph, optimizer, context, state).add(gradients);
}

namespace {
constexpr const char *lossScaling = "lossScaling_";

// Infinite gradients would make weights that are no numbers.
constexpr float largestHalf = 65504;
HostTensor lossScaleOf(const Optimizer &optimizer, DataType type) {
  if (const float scale = optimizer.getLossScalingVal();
      type == DataType::FLOAT16 && scale > largestHalf)
    throw error(base::str("lossScaling is ", scale,
                          ", which the loss, a FLOAT16, cannot hold: its "
                          "largest number is ",
                          largestHalf,
                          ". Take a smaller one, compute the loss in FLOAT, or set "
                          "ensureFp32LossScaleTensor."));
  return HostTensor::scalar(type, optimizer.getLossScalingVal());
}
} // namespace

static Value wholeLossScale(ir::Graph &graph, const Optimizer &optimizer, DataType type,
                            const Context &context) {
  const auto first = lossScaleOf(optimizer, type);
  if (context.automaticLossScaling.enabled)
    return automaticLossScale(graph, optimizer, first, context);
  if (optimizer.lossScaling().isConst())
    return graph.addConstant("lossScaling", first);
  return graph.addVariable(lossScaling + nameOf(type), first, Role::HyperParameter);
}

LossScale lossScale(ir::Graph &graph, const Optimizer &optimizer, DataType type,
                    const Context &context) {
  const bool large = optimizer.getLossScalingVal() > largestHalf;
  if (type != DataType::FLOAT16 ||
      !(large || context.floatLossScale || context.automaticLossScaling.enabled))
    return {wholeLossScale(graph, optimizer, type, context)};
  const Value whole = wholeLossScale(graph, optimizer, DataType::FLOAT, context);
  ops::GraphBuilder b(graph);
  b.pass = Pass::Backward;
  b.prefix = "lossScaling/";
  constexpr double most = 32768; // with room for a loss that is larger than one
  const Value start = b.op("Min", {whole, b.scalar(most, whole)});
  return {b.cast(start, DataType::FLOAT16), b.op("Div", {whole, start})};
}

std::map<TensorId, HostTensor> hyperParameters(const ir::Graph &graph, const Optimizer &optimizer,
                                               const Context &context) {
  Typed variables;
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    if (const auto &data = graph[Value{i}];
        data.kind == Kind::Variable && data.role == Role::HyperParameter)
      variables.emplace_back(data.name, data.info.dataType());
  return hyperParameters(variables, optimizer, context);
}

std::map<TensorId, HostTensor> hyperParameters(const Typed &variables, const Optimizer &optimizer,
                                               const Context &context) {
  std::map<TensorId, HostTensor> out;
  std::map<TensorId, Scalars> scalars; // by weight
  const auto value = [&](const TensorId &weight, const std::string &name) {
    auto &known = scalars[weight];
    if (known.empty())
      known = scalarsOf(optimizer, weight, context);
    for (const auto &s : known)
      if (s.name == name)
        return s.value;
    throw internal_error("{} has no scalar {}.", optimizer.type_s(), name);
  };
  for (const auto &[id, type] : variables) {
    if (id.starts_with(lossScaling)) {
      out[id] = lossScaleOf(optimizer, type);
      continue;
    }
    const auto [scalar, weight] = scalarOf(optimizer, id);
    out[id] = HostTensor::scalar(type, value(weight, scalar));
  }
  return out;
}

std::map<TensorId, HostTensor> firstStates(const Optimizer &optimizer, const TensorId &weight,
                                           const HostTensor &value, const Context &context) {
  std::map<TensorId, HostTensor> out;
  const auto recipe = recipeOf(optimizer, weight, value.type(), context);
  for (const auto &state : recipe.states)
    out[state.prefix + weight] = firstOf(state, value, value.shape());
  if (!recipe.corrected.empty())
    out[stepPrefix + weight] = *firstStep(optimizer, stepPrefix + weight);
  return out;
}

std::vector<TensorId> stateIds(const Optimizer &optimizer, const TensorId &weight, DataType type,
                               const Context &context) {
  const auto recipe = recipeOf(optimizer, weight, type, context);
  std::vector<TensorId> out;
  for (const auto &state : recipe.states)
    out.push_back(state.prefix + weight);
  if (!recipe.corrected.empty())
    out.push_back(stepPrefix + weight);
  return out;
}

std::optional<HostTensor> firstStep(const Optimizer &optimizer, const TensorId &variable) {
  if (variable.rfind(stepPrefix, 0) != 0)
    return std::nullopt;
  const auto *adam = dynamic_cast<const Adam *>(&optimizer);
  const auto weight = variable.substr(std::string(stepPrefix).size());
  return HostTensor::scalar(DataType::FLOAT, adam ? double(adam->getStep(weight)) : 0);
}

} // namespace popart::optimizer
