// SPDX-License-Identifier: MIT
// Several convolutions at once. With planType "parallel" the largest gets all tiles but a reserve
// for the others; each other gets the fewest tiles that let it finish no later than the largest
// (or so much later as cycleBackOff allows); then their supersteps run side by side. On the host
// they are computed one after the other: the first operation bears the common plan.
#include "poplin/MultiConvolution.hpp"
#include "base/Text.hpp"
#include "conv/Operands.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include <algorithm>
#include <numeric>

namespace poputil {

using poplar::ProfileValue;
using namespace poplin::multiconv;

template <> ProfileValue toProfileValue(const ConvolutionArgs &a) {
  return ProfileValue::Map{{"inputs", toProfileValue(a.inputs)},
                           {"weights", toProfileValue(a.weights)},
                           {"params", toProfileValue(a.params)},
                           {"options", toProfileValue(a.options)}};
}
template <> ProfileValue toProfileValue(const CalculateWeightDeltasArgs &a) {
  return ProfileValue::Map{{"zDeltas", toProfileValue(a.zDeltas)},
                           {"activations", toProfileValue(a.activations)},
                           {"params", toProfileValue(a.params)},
                           {"options", toProfileValue(a.options)}};
}
template <class Args> static ProfileValue updateValue(const Args &a) {
  return ProfileValue::Map{
      {"zDeltas", toProfileValue(a.zDeltas)},         {"weights", toProfileValue(a.weights)},
      {"activations", toProfileValue(a.activations)}, {"scale", toProfileValue(a.scale)},
      {"params", toProfileValue(a.params)},           {"options", toProfileValue(a.options)}};
}
template <> ProfileValue toProfileValue(const ConvWeightUpdateArgsScalar &a) {
  return updateValue(a);
}
template <> ProfileValue toProfileValue(const ConvWeightUpdateArgs &a) { return updateValue(a); }

} // namespace poputil

namespace poplin::multiconv {

using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;

namespace {

struct Options {
  bool parallel = true;
  unsigned reserved = 50;
  double backOff = 0.1;
};

Options parse(const OptionFlags &flags) {
  Options o;
  const std::map<std::string, bool> types{{"parallel", true}, {"serial", false}};
  const poplibs::OptionSpec spec{
      {"planType", poplibs::OptionHandler::createWithEnum(o.parallel, types)},
      {"perConvReservedTiles", poplibs::OptionHandler::createWithInteger(o.reserved)},
      {"cycleBackOff", poplibs::OptionHandler::createWithDouble(o.backOff, 0)}};
  for (const auto &[name, value] : flags)
    spec.parse(name, value);
  return o;
}

struct Problem {
  ConvParams params;
  ConvOptions options;
  bool empty = false;
};

// Consecutive tiles for one convolution.
struct Share {
  unsigned first = 0, tiles = 0;
};

conv::Planned planOn(Graph &graph, const Problem &p, unsigned first, unsigned tiles,
                     PlanningCache *cache) {
  auto part = graph.createVirtualGraph(first, first + tiles);
  return conv::Planned("multiconv", part.getTarget(), p.params, p.options, cache);
}
std::uint64_t cyclesOn(Graph &graph, const Problem &p, unsigned tiles, PlanningCache *cache) {
  auto planned = planOn(graph, p, 0, tiles, cache);
  return planned.empty ? 0 : planned.plan.cycles;
}

// The fewest tiles, at most `most`, on which a convolution takes at most `limit` cycles; 0 if none.
unsigned fewestTiles(Graph &graph, const Problem &p, unsigned most, double limit,
                     PlanningCache *cache) {
  if (most == 0 || double(cyclesOn(graph, p, most, cache)) > limit)
    return 0;
  unsigned low = 1, high = most;
  while (low < high) {
    auto middle = (low + high) / 2;
    if (double(cyclesOn(graph, p, middle, cache)) <= limit)
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

// Tries limits that grow until all fit beside the largest.
std::vector<Share> shareTiles(Graph &graph, const std::vector<Problem> &problems,
                              const Options &options, PlanningCache *cache) {
  auto tiles = graph.getTarget().getNumTiles();
  std::vector<std::uint64_t> alone;
  for (const auto &p : problems)
    alone.push_back(cyclesOn(graph, p, tiles, cache));
  std::vector<std::size_t> bySize(problems.size());
  std::iota(bySize.begin(), bySize.end(), 0u);
  std::stable_sort(bySize.begin(), bySize.end(),
                   [&](auto a, auto b) { return alone[a] > alone[b]; });
  auto others = unsigned(problems.size() - 1);
  auto reserve =
      std::min(tiles > others ? tiles / 2 : 0u, std::max(options.reserved * others, others));
  std::vector<Share> shares(problems.size());
  auto reference = double(cyclesOn(graph, problems[bySize[0]], tiles - reserve, cache));
  for (double slack = 1;; slack += std::max(options.backOff, 0.01)) {
    unsigned next = tiles - reserve;
    bool all = true;
    for (std::size_t i = 1; i < bySize.size() && all; ++i) {
      auto count = fewestTiles(graph, problems[bySize[i]], tiles - next, reference * slack, cache);
      all = count > 0;
      shares[bySize[i]] = {next, count};
      next += count;
    }
    if (all) {
      shares[bySize[0]] = {0, tiles - reserve};
      return shares;
    }
    // Convolutions that cannot share in reason run one after the other.
    if (slack > 16)
      return {};
  }
}

// Which kind of vertex of `to` has this name; a new one if none has.
std::uint32_t kindOf(openipu::Superstep &to, const std::string &vertex) {
  if (vertex == to.vertex)
    return 0;
  auto &others = to.otherVertices;
  const auto at = std::find(others.begin(), others.end(), vertex);
  const auto kind = std::uint32_t(at - others.begin()) + 1;
  if (at == others.end())
    others.push_back(vertex);
  return kind;
}

// Superstep i of all plans at once. Each plan's tiles count from its first tile.
openipu::Plan sideBySide(const std::vector<openipu::Plan> &plans,
                         const std::vector<Share> &shares) {
  openipu::Plan merged;
  for (std::size_t i = 0; i < plans.size(); ++i)
    for (std::size_t s = 0; s < plans[i].steps.size(); ++s) {
      auto step = plans[i].steps[s];
      for (auto &work : step.tiles)
        work.tile += shares[i].first;
      for (auto &crossing : step.crossings) {
        crossing.fromTile += shares[i].first;
        crossing.toTile += shares[i].first;
      }
      // Repeated supersteps of different convolutions keep their own length.
      if (s < merged.steps.size() && merged.steps[s].repeats == step.repeats) {
        auto &to = merged.steps[s];
        for (auto &work : step.tiles)
          work.kind = kindOf(to, step.vertexOf(work));
        to.tiles.insert(to.tiles.end(), step.tiles.begin(), step.tiles.end());
        to.crossings.insert(to.crossings.end(), step.crossings.begin(), step.crossings.end());
        to.flops += step.flops;
      } else {
        merged.steps.insert(merged.steps.begin() + std::min(s, merged.steps.size()), step);
      }
    }
  for (auto &step : merged.steps)
    std::sort(step.tiles.begin(), step.tiles.end(),
              [](const auto &a, const auto &b) { return a.tile < b.tile; });
  return merged;
}

// One plan per convolution; side by side, the first is that of all and the others are empty.
struct Plans {
  bool sideBySide;
  std::vector<openipu::Plan> each;
};

Plans plansOf(Graph &graph, const std::vector<Problem> &problems, const Options &options,
              PlanningCache *cache) {
  auto tiles = graph.getTarget().getNumTiles();
  std::vector<Share> shares;
  if (options.parallel && problems.size() > 1 && tiles > problems.size())
    shares = shareTiles(graph, problems, options, cache);
  bool parallel = !shares.empty();
  shares.resize(problems.size(), {0, tiles});
  std::vector<openipu::Plan> plans;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    auto part = graph.createVirtualGraph(shares[i].first, shares[i].first + shares[i].tiles);
    plans.push_back(planOn(graph, problems[i], shares[i].first, shares[i].tiles, cache)
                        .steps(part.getTarget()));
  }
  if (parallel) {
    auto merged = sideBySide(plans, shares);
    plans.assign(problems.size(), {});
    plans[0] = std::move(merged);
  }
  return {parallel, std::move(plans)};
}

// Behind the gradients: all weights at once if the gradients are.
void addUpdates(Graph &graph, const std::vector<Problem> &problems,
                const std::vector<Tensor> &weights, Plans &plans) {
  std::map<poplar::Type, std::vector<Tensor>> byType;
  for (std::size_t i = 0; i < problems.size(); ++i)
    if (!problems[i].empty && plans.sideBySide)
      byType[weights[i].elementType()].push_back(weights[i].flatten());
    else if (!problems[i].empty)
      plans.each[i].add(conv::updateStep(graph, weights[i]));
  for (const auto &[type, tensors] : byType)
    plans.each[0].add(conv::updateStep(graph, poplar::concat(tensors)));
}

template <class Args> std::vector<Problem> problemsOf(const std::vector<Args> &args) {
  std::vector<Problem> problems;
  for (const auto &a : args)
    problems.push_back({a.params, parseConvOptions(a.options), false});
  return problems;
}

template <class Args>
std::vector<Problem> gradientsOf(Graph &graph, const std::vector<Args> &args) {
  std::vector<Problem> problems;
  for (const auto &a : args) {
    auto planned = conv::plannedWeightGradient("multiconv::calculateWeightDeltas",
                                               graph.getTarget(), a.params, a.options, nullptr);
    problems.push_back({planned.params, planned.options, planned.empty});
  }
  return problems;
}

const CreateTensorArgs &at(const std::vector<CreateTensorArgs> &args, unsigned index) {
  if (index >= args.size())
    throw poputil::poplibs_error(base::str("poplin::multiconv: tensor ", index, " of ", args.size(),
                                           " convolutions was asked for."));
  return args[index];
}

conv::Update updateOf(const ConvWeightUpdateArgsScalar &args) {
  return {true, args.scale, nullptr};
}
conv::Update updateOf(const ConvWeightUpdateArgs &args) { return {true, 1, &args.scale}; }

template <class Args>
void updateAll(Graph &graph, const std::vector<Args> &args, Sequence &prog,
               const poplar::DebugContext &debugContext, const OptionFlags &options,
               PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(args, options));
  const char *name = "multiconv::convolutionWeightUpdate";
  std::vector<Tensor> weights;
  for (const auto &a : args) {
    conv::checkWeightGradient(name, a.zDeltas, a.activations, a.params);
    conv::checkWeights(name, a.weights, a.params);
    conv::checkScale(name, updateOf(a));
    weights.push_back(a.weights);
  }
  const auto problems = gradientsOf(graph, args);
  auto plans = plansOf(graph, problems, parse(options), cache);
  addUpdates(graph, problems, weights, plans);
  for (std::size_t i = 0; i < args.size(); ++i) {
    auto update = updateOf(args[i]);
    update.nearest = parseConvOptions(args[i].options).disableSRForAMPVertices;
    conv::addWeightGradient(graph, args[i].zDeltas, args[i].activations, args[i].weights,
                            args[i].params, update, std::move(plans.each[i]), prog,
                            {di, std::to_string(i)});
  }
}

} // namespace

Tensor createWeights(Graph &graph, const std::vector<CreateTensorArgs> &args, unsigned index,
                     const OptionFlags &options, PlanningCache *cache) {
  parse(options);
  const auto &a = at(args, index);
  return poplin::createWeights(graph, a.params, a.name, a.options, cache);
}

Tensor createInput(Graph &graph, const std::vector<CreateTensorArgs> &args, unsigned index,
                   const OptionFlags &options, PlanningCache *cache) {
  parse(options);
  const auto &a = at(args, index);
  return poplin::createInput(graph, a.params, a.name, a.options, cache);
}

std::vector<Tensor> convolution(Graph &graph, const std::vector<ConvolutionArgs> &args,
                                bool transposeAndFlipWeights, Sequence &prog,
                                const poplar::DebugContext &debugContext,
                                const OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(args, transposeAndFlipWeights, options));
  const char *name = "multiconv::convolution";
  std::vector<Tensor> weights, outputs;
  for (const auto &a : args) {
    conv::checkInput(name, a.inputs, a.params);
    bool flip = transposeAndFlipWeights && a.weights.rank() >= 3;
    weights.push_back(flip ? conv::transposedAndFlipped(a.weights) : a.weights);
    conv::checkWeights(name, weights.back(), a.params);
  }
  auto plans = plansOf(graph, problemsOf(args), parse(options), cache).each;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto &a = args[i];
    conv::Planned planned(name, graph.getTarget(), a.params, a.options, cache);
    outputs.push_back(planned.makeOutput(graph,
                                         conv::storageFor(graph.getTarget(), a.params, a.inputs),
                                         {di, "out" + std::to_string(i)}));
    if (transposeAndFlipWeights && !planned.empty)
      plans[i].steps.insert(plans[i].steps.begin(), conv::transposeStep(graph, a.weights));
    conv::addConvolution(graph, a.inputs, weights[i], outputs[i], a.params, std::move(plans[i]),
                         prog, {di, std::to_string(i)},
                         roundsToNearest(planned.options, planned.plan));
  }
  return outputs;
}

void weightsTransposeChansFlipXY(Graph &graph, std::vector<ConvolutionArgs> &args,
                                 const std::vector<Tensor> &weightsIn, Sequence &prog,
                                 const OptionFlags &options,
                                 const poplar::DebugContext &debugContext, PlanningCache *) {
  parse(options);
  if (args.size() != weightsIn.size())
    throw poputil::poplibs_error(
        base::str("poplin::multiconv::weightsTransposeChansFlipXY: ", args.size(),
                  " convolutions, but ", weightsIn.size(), " weights."));
  for (std::size_t i = 0; i < args.size(); ++i)
    poplin::weightsTransposeChansFlipXY(graph, weightsIn[i], args[i].weights, prog,
                                        {debugContext, std::to_string(i)}, args[i].options);
}

std::vector<Tensor> calculateWeightDeltas(Graph &graph,
                                          const std::vector<CalculateWeightDeltasArgs> &args,
                                          Sequence &prog, const poplar::DebugContext &debugContext,
                                          const OptionFlags &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(args, options));
  for (const auto &a : args)
    conv::checkWeightGradient("multiconv::calculateWeightDeltas", a.zDeltas, a.activations,
                              a.params);
  auto plans = plansOf(graph, gradientsOf(graph, args), parse(options), cache).each;
  std::vector<Tensor> deltas;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto &a = args[i];
    deltas.push_back(
        conv::makeDeltas(graph, a.params, a.options, cache, {di, "deltas" + std::to_string(i)}));
    conv::Update update;
    update.nearest = parseConvOptions(a.options).disableSRForAMPVertices;
    conv::addWeightGradient(graph, a.zDeltas, a.activations, deltas[i], a.params, update,
                            std::move(plans[i]), prog, {di, std::to_string(i)});
  }
  return deltas;
}

void convolutionWeightUpdate(Graph &graph, const std::vector<ConvWeightUpdateArgs> &args,
                             Sequence &prog, const poplar::DebugContext &debugContext,
                             const OptionFlags &options, PlanningCache *cache) {
  updateAll(graph, args, prog, debugContext, options, cache);
}
void convolutionWeightUpdate(Graph &graph, const std::vector<ConvWeightUpdateArgsScalar> &args,
                             Sequence &prog, const poplar::DebugContext &debugContext,
                             const OptionFlags &options, PlanningCache *cache) {
  updateAll(graph, args, prog, debugContext, options, cache);
}

} // namespace poplin::multiconv
