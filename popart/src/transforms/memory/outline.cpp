// SPDX-License-Identifier: MIT
#include "transforms/memory/outline.hpp"

#include "analysis/repeats.hpp"
#include "analysis/signatures.hpp"
#include "analysis/storage.hpp"
#include "ir/held.hpp"
#include "opdef/opdef.hpp"
#include <algorithm>
#include <map>
#include <numeric>
#include <queue>

namespace popart::transforms {

using analysis::findRepeats;
using analysis::isView;
using analysis::Repeat;
using analysis::signatures;
using analysis::storageOf;
using analysis::writtenInputs;
using ir::Call;
using ir::Graph;
using ir::Kind;
using ir::Node;
using ir::none;
using ir::Value;

namespace {

constexpr double highValue = 1000, lowValue = 0.1;
constexpr double bytesPerValue = 6000; // four bytes on each of some 1500 tiles
constexpr double copyShare = 0.1;      // of copying against holding a byte
constexpr std::size_t mostCandidates = 4000, mostTrials = 4000;
constexpr std::size_t mostCompared = 10'000'000; // nodes in all trials: about a second

bool communicates(const Node &node) { return node.def->collective; }

double valueOf(const Graph &graph, const Node &node) {
  if (isView(node))
    return 0;
  const bool number = std::all_of(node.outputs.begin(), node.outputs.end(),
                                  [&](Value v) { return v == none || graph[v].info.nelms() <= 1; });
  const bool simple = node.def->expr || node.def->updates >= 0 || number || node.def->fused;
  return simple ? lowValue : highValue;
}

// Nodes that stay where they are: they touch the world, other IPUs or the pipeline's buffers.
bool staysOut(const Node &node, const std::set<Value> &kept) {
  return node.def->sideEffect || node.def->crosses ||
         std::any_of(node.outputs.begin(), node.outputs.end(),
                     [&](Value v) { return kept.count(v) != 0; });
}

class Outliner {
public:
  Outliner(const Graph &graph, const std::set<Value> &kept, const SessionOptions &options)
      : graph_(graph), options_(options), links_(graph), storage_(storageOf(graph)),
        free_(graph.nodes.size(), true), value_(graph.nodes.size() + 1, 0),
        turns_(graph.nodes.size() + 1, 0) {
    symbols_ = signatures(graph);
    std::uint32_t own = graph.nodes.size();
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
      const Node &node = graph.nodes[n];
      value_[n + 1] = value_[n] + valueOf(graph, node);
      turns_[n + 1] = turns_[n] + (n && !sameContext(node, graph.nodes[n - 1]));
      if (staysOut(node, kept))
        symbols_[n] = own++;
    }
  }

  ir::Calls run() {
    std::priority_queue<Trial> trials;
    for (auto &repeat : findRepeats(symbols_, mostCandidates))
      if (auto trial = estimate(std::move(repeat)); pays(trial.worth))
        trials.push(std::move(trial));
    std::size_t tried = 0, compared = 0;
    while (!trials.empty() && tried++ < mostTrials && compared < mostCompared) {
      auto trial = trials.top();
      trials.pop();
      const auto group = alike(trial.repeat);
      compared += trial.repeat.places.size() + group.size() * trial.repeat.length;
      const double worth = group.size() < 2 ? -1 : weigh(trial.repeat.length, group);
      if (group.size() < 2 || !pays(worth))
        continue;
      if (!trials.empty() && worth < trials.top().worth && worth < trial.worth) {
        trial.worth = worth;
        trials.push(std::move(trial));
        continue;
      }
      accept(trial.repeat.length, group);
      trials.push(std::move(trial)); // other places may be alike among themselves
    }
    std::sort(calls_.begin(), calls_.end(),
              [](const Call &a, const Call &b) { return a.begin < b.begin; });
    return std::move(calls_);
  }

private:
  struct Trial {
    double worth;
    Repeat repeat;
    bool operator<(const Trial &o) const {
      if (worth != o.worth)
        return worth < o.worth;
      if (repeat.length != o.repeat.length)
        return repeat.length > o.repeat.length;
      return repeat.places.front() > o.repeat.places.front();
    }
  };
  using Places = std::vector<std::uint32_t>;

  static bool sameContext(const Node &a, const Node &b) {
    return a.settings.virtualGraph == b.settings.virtualGraph &&
           a.settings.pipelineStage == b.settings.pipelineStage &&
           (a.pass == ir::Pass::Update) == (b.pass == ir::Pass::Update);
  }
  bool pays(double worth) const {
    return options_.outlineThreshold < 0 || worth >= options_.outlineThreshold;
  }
  double valueIn(std::uint32_t begin, std::uint32_t length) const {
    return value_[begin + length] - value_[begin];
  }
  static bool within(int node, std::uint32_t begin, std::uint32_t length) {
    return node >= int(begin) && node < int(begin + length);
  }

  // ---- what would be gained

  double worthOf(std::uint32_t length, const Places &places, double bytes) const {
    const double calls = double(places.size());
    double worth = (calls - 1) * valueIn(places[0], length);
    if (options_.outlineThreshold < 0)
      return worth;
    if (options_.enableOutliningCopyCostPruning)
      worth -= bytes / bytesPerValue * (1 + copyShare * calls);
    for (auto p : places)
      worth -= options_.outlineSequenceBreakCost * (breaks(p) + breaks(p + length));
    return worth;
  }
  bool breaks(std::uint32_t at) const {
    return at > 0 && at < graph_.nodes.size() && communicates(graph_.nodes[at - 1]) &&
           communicates(graph_.nodes[at]);
  }
  Places apart(const Repeat &repeat) const {
    Places out;
    for (auto p : repeat.places) {
      const bool fits = (out.empty() || p >= out.back() + repeat.length) &&
                        turns_[p + repeat.length] == turns_[p + 1] &&
                        std::all_of(free_.begin() + p, free_.begin() + p + repeat.length,
                                    [](bool f) { return f; });
      if (fits)
        out.push_back(p);
    }
    return out;
  }
  // Quickly, from the first place alone.
  Trial estimate(Repeat repeat) const {
    const auto places = apart(repeat);
    if (places.size() < 2 || valueIn(places[0], repeat.length) == 0)
      return {options_.outlineThreshold < 0 ? 0.0 : -1e300, std::move(repeat)};
    std::set<Value> seen;
    double bytes = 0;
    for (auto n = places[0]; n < places[0] + repeat.length; ++n)
      for (Value v : graph_.nodes[n].inputs)
        if (v != none && graph_[v].kind != Kind::Constant && !graph_[v].offChip &&
            !within(links_.producer[v.value], places[0], repeat.length) && seen.insert(v).second)
          bytes += double(graph_[v].info.nbytes());
    return {worthOf(repeat.length, places, bytes), std::move(repeat)};
  }
  double weigh(std::uint32_t length, const Places &places) const {
    double bytes = 0;
    const auto arguments = argumentsOf(length, places);
    for (const auto &argument : arguments[0])
      bytes += double(graph_[argument.value].info.nbytes()) * (argument.in + argument.out);
    return worthOf(length, places, bytes);
  }

  // ---- what is the same

  // The first place that is left, and those that connect their nodes in the same way.
  Places alike(const Repeat &repeat) const {
    const auto places = apart(repeat);
    Places out;
    for (auto p : places)
      if (out.empty() || isSame(out[0], p, repeat.length))
        out.push_back(p);
    return out;
  }
  bool isSame(std::uint32_t p, std::uint32_t q, std::uint32_t length) const {
    std::map<Value, Value> there, back;
    for (std::uint32_t i = 0; i < length; ++i) {
      const Node &a = graph_.nodes[p + i], &b = graph_.nodes[q + i];
      for (std::size_t k = 0; k < a.inputs.size(); ++k)
        if (!sameInput(a.inputs[k], b.inputs[k], p, q, length, there, back))
          return false;
    }
    return true;
  }
  bool sameInput(Value a, Value b, std::uint32_t p, std::uint32_t q, std::uint32_t length,
                 std::map<Value, Value> &there, std::map<Value, Value> &back) const {
    if (a == none || b == none)
      return a == b;
    const int from = links_.producer[a.value], to = links_.producer[b.value];
    if (within(from, p, length) != within(to, q, length))
      return false;
    if (within(from, p, length))
      return from - int(p) == to - int(q) && outputOf(from, a) == outputOf(to, b);
    return there.emplace(a, b).first->second == b && back.emplace(b, a).first->second == a;
  }
  std::size_t outputOf(int node, Value v) const {
    const auto &outputs = graph_.nodes[std::size_t(node)].outputs;
    return std::size_t(std::find(outputs.begin(), outputs.end(), v) - outputs.begin());
  }

  // ---- arguments

  // Where a value enters a stretch or comes out of it.
  struct Slot {
    std::uint32_t node, index; // node's offset; input or output
    bool isOutput;
    Value of(const Graph &graph, std::uint32_t begin) const {
      const Node &n = graph.nodes[begin + node];
      return isOutput ? n.outputs[index] : n.inputs[index];
    }
  };

  // By place, in the same order everywhere.
  std::vector<std::vector<ir::Argument>> argumentsOf(std::uint32_t length,
                                                     const Places &places) const {
    std::vector<std::vector<ir::Argument>> out(places.size());
    std::map<Value, std::size_t> known; // by value of the first place
    for (std::uint32_t i = 0; i < length; ++i)
      addArguments(i, length, places, known, out);
    return out;
  }
  void addArguments(std::uint32_t i, std::uint32_t length, const Places &places,
                    std::map<Value, std::size_t> &known,
                    std::vector<std::vector<ir::Argument>> &out) const {
    const Node &node = graph_.nodes[places[0] + i];
    const auto written = writtenInputs(graph_, node);
    for (std::uint32_t k = 0; k < node.inputs.size(); ++k) {
      const Value v = node.inputs[k];
      if (v == none)
        continue;
      const bool writes = std::find(written.begin(), written.end(), k) != written.end();
      if (auto at = known.find(storage_[v.value]); at != known.end() && !known.count(v))
        touch(out, at->second, i); // through a view
      if (!within(links_.producer[v.value], places[0], length) && differs({i, k, false}, places))
        note({i, k, false}, true, writes, places, known, out);
    }
    for (std::uint32_t k = 0; k < node.outputs.size(); ++k) {
      const Value v = node.outputs[k];
      if (v == none)
        continue;
      const Value root = storage_[v.value];
      const bool inside = within(links_.producer[root.value], places[0], length);
      if (inside && root == v && leaves({i, k, true}, length, places))
        note({i, k, true}, false, true, places, known, out);
    }
  }
  bool differs(const Slot &slot, const Places &places) const {
    const Value first = slot.of(graph_, places[0]);
    if (graph_[first].offChip)
      return false; // the code is told where in memory beside the chip it lies
    if (graph_[first].kind == Kind::Constant && !ir::isHeld(graph_[first]))
      return false; // part of the code
    return std::any_of(places.begin(), places.end(),
                       [&](auto p) { return slot.of(graph_, p) != first; });
  }
  // Whether its memory is read behind the end, in any of the places.
  bool leaves(const Slot &slot, std::uint32_t length, const Places &places) const {
    return std::any_of(places.begin(), places.end(), [&](std::uint32_t p) {
      const Value v = slot.of(graph_, p);
      return v != none && usedBehind(v, p + length);
    });
  }
  bool usedBehind(Value v, std::uint32_t end) const {
    for (unsigned user : links_.consumers[v.value]) {
      if (user >= end)
        return true;
      for (Value out : graph_.nodes[user].outputs)
        if (out != none && storage_[out.value] == storage_[v.value] && out != v &&
            usedBehind(out, end))
          return true;
    }
    return false;
  }
  void note(const Slot &slot, bool in, bool outs, const Places &places,
            std::map<Value, std::size_t> &known,
            std::vector<std::vector<ir::Argument>> &out) const {
    const Value v = slot.of(graph_, places[0]);
    const auto [at, fresh] = known.emplace(v, out[0].size());
    for (std::size_t p = 0; p < places.size(); ++p) {
      if (fresh)
        out[p].push_back({slot.of(graph_, places[p]), false, false, slot.node, slot.node});
      auto &argument = out[p][at->second];
      argument.in = argument.in || in;
      argument.out = argument.out || outs;
    }
    touch(out, at->second, slot.node);
  }
  static void touch(std::vector<std::vector<ir::Argument>> &out, std::size_t argument,
                    std::uint32_t node) {
    for (auto &place : out)
      place[argument].last = std::max(place[argument].last, node);
  }

  void accept(std::uint32_t length, const Places &places) {
    auto arguments = argumentsOf(length, places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      calls_.push_back({functions_, places[i], places[i] + length, std::move(arguments[i])});
      std::fill(free_.begin() + places[i], free_.begin() + places[i] + length, false);
    }
    ++functions_;
  }

  const Graph &graph_;
  const SessionOptions &options_;
  ir::Links links_;
  std::vector<Value> storage_;
  std::vector<std::uint32_t> symbols_;
  std::vector<bool> free_;           // by node: in no call yet
  std::vector<double> value_;        // sums over the nodes before
  std::vector<std::uint32_t> turns_; // changes of IPU, stage or pass up to a node
  ir::Calls calls_;
  std::uint32_t functions_ = 0;
};

} // namespace

ir::Calls outline(const Graph &graph, const std::set<Value> &kept, const SessionOptions &options) {
  return Outliner(graph, kept, options).run();
}

} // namespace popart::transforms
