// SPDX-License-Identifier: MIT
#include "transforms/memory/movevariables.hpp"

#include "opdef/graphbuilder.hpp"
#include "transforms/memory/shards.hpp"
#include <tuple>

namespace popart::transforms {

using analysis::Location;
using analysis::Locations;
using ir::Graph;
using ir::Kind;
using ir::Node;
using ir::none;
using ir::Value;

namespace {

// Nodes that run in one go on one IPU and may share what was loaded for them.
using Region = std::tuple<ir::Pass, std::int64_t, std::int64_t>;

class Mover {
public:
  Mover(Graph &graph, const Locations &locations, const std::set<Value> &onChip)
      : graph_(graph), locations_(locations), onChip_(onChip), b_(graph, nodes_) {}

  void run(const std::map<TensorId, Value> &anchors) {
    findPlaces(anchors);
    if (shards_.empty() && !anyOffChip_)
      return;
    findLastWrites();
    for (auto &node : graph_.nodes)
      rewrite(std::move(node));
    graph_.nodes = std::move(nodes_);
  }

private:
  // ---- what is where

  void findPlaces(const std::map<TensorId, Value> &anchors) {
    std::set<Value> assigned, used;
    for (const auto &node : graph_.nodes)
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i] != none) {
          used.insert(node.inputs[i]);
          if (writes(node, i))
            assigned.insert(node.inputs[i]);
        }
    for (const auto &[id, v] : anchors)
      used.insert(v);
    for (std::uint32_t i = 0; i < graph_.size(); ++i) // the shards that updates work on
      if (const Value whole = graph_[Value{i}].shardOf; whole != none)
        shards_[whole] = Value{i};
    const auto before = graph_.size();
    for (std::uint32_t i = 0; i < before; ++i)
      findPlace(Value{i}, used.count(Value{i}), assigned.count(Value{i}));
  }
  void findPlace(Value v, bool isUsed, bool isAssigned) {
    anyOffChip_ |= graph_[v].offChip; // an activation
    if (graph_[v].offChip)
      return;
    if (graph_[v].kind != Kind::Variable || onChip_.count(v) || !isUsed)
      return;
    const Value whole = graph_[v].shardOf == none ? v : graph_[v].shardOf;
    const auto location = locations_.of(graph_, whole);
    if (location.sharded)
      domains_[whole] = location.domain;
    if (location.sharded && whole == v && !isAssigned && !shards_.count(v)) {
      shards_[v] = addShard(graph_, v, location, locations_.replicas());
      setOffChip(shards_[v], location);
    } else if (!shards_.count(v)) {
      setOffChip(v, location);
    }
  }
  void setOffChip(Value v, const Location &location) {
    graph_[v].offChip = location.offChip;
    graph_[v].ioTiles = location.ioTiles;
    anyOffChip_ |= location.offChip;
  }

  // Nodes that change variables give the new value of input i as output i.
  static bool writes(const Node &node, std::size_t i) {
    return node.def->updates >= 0 && i < node.outputs.size();
  }

  // ---- where it is loaded and stored

  static Region regionOf(const Node &node) {
    const auto &s = node.settings;
    const auto source = node.def->crosses ? node.attributes.find<std::int64_t>("source")
                                          : std::nullopt; // it reads where the value is
    return {node.pass, source.value_or(s.virtualGraph.value_or(0)),
            node.pass == ir::Pass::Update ? 0
                                          : s.pipelineStage.value_or(s.executionPhase.value_or(0))};
  }
  // The variable beside the chip that a value is, or is the new value of.
  Value variableOf(Value v) const {
    if (v == none)
      return none;
    const auto it = origin_.find(v);
    if (it != origin_.end())
      return it->second.first;
    return graph_[v].kind == Kind::Variable && graph_[v].offChip ? v : none;
  }
  void findLastWrites() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto &node = graph_.nodes[n];
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (const Value v = variableOf(node.inputs[i]); v != none && writes(node, i)) {
          lastWrite_[{v, regionOf(node)}] = n;
          if (node.outputs[i] != none)
            origin_[node.outputs[i]] = {v, regionOf(node)};
        }
    }
  }

  void rewrite(Node node) {
    const auto region = regionOf(node);
    b_.pass = node.pass;
    b_.settings = node.settings;
    b_.settings.extra = {};
    if (node.settings.virtualGraph)
      b_.settings.virtualGraph = std::get<1>(region);
    if (const Value v = node.inputs.empty() ? none : node.inputs[0];
        node.def->assigns && variableOf(v) == v && v != none)
      assign(std::move(node), v, region);
    else
      rewriteInputs(std::move(node), region);
    ++index_;
  }
  // The old value is not needed to store a new one.
  void assign(Node node, Value v, const Region &region) {
    node.inputs[1] = here(node.inputs[1], region);
    node.def = &ops::opOf("RemoteStore");
    node.attributes.set("ioTiles", std::int64_t(graph_[v].ioTiles));
    nodes_.push_back(std::move(node));
    std::erase_if(loaded_, [&](const auto &entry) { return entry.first.first == v; });
  }
  void rewriteInputs(Node node, const Region &region) {
    const ir::Values before = node.inputs;
    for (auto &in : node.inputs)
      if (in != none)
        in = here(in, region);
    const auto written = node.def->updates >= 0 ? node.outputs : ir::Values();
    const auto after = node.inputs;
    nodes_.push_back(std::move(node));
    for (std::size_t i = 0; i < written.size(); ++i)
      noteWrite(before[i], written[i] == none ? after[i] : written[i], region);
  }
  void noteWrite(Value before, Value value, const Region &region) {
    const Value v = variableOf(before);
    if (v != none && lastWrite_.at({v, region}) == index_)
      store(v, value);
    const Value changed = v == none ? before : v;
    const Value whole = graph_[changed].shardOf;
    std::erase_if(loaded_, [&](const auto &entry) {
      const auto &[what, where] = entry.first;
      return (what == changed && where != region) || (whole != none && what == whole);
    });
  }
  void store(Value v, Value value) {
    b_.settings.name = "remoteStore/" + graph_[v].name;
    b_.op("RemoteStore", {v, value}, over(v));
  }

  ir::Attributes over(Value v) const {
    ir::Attributes out;
    out.set("ioTiles", std::int64_t(graph_[v].ioTiles));
    return out;
  }

  // The value itself, or what it is loaded or gathered to in this region.
  Value here(Value v, const Region &region) {
    if (const auto it = shards_.find(v); it != shards_.end())
      return gathered(v, it->second, region);
    const Value variable = variableOf(v);
    if (variable == none)
      return v;
    const auto it = origin_.find(v);
    if (it != origin_.end() && it->second.second == region)
      return v; // a new value, still on the tiles
    return loaded(variable, region);
  }
  Value loaded(Value variable, const Region &region) {
    const auto [at, fresh] = loaded_.try_emplace({variable, region}, none);
    if (fresh)
      at->second = named("RemoteLoad", "remoteLoad/", variable, {variable}, over(variable));
    return at->second;
  }
  Value gathered(Value whole, Value shard, const Region &region) {
    const auto [at, fresh] = loaded_.try_emplace({whole, region}, none);
    if (!fresh)
      return at->second;
    const Value part = graph_[shard].offChip ? loaded(shard, region) : shard;
    auto attributes = shardAttributes(domains_.at(whole), locations_.replicas());
    attributes.set("shape", graph_[whole].info.shape());
    return loaded_[{whole, region}] =
               named("ShardGather", "gather/", whole, {part}, std::move(attributes));
  }
  Value named(const char *op, const char *what, Value v, const ir::Values &inputs,
              ir::Attributes attributes) {
    const auto name = std::exchange(b_.settings.name, what + graph_[v].name);
    b_.prefix = graph_[v].name + "/";
    const Value out = b_.op(op, inputs, std::move(attributes));
    b_.settings.name = name;
    return out;
  }

  Graph &graph_;
  const Locations &locations_;
  const std::set<Value> &onChip_;
  std::vector<Node> nodes_;
  ops::GraphBuilder b_;
  bool anyOffChip_ = false;
  std::size_t index_ = 0;
  std::map<Value, Value> shards_;                    // of whole variables
  std::map<Value, CommGroup> domains_;               // likewise
  std::map<Value, std::pair<Value, Region>> origin_; // of new values: the variable, where made
  std::map<std::pair<Value, Region>, Value> loaded_;
  std::map<std::pair<Value, Region>, std::size_t> lastWrite_;
};

} // namespace

void moveVariables(Graph &graph, const Locations &locations, const std::set<Value> &onChip,
                   const std::map<TensorId, Value> &anchors) {
  locations.checkNames(graph);
  Mover(graph, locations, onChip).run(anchors);
}

} // namespace popart::transforms
