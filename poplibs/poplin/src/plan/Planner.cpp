// SPDX-License-Identifier: MIT
// planConvolution: all transforms and vertex types that fit, the best partition of each, within the
// memory the options allow; and one plan for the three passes of a fully connected layer.
#include "base/OutputFile.hpp"
#include "base/Text.hpp"
#include "Ipus.hpp"
#include "openipu/Chip.hpp"
#include "openipu/LibraryLog.hpp"
#include "PlanningCache.hpp"
#include "poputil/exceptions.hpp"
#include "Search.hpp"
#include <algorithm>
#include <sstream>

namespace poplin {
namespace {

using base::str;

const base::Logger &log() { return openipu::libraryLog("poplin"); }

[[noreturn]] void fail(const std::string &text) { throw poputil::poplibs_error(text); }

void checkTypes(const ConvParams &p) {
  const auto isFloat = [](const poplar::Type &t) {
    return t == poplar::FLOAT || t == poplar::HALF || t == poplar::QUARTER;
  };
  if (!isFloat(p.inputType) || !isFloat(p.outputType))
    fail(str("A convolution takes half, float or quarter, not ", p.inputType, " inputs and ",
             p.outputType, " outputs"));
  if (p.inputType == poplar::QUARTER && p.outputType != poplar::HALF)
    fail(str("A convolution of quarter inputs has half outputs, not ", p.outputType));
}

} // namespace

ConvOptions withWidePartials(const ConvParams &p, ConvOptions o) {
  if (p.inputType == poplar::QUARTER) {
    o.partialsType = o.interTilePartialsType = o.interIpuPartialsType = poplar::HALF;
    return o;
  }
  if (p.inputType == poplar::FLOAT || p.outputType == poplar::FLOAT)
    o.partialsType = o.interTilePartialsType = o.interIpuPartialsType = poplar::FLOAT;
  return o;
}

Problem withUnits(const poplar::Target &target, Problem problem) {
  if (problem.input == poplar::QUARTER &&
      target.getNumConvUnits(poplar::QUARTER, poplar::HALF) == 0)
    problem.input = poplar::HALF;
  return problem;
}

namespace {

void checkDims(const std::optional<std::vector<unsigned>> &dims, const Problem &p) {
  for (auto d : dims.value_or(std::vector<unsigned>()))
    if (d >= p.dims.size())
      throw poplar::invalid_option(
          str("Invalid value for option 'planConstraints': field dimension ", d,
              " of a convolution with ", p.dims.size()));
}

struct Planner {
  const poplar::Target &target;
  const ConvOptions &options;
  const Constraints constraints;
  const Machine machine{target};

  // Over all IPUs, or over one.
  Found best(const Problem &problem, const Objective &objective) const {
    Found found;
    for (const auto &split : ipuSplitsFor(problem, target.getNumIPUs(), constraints)) {
      const auto between = betweenIpus(machine, problem, split, options.interIpuPartialsType)
                               .cycles(target, machine);
      if (found.valid && !objective.leastMemory && between >= found.cost.cycles)
        continue;
      auto share = bestOnIpu(shareOf(problem, split, options.interIpuPartialsType), objective);
      share.cost.cycles += between;
      share.ipus = split;
      if (share.valid && (!found.valid || objective.better(share.cost, found.cost)))
        found = std::move(share);
    }
    return found;
  }

  Found bestOnIpu(const Problem &problem, const Objective &objective) const {
    Plans plans;
    for (const auto &transform : transformsFor(problem, options, constraints)) {
      const auto p = transformed(problem, transform);
      for (const auto &variant : variantsFor(machine, target, p, options, constraints))
        if (transform.combineConvGroupsFactor == 1 || variant.method == Method::AMP)
          search(machine, asSeenBy(variant.method, p), options, constraints, transform, variant,
                 objective, nullptr, plans);
    }
    return plans.leanest();
  }

  // The bound is doubled while nothing fits, up to twice a tile's memory; then it is dropped.
  template <class Attempt> Found withinMemory(Attempt &&attempt) const {
    Objective objective;
    if (options.availableMemoryProportion == 0) {
      log().debug("Planning convolution that uses the least amount of temporary memory across ",
                  machine.tiles, " tiles.");
      objective.leastMemory = true;
      return attempt(objective);
    }
    double bound = options.availableMemoryProportion * machine.bytesPerTile;
    for (; bound < 2.0 * machine.bytesPerTile; bound *= 2) {
      objective.memoryBound = std::uint64_t(bound);
      log().debug("Planning convolution with a per-tile memory limit of ", objective.memoryBound,
                  " bytes across ", machine.tiles, " tiles.");
      if (auto found = attempt(objective); found.valid)
        return found;
      log().debug("No plan within ", objective.memoryBound, " bytes per tile.");
    }
    log().debug("Planning convolution without a memory limit across ", machine.tiles, " tiles.");
    objective.memoryBound = ~0ull;
    return attempt(objective);
  }

  Found plan(const Problem &problem) const {
    return withinMemory([&](const Objective &objective) { return best(problem, objective); });
  }
};

ConvPlan toPlan(const Found &found) {
  ConvPlan plan;
  const auto &v = found.variant;
  plan.method = v.method;
  plan.convGroupsPerGroup = v.convGroupsPerGroup;
  plan.inChansPerGroup = v.inChansPerGroup;
  plan.partialChansPerGroup = v.partialChansPerGroup;
  plan.convUnits = v.convUnits;
  plan.filterHeight = v.filterHeight;
  plan.convUnitChains = v.chains;
  plan.swapOperands = found.transform.swapOperands;
  plan.expandDims = found.transform.expandDims;
  plan.outChanFlattenDims = found.transform.outChanFlattenDims;
  plan.combineConvGroupsFactor = found.transform.combineConvGroupsFactor;
  plan.partition = found.partition;
  plan.ipus = found.ipus;
  plan.joint = found.joint;
  plan.cycles = found.cost.cycles;
  plan.tempBytes = found.cost.tempBytes;
  return plan;
}

// Nothing to compute: one tile.
ConvPlan emptyPlan(const ConvParams &params) {
  ConvPlan plan;
  plan.partition.fieldSplit.assign(std::max<std::size_t>(1, params.getNumFieldDims()), 1);
  plan.partition.kernelSplit = plan.partition.fieldSplit;
  return plan;
}

// The products that make up a fully connected layer's training step, from the forward one.
Problem backwardOf(Problem p) {
  std::swap(p.inChans, p.outChans);
  return p;
}
Problem updateOf(Problem p) {
  std::swap(p.batch, p.inChans);
  return p;
}
ConvPartition backwardOf(ConvPartition p) {
  std::swap(p.inChanSplit, p.outChanSplit);
  return p;
}
ConvPartition updateOf(ConvPartition p) {
  std::swap(p.batchSplit, p.inChanSplit.parallel);
  return p;
}

// A fully connected layer is trained with three products that share operands. Either one partition
// serves all of them and the weights stay where they are, or each has its own and the weights are
// transposed in between.
struct Layer {
  Layer(const Planner &planner, const Problem &forward)
      : planner(planner), forward(forward), backward(backwardOf(forward)),
        update(updateOf(forward)) {}

  const Planner &planner;
  const Problem forward, backward, update;
  Found joint, own[3];

  Cost costOf(const Problem &p, const Variant &v, const ConvPartition &split) const {
    return Candidate{planner.machine, p, planner.options, v, split}.cost();
  }
  Cost jointCost(const Variant &v, const ConvPartition &split) const {
    const auto first = costOf(forward, v, split);
    const auto second = costOf(backward, v, backwardOf(split));
    const auto third = costOf(update, v, updateOf(split));
    return {first.cycles + second.cycles + third.cycles,
            std::max({first.tempBytes, second.tempBytes, third.tempBytes})};
  }

  Found bestJoint(const Objective &objective) const {
    Plans plans;
    auto fixed = planner.constraints;
    fixed.inSerial = fixed.inSerial.value_or(1);
    fixed.outSerial = fixed.outSerial.value_or(1);
    const Evaluate evaluate = [&](const Variant &v, const ConvPartition &s) {
      return jointCost(v, s);
    };
    for (const auto &v :
         variantsFor(planner.machine, planner.target, forward, planner.options, fixed))
      if (v.method == Method::AMP && v.inChansPerGroup <= v.partialChansPerGroup)
        search(planner.machine, forward, planner.options, fixed, {}, v, objective, &evaluate,
               plans);
    return plans.leanest();
  }

  std::uint64_t transposeCycles() const {
    const auto bytes = forward.groups * forward.inChans * forward.outChans *
                       (forward.input == poplar::FLOAT ? 4 : 2) / planner.machine.tiles;
    Phase phase{PhaseKind::RegroupWeights, vertex::rearrange(planner.machine.chip, bytes, bytes, 2),
                bytes, bytes, bytes};
    return cyclesOf(planner.machine, phase);
  }

  bool prefersJoint() {
    joint = planner.withinMemory([&](const Objective &o) { return bestJoint(o); });
    own[0] = planner.plan(forward);
    own[1] = planner.plan(backward);
    own[2] = planner.plan(update);
    std::uint64_t apart = transposeCycles();
    auto memory = std::uint64_t(planner.options.availableMemoryProportion *
                                double(planner.machine.bytesPerTile));
    for (const auto &found : own) {
      apart += found.valid ? found.cost.cycles : 0;
      memory = std::max(memory, found.valid ? found.cost.tempBytes : 0);
    }
    // One partition for all has no serial splits: it may be fast because it takes more memory.
    return joint.valid && joint.cost.tempBytes <= memory && joint.cost.cycles <= apart;
  }
};

// The forward product of the layer that this pass belongs to.
Problem forwardOf(Problem p, Pass pass) {
  if (pass == Pass::FC_TRAINING_BWD)
    std::swap(p.inChans, p.outChans);
  if (pass == Pass::FC_TRAINING_WU)
    std::swap(p.batch, p.inChans);
  return p;
}

bool isFcTraining(Pass pass) { return pass >= Pass::FC_TRAINING_FWD; }

Found planLayer(const Planner &planner, const Problem &problem) {
  const auto pass = planner.options.pass;
  Layer layer(planner, forwardOf(problem, pass));
  const unsigned which = unsigned(pass) - unsigned(Pass::FC_TRAINING_FWD);
  if (!layer.prefersJoint())
    return layer.own[which];
  auto found = layer.joint;
  found.joint = true;
  if (which == 1)
    found.partition = backwardOf(found.partition);
  if (which == 2)
    found.partition = updateOf(found.partition);
  const auto &p = which == 0 ? layer.forward : which == 1 ? layer.backward : layer.update;
  found.cost = layer.costOf(p, found.variant, found.partition);
  return found;
}

unsigned ditheredStart(const ConvParams &params, unsigned tiles) {
  return unsigned(hash_value(params) % tiles) / 2 * 2; // whole pairs
}

ConvPlan makePlan(const poplar::Target &target, const ConvParams &params,
                  const ConvOptions &given) {
  checkTypes(params);
  const auto options = withWidePartials(params, given);
  if (options != given && params.inputType != poplar::QUARTER)
    log().warn("partial results of a convolution of ", params.inputType, " to ", params.outputType,
               " are ", options.partialsType, ", not ", given.partialsType);
  const auto problem = withUnits(target, problemOf(params, options));
  if (problem.empty())
    return emptyPlan(params);
  if (problem.dims.size() > maxDims)
    fail(
        str("A convolution has at most ", maxDims, " field dimensions, not ", problem.dims.size()));
  const Planner planner{target, options, parseConstraints(options.planConstraints)};
  checkDims(planner.constraints.expandDims, problem);
  checkDims(planner.constraints.outChanFlattenDims, problem);
  const bool layer = isFcTraining(options.pass) && problem.kernelElements() == 1;
  const auto found = layer ? planLayer(planner, problem) : planner.plan(problem);
  if (!found.valid)
    throw poplar::invalid_option(
        str("Invalid value for option 'planConstraints': no plan of this convolution meets ",
            options.planConstraints, "\n", params));
  auto plan = toPlan(found);
  plan.remapOutput = options.remapOutputTensor;
  if (options.enableConvDithering)
    plan.startTile = ditheredStart(params, planner.machine.tiles);
  return plan;
}

void addTo(std::ostream &key, const auto &value) { key << ' ' << value; }
void addTo(std::ostream &key, Pass pass) { key << ' ' << unsigned(pass); }

std::string keyOf(const poplar::Target &target, const ConvParams &params, const ConvOptions &o) {
  base::TextStream key;
  key << target.getNumIPUs() << ' ' << target.getTilesPerIPU() << ' '
      << arch::fingerprint(openipu::chipOf(target)) << ' ' << params;
#define CONV_OPTION(name, type, member, usual, keyed, matmul, text)                                \
  if (PlanKey::keyed == PlanKey::Planned)                                                          \
    addTo(key, o.member);
#include "poplin/ConvOptions.def"
  return key.str();
}

void report(const ConvParams &params, const ConvOptions &options, const ConvPlan &plan) {
  if (log().enabled(base::LogLevel::Debug)) {
    base::TextStream text;
    print(text, params, plan);
    log().debug(text.str());
  }
  if (options.planConstraintsOutputFilename.empty())
    return;
  try {
    base::writeWhole(options.planConstraintsOutputFilename, str(constraintsOf(plan), "\n"));
  } catch (const base::FileError &e) {
    fail(str("planConstraintsOutputFilename: ", e.what()));
  }
}

} // namespace

unsigned ConvPlan::tilesPerIpu() const {
  unsigned tiles = partition.batchSplit * partition.convGroupSplit *
                   partition.outChanSplit.parallel * partition.inChanSplit.parallel;
  for (auto split : partition.fieldSplit)
    tiles *= split;
  for (auto split : partition.kernelSplit)
    tiles *= split;
  return tiles;
}

ConvPlan planConvolution(const poplar::Target &target, const ConvParams &params,
                         const ConvOptions &options, PlanningCache *cache) {
  params.validate();
  const auto key = keyOf(target, params, options);
  auto plan = cache ? cache->getImpl().find(key) : std::nullopt;
  if (!plan) {
    plan = processCache().find(key);
    if (!plan)
      plan = makePlan(target, params, options);
    processCache().insert(key, *plan);
    if (cache)
      cache->getImpl().insert(key, *plan);
    report(params, options, *plan);
  }
  return *plan;
}

} // namespace poplin
