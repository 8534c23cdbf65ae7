// SPDX-License-Identifier: MIT
// Norm statistics: mean and 1 / sqrt(variance + eps) per channel, or per batch element and group.
//
// Host: one pass over memory, unit by unit where there are units (UnitNorms.hpp). Else each task
// shifts its elements by the mean of its first block (which is in cache), so sums of squares do not
// cancel; tasks are merged in double. Tiles: two reductions (sum; sum of squares, of centred values
// if stable), then InverseStdDeviation where the statistics lie.
#include "NormLoops.hpp"
#include "NormPlan.hpp"
#include "NormSpace.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Operation.hpp"
#include "poplin/Steps.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "UnitNorms.hpp"
#include <cmath>
#include <optional>

namespace poplin::norms {
namespace {

using openipu::KernelArgs;
using popops::expr::BinaryOpType;

// What is made of the sums.
enum class Want : std::uint8_t {
  InvStdDev,    // (mean, 1 / sqrt(var + eps))
  Power,        // (mean * scale, mean of squares * scale): parts of sums over replicas
  Mean,         // (mean * scale)
  CentredPower, // (mean of squares about a given mean * scale)
};

struct Settings {
  NormGroups groups;
  Want want;
  float eps, scale;
  bool unbiased;
};

std::string bytes(const Settings &s) {
  return startingWith(s.groups).put(s.want).put(s.eps).put(s.scale).put(s.unbiased).take();
}
Settings settings(std::string_view attributes) {
  openipu::AttributeReader in(attributes);
  Settings s;
  s.groups = readGroups(in);
  s.want = in.get<Want>();
  s.eps = in.get<float>();
  s.scale = in.get<float>();
  s.unbiased = in.get<bool>();
  return s;
}

// Count, mean and sum of squares about the mean of a set.
struct Moments {
  double count = 0, mean = 0, squares = 0;
  void merge(double otherCount, double otherMean, double otherSquares) {
    if (otherCount == 0)
      return;
    double all = count + otherCount, delta = otherMean - mean;
    squares += otherSquares + delta * delta * count * otherCount / all;
    mean += delta * otherCount / all;
    count = all;
  }
};

class Statistics {
public:
  explicit Statistics(const KernelArgs &args)
      : settings_(settings(args.attributes)), space_(settings_.groups, {&args.inputs[0]}, false),
        reduction_(space_, 0), sums_(reduction_) {
    const auto &x = args.inputs[0];
    if (settings_.want == Want::InvStdDev && Units::exist(settings_.groups, x.shape, x.strides)) {
      units_.emplace(settings_.groups, x, nullptr, settings_.eps, settings_.unbiased);
      return;
    }
    for (std::size_t task = 0; task < reduction_.tasks(); ++task)
      counts_.push_back(double(reduction_.elements(task)));
    moments_.resize(space_.keys[0]);
    result_.resize(space_.keys[0]);
  }

  void run(const KernelArgs &args) {
    rows::Data x(args.inputs[0]);
    if (units_) {
      units_->run({x, {}, nullptr, nullptr, false});
      storeVector(args.outputs[0], units_->mean.data());
      return storeVector(args.outputs[1], units_->invStdDev.data());
    }
    sums_.begin();
    reduction_.runTasks(
        [&](std::size_t task) { reduction_.byColumn() ? byColumn(x, task) : whole(x, task); });
    std::fill(moments_.begin(), moments_.end(), Moments{});
    sums_.merge([&](std::size_t key, std::size_t task, double mean, double squares) {
      moments_[key].merge(counts_[task], mean, squares);
    });
    finish(args);
  }

private:
  void whole(const rows::Data &x, std::size_t task) {
    double first = 0, second = 0;
    float shift = 0;
    reduction_.run(task, [&](const Block &block, bool isFirst) {
      auto in = read(x, space_, block, 0, 0);
      Shape2 shape{block.rows, block.n};
      if (isFirst)
        shift = float(momentsBlock(shape, {in.at, in.ld}, 0).first / double(block.rows * block.n));
      auto sums = momentsBlock(shape, {in.at, in.ld}, shift);
      first += sums.first;
      second += sums.second;
    });
    put(task, 0, shift, first, second);
  }

  void byColumn(const rows::Data &x, std::size_t task) {
    float *shift = rows::scratch(1, reduction_.width());
    double *first = sums_.clear(task), *second = sums_.second(task);
    std::size_t n = 0;
    reduction_.run(task, [&](const Block &block, bool isFirst) {
      auto in = read(x, space_, block, 0, 0);
      Shape2 shape{block.rows, n = block.n};
      if (isFirst)
        meansByColumn(shape, {in.at, in.ld}, shift);
      momentsByColumn(shape, {in.at, in.ld}, shift, first, second);
    });
    for (std::size_t i = 0; i < n; ++i)
      put(task, i, shift[i], first[i], second[i]);
  }

  // Sums about the shift become mean and squares about the mean.
  void put(std::size_t task, std::size_t i, float shift, double first, double second) {
    const double mean = first / counts_[task];
    sums_.first(task)[i] = double(shift) + mean;
    sums_.second(task)[i] = std::max(0.0, second - first * mean);
  }

  float deviation(const Moments &m) const {
    double n = settings_.unbiased && m.count > 1 ? m.count - 1 : m.count;
    double variance = n > 0 ? m.squares / n : 0;
    return float(1.0 / std::sqrt(variance + double(settings_.eps)));
  }

  void finish(const KernelArgs &args) {
    const float *about =
        settings_.want == Want::CentredPower ? rows::table(args.inputs[1], 8) : nullptr;
    double scale = double(settings_.scale);
    unsigned output = 0;
    if (settings_.want != Want::CentredPower)
      give(args.outputs[output++], [&](std::size_t i) {
        return float(moments_[i].mean * (settings_.want == Want::InvStdDev ? 1.0 : scale));
      });
    if (settings_.want == Want::InvStdDev)
      give(args.outputs[output], [&](std::size_t i) { return deviation(moments_[i]); });
    else if (settings_.want != Want::Mean)
      give(args.outputs[output], [&](std::size_t i) {
        const auto &m = moments_[i];
        double d = m.mean - (about ? double(about[i]) : 0.0);
        return float((m.count > 0 ? m.squares / m.count + d * d : 0.0) * scale);
      });
  }
  template <class Value> void give(const openipu::KernelOperand &to, Value &&value) {
    for (std::size_t i = 0; i < result_.size(); ++i)
      result_[i] = value(i);
    storeVector(to, result_.data());
  }

  Settings settings_;
  std::optional<UnitForward> units_; // where statistics of a part do not need the whole
  Space space_;
  Reduction reduction_;
  TaskSums sums_;
  std::vector<double> counts_;
  std::vector<Moments> moments_;
  std::vector<float> result_;
};

// From sums over replicas, (mean, power) or (mean, variance): the mean, and invStdDev.
void combine(const KernelArgs &args) {
  openipu::AttributeReader in(args.attributes);
  auto eps = double(in.get<float>()), correction = in.get<double>();
  bool centred = in.get<bool>();
  const float *mean = rows::table(args.inputs[0], 8), *power = rows::table(args.inputs[1], 9);
  storeVector(args.outputs[0], mean);
  float *to = rows::scratch(0, args.outputs[1].elements);
  for (std::size_t i = 0; i < args.outputs[1].elements; ++i) {
    double m = centred ? 0.0 : double(mean[i]);
    double variance = std::max(0.0, double(power[i]) - m * m) * correction;
    to[i] = float(1.0 / std::sqrt(variance + eps));
  }
  storeVector(args.outputs[1], to);
}

const openipu::Registered registered{
    openipu::stateful<Statistics>("poplin.norm.statistics", openipu::alwaysGivesFloats)};
const openipu::Registered registeredCombine{
    {"poplin.norm.invStdDev", combine, {}, {}, nullptr, openipu::alwaysGivesFloats}};

openipu::Plan reduceTo(const poplar::Graph &graph, const poplar::Tensor &acts, NormGroups groups,
                       const poplar::Tensor &out, popops::Operation op, const char *name,
                       const poplar::Type &partials, unsigned alike = 1) {
  auto r = reducible(acts, groups, Key::Statistic);
  popops::cost::ReduceTypes types;
  types.alike = alike;
  types.interTile = types.inVertex = partials;
  types.scale = true;
  return popops::cost::reducePlan(graph, r.view, out.reshape(r.kept), r.dims, op, name, types);
}

openipu::Superstep invStdDevStep(const poplar::Graph &graph, const poplar::Tensor &isd,
                                 bool stable) {
  auto type = isd.elementType();
  const auto &chip = openipu::chipOf(graph);
  auto vertex = "poplin::InverseStdDeviation<" + type.toString() + "," + type.toString() + "," +
                type.toString() + "," + (stable ? "true" : "false") + ">";
  return elementStep(graph, isd, "InvStdDev", vertex,
                     [&](std::uint64_t n, std::uint32_t regions) {
                       return popops::cost::broadcastScalarCycles(
                           chip, BinaryOpType::VARIANCE_TO_INV_STD_DEV, type, n, false, regions);
                     },
                     {0, 2, {}});
}

} // namespace

poplar::Tensor makeStatistic(poplar::Graph &graph, const poplar::Tensor &acts, NormGroups groups,
                             const poplar::Type &type, const poplar::DebugContext &context) {
  auto r = reducible(acts, groups, Key::Statistic);
  return popops::cost::createReduceOutput(graph, r.view, type, r.dims, context).flatten();
}

openipu::Plan statisticsPlan(const poplar::Graph &graph, const poplar::Tensor &acts,
                             NormGroups groups, const poplar::Tensor &mean,
                             const poplar::Tensor &isd, const NormStatisticsOptions &options) {
  openipu::Plan plan;
  if (options.stable) {
    plan = reduceTo(graph, acts, groups, mean, popops::Operation::ADD, "Mean", options.partials);
    plan.add(broadcastStep(graph, acts, groups, Key::Statistic, BinaryOpType::SUBTRACT, "Centre",
                           mean, true));
    plan.append(reduceTo(graph, acts, groups, isd, popops::Operation::SQUARE_ADD, "Power",
                         options.partials));
  } else { // both at once
    plan = reduceTo(graph, acts, groups, isd, popops::Operation::SQUARE_ADD, "MeanAndPower",
                    options.partials, 2);
  }
  plan.add(invStdDevStep(graph, isd, options.stable));
  return plan;
}

std::pair<poplar::Tensor, poplar::Tensor>
statistics(poplar::Graph &graph, const poplar::Tensor &acts, NormGroups groups,
           const NormStatisticsOptions &options, poplar::program::Sequence &prog,
           const poplar::DebugContext &context, const std::string &api) {
  checkActs(acts, groups, api);
  checkPartials(options.partials, api);
  auto mean = makeStatistic(graph, acts, groups, acts.elementType(), {context, "mean"});
  auto isd = graph.clone(mean, {context, "invStdDev"});
  Settings settings{groups, Want::InvStdDev, options.eps, 1, options.unbiased};
  prog.add(openipu::operation(graph, {"poplin.norm.statistics",
                                      {openipu::out(mean), openipu::out(isd), openipu::in(acts)},
                                      bytes(settings),
                                      statisticsPlan(graph, acts, groups, mean, isd, options),
                                      {context, "normStatistics"}}));
  return {mean, isd};
}

// Each replica gives its share of the sums; the callback adds them.
std::pair<poplar::Tensor, poplar::Tensor>
statistics(poplar::Graph &graph, const poplar::Tensor &acts, const Distributed &distributed,
           const NormStatisticsOptions &options, poplar::program::Sequence &prog,
           const poplar::DebugContext &context, const std::string &api) {
  checkActs(acts, {}, api);
  checkPartials(options.partials, api);
  const unsigned replicas = replicasOf(distributed, acts, api);
  auto partials = options.partials;
  auto share = [&](Want want, std::vector<poplar::Tensor> outs, const poplar::Tensor &about) {
    std::vector<openipu::Used> uses;
    openipu::Plan plan;
    for (const auto &t : outs) {
      uses.push_back(openipu::out(t));
      bool square = want == Want::CentredPower || uses.size() == 2;
      plan.append(reduceTo(graph, acts, {}, t,
                           square ? popops::Operation::SQUARE_ADD : popops::Operation::ADD,
                           square ? "Power" : "Mean", partials));
    }
    uses.push_back(openipu::in(acts));
    if (about.valid())
      uses.push_back(openipu::in(about));
    Settings settings{{}, want, options.eps, 1.0f / float(replicas), false};
    prog.add(openipu::operation(graph, {"poplin.norm.statistics",
                                        uses,
                                        bytes(settings),
                                        std::move(plan),
                                        {context, "normStatistics"}}));
    return distributed.reduce(graph, outs, prog, replicas, {context, "reduce"}, {});
  };
  auto make = [&](const char *name) {
    return makeStatistic(graph, acts, {}, partials, {context, name});
  };
  std::vector<poplar::Tensor> sums;
  if (options.stable) {
    sums = share(Want::Mean, {make("mean")}, {});
    sums.push_back(share(Want::CentredPower, {make("power")}, sums[0]).at(0));
  } else {
    sums = share(Want::Power, {make("mean"), make("power")}, {});
  }
  auto mean = makeStatistic(graph, acts, {}, acts.elementType(), {context, "mean"});
  auto isd = graph.clone(mean, {context, "invStdDev"});
  double n = double(acts.numElements()) / double(std::max<std::size_t>(1, acts.dim(1))) * replicas;
  openipu::AttributeWriter attributes;
  attributes.put(options.eps)
      .put(options.unbiased && n > 1 ? n / (n - 1) : 1.0)
      .put(options.stable);
  openipu::Plan plan;
  plan.add(invStdDevStep(graph, isd, options.stable));
  prog.add(openipu::operation(graph, {"poplin.norm.invStdDev",
                                      {openipu::out(mean), openipu::out(isd),
                                       openipu::in(sums.at(0)), openipu::in(sums.at(1))},
                                      attributes.take(),
                                      std::move(plan),
                                      {context, "invStdDev"}}));
  return {mean, isd};
}

} // namespace poplin::norms
