// SPDX-License-Identifier: MIT
// Bytes and cycles of every phase of a convolution, for the busiest tile.
#include "Cost.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Chip.hpp"
#include "poputil/VertexTemplates.hpp"
#include <algorithm>
#include <cmath>

namespace poplin {

static unsigned sizeOf(const poplar::Type &type) {
  return type == poplar::FLOAT ? 4 : type == poplar::HALF ? 2 : 1;
}

Machine::Machine(const poplar::Target &target)
    : tiles(target.getTilesPerIPU()), bytesPerTile(target.getBytesPerTile()),
      tilesPerBus(target.supportsExchangeBusSharing() ? target.getTilesPerSharedExchangeBus() : 1),
      chip(openipu::chipOf(target)), sync(openipu::syncCycles(target)) {
  const auto offsets = target.getMemoryElementOffsets();
  elementBytes = offsets.size() > 1 ? offsets[1] - offsets[0] : bytesPerTile;
  // The machine model's own answers, so that both stay the same.
  constexpr std::uint64_t small = 4, large = 4 << 20;
  const auto first = openipu::exchangeCycles(target, small, small);
  const auto last = openipu::exchangeCycles(target, large, large);
  laneBytesPerCycle = double(large - small) / double(last - first);
  route = first - std::uint64_t(std::ceil(small / laneBytesPerCycle));
  openipu::TileWork work;
  work.cycles = 1;
  openipu::Superstep step;
  step.tiles = {work};
  openipu::Plan plan;
  plan.add(step);
  launch = openipu::cyclesOf(plan, target) - 1;
}

Stages reduceStages(unsigned partials, bool multiStage) {
  Stages stages;
  if (partials < 2)
    return stages;
  auto left = !multiStage || partials < 16 ? 1u : partials < 125 ? 2u : 3u;
  while (left > 1) {
    // The rest goes to the next stage: one of the two whole numbers beside the root.
    const auto root = std::pow(double(partials), double(left - 1) / left);
    const auto down = std::max(1u, unsigned(root + 1e-6)), up = unsigned(std::ceil(root - 1e-6));
    const auto sum = [&](unsigned next) { return next + base::ceilDiv(partials, next); };
    const auto next = sum(up) < sum(down) ? up : down;
    stages.depth[stages.count++] = unsigned(base::ceilDiv(partials, next));
    partials = next;
    --left;
  }
  stages.depth[stages.count++] = partials;
  return stages;
}

Slice Candidate::slice() const {
  Slice s;
  const auto &p = partition;
  const auto grains = [](std::uint64_t n, std::uint64_t grain) { return base::ceilDiv(n, grain); };
  s.convGroups =
      base::ceilDiv(grains(problem.groups, variant.convGroupsPerGroup), p.convGroupSplit);
  s.batch = base::ceilDiv(problem.batch, p.batchSplit);
  s.inGroups = base::ceilDiv(
      base::ceilDiv(grains(problem.inChans, variant.inChansPerGroup), p.inChanSplit.serial),
      p.inChanSplit.parallel);
  s.outGroups = base::ceilDiv(
      base::ceilDiv(grains(problem.outChans, variant.partialChansPerGroup), p.outChanSplit.serial),
      p.outChanSplit.parallel);
  for (unsigned d = 0; d < problem.dims.size(); ++d) {
    const auto &dim = problem.dims[d];
    s.out[d] = unsigned(base::ceilDiv(dim.out, p.fieldSplit[d]));
    s.kernel[d] = unsigned(base::ceilDiv(dim.kernel, p.kernelSplit[d]));
    s.in[d] = dim.inFor(s.out[d], s.kernel[d]);
    s.ownIn[d] = std::min<unsigned>(s.in[d], unsigned(base::ceilDiv(dim.in, p.fieldSplit[d])));
    s.halo |= s.in[d] > s.ownIn[d] || (dim.kernel > 1 && dim.valid() < 1);
    s.outputs *= s.out[d];
    s.kernelElements *= s.kernel[d];
    s.inputs *= s.in[d];
    s.ownInputs *= s.ownIn[d];
  }
  return s;
}

static vertex::Work workOf(const Problem &problem, const Variant &v, const Slice &s) {
  vertex::Work w;
  w.input = problem.input == poplar::FLOAT  ? arch::AmpInput::Float
            : problem.input == poplar::HALF ? arch::AmpInput::Half
                                            : arch::AmpInput::Quarter;
  w.floatPartials = problem.partials == poplar::FLOAT;
  w.convUnits = v.convUnits;
  w.loadCycles = v.loadCycles;
  w.convGroups = unsigned(s.convGroups);
  w.outGroups = unsigned(s.outGroups);
  w.inGroups = unsigned(s.inGroups);
  w.convGroupsPerGroup = v.convGroupsPerGroup;
  w.inChansPerGroup = v.inChansPerGroup;
  w.outChansPerGroup = v.partialChansPerGroup;
  w.height = v.filterHeight;
  w.chains = v.chains;
  const auto inner = problem.dims.size() - 1;
  w.width = s.out[inner];
  w.rows = s.batch * (s.outputs / s.out[inner]);
  if (s.out[inner] == 1)
    std::swap(w.rows, w.width); // a column is a row with a stride
  w.kernelInner = s.kernel[inner];
  w.kernelOuter = unsigned(s.kernelElements / s.kernel[inner]);
  if (v.filterHeight > 1 && inner > 0) {
    const auto row = s.kernel[inner - 1];
    w.kernelOuter = w.kernelOuter / row * unsigned(base::ceilDiv(row, v.filterHeight));
  }
  w.stride = problem.dims[inner].stride;
  for (const auto &dim : problem.dims)
    w.valid *= dim.valid();
  return w;
}

std::uint64_t Candidate::vertexCycles(const Slice &s) const {
  const auto w = workOf(problem, variant, s);
  const auto &chip = machine.chip;
  switch (variant.method) {
  case Method::AMP:
    return s.kernelElements == 1 && w.valid >= 1 ? vertex::amp1x1(chip, w)
                                                 : vertex::ampNx1(chip, w);
  case Method::SLIC:
    return vertex::slic(chip, w);
  case Method::HMAC:
    return vertex::hmac(chip, w);
  case Method::VMAC:
    return vertex::vmac(chip, w);
  case Method::OUTER_PRODUCT:
    return vertex::outerProduct(chip, w);
  }
  return 0;
}

namespace {

// Bytes of one tile's operands and results.
struct Bytes {
  std::uint64_t in, realIn /* without padding of channels */, ownIn, weights, partials,
      outputs /* elements */, partialElements;
};

struct Pricer {
  const Candidate &c;
  const arch::Chip &chip = c.machine.chip;
  const Slice s = c.slice();
  const Problem &p = c.problem;
  const Variant &v = c.variant;
  const ConvPartition &split = c.partition;
  const Bytes b = bytes();
  const unsigned serialOut = split.outChanSplit.serial, serialIn = split.inChanSplit.serial;
  const unsigned steps = serialOut * serialIn;

  Bytes bytes() const {
    const auto groups = s.convGroups * v.convGroupsPerGroup;
    // The matrix unit loads whole groups; vector code multiplies what lies behind by zero.
    const auto padded = s.inGroups * v.inChansPerGroup;
    const auto inChans = std::min<std::uint64_t>(padded, p.inChans);
    const auto outChans = s.outGroups * v.partialChansPerGroup;
    const auto realOut = std::min<std::uint64_t>(outChans, p.outChans);
    Bytes b;
    const auto places = std::min(groups, p.groups) * s.batch * sizeOf(p.input);
    b.in = places * s.inputs * (v.method == Method::AMP ? padded : inChans);
    b.realIn = places * s.inputs * inChans;
    b.ownIn = places * s.ownInputs * inChans;
    b.weights =
        groups * s.kernelElements * s.inGroups * v.inChansPerGroup * outChans * sizeOf(p.input);
    b.partialElements = groups * s.batch * s.outputs * outChans;
    b.partials = b.partialElements * sizeOf(p.partials);
    b.outputs = std::min(groups, p.groups) * s.batch * s.outputs * realOut;
    return b;
  }

  unsigned product(const std::vector<unsigned> &splits) const {
    unsigned all = 1;
    for (auto x : splits)
      all *= x;
    return all;
  }
  // Tiles that use the same inputs, and the same weights; each holds its part of them.
  unsigned inputUsers() const { return split.outChanSplit.parallel * product(split.kernelSplit); }
  unsigned weightUsers() const { return product(split.fieldSplit) * split.batchSplit; }
  bool pairsShareInput() const {
    return c.machine.tilesPerBus > 1 && split.outChanSplit.parallel % c.machine.tilesPerBus == 0;
  }

  std::uint64_t inputsToReceive() const {
    if (p.rearrangeInput && !c.options.enableTileLevelExpandDims)
      return b.realIn;
    const auto bytes = b.realIn - b.ownIn / inputUsers();
    return pairsShareInput() ? base::ceilDiv(bytes, c.machine.tilesPerBus) : bytes;
  }
  // Halos come from neighbours; what many tiles use, each of them holds a part of.
  std::uint64_t inputsToSend() const {
    return inputUsers() > 1 ? b.ownIn / inputUsers() : std::min(b.realIn - b.ownIn, b.ownIn);
  }
  std::uint64_t weightsToReceive() const { return b.weights - b.weights / weightUsers(); }
  std::uint64_t weightsToSend() const { return weightUsers() > 1 ? b.weights / weightUsers() : 0; }

  template <class Sink> void serialBefore(Sink &&sink) const {
    if (serialOut > 1)
      sink(Phase{PhaseKind::BroadcastInput, 0, inputsToReceive(), inputsToSend(), b.in});
    if (steps > 1) {
      const auto sliced = b.weights / weightUsers() + (serialIn > 1 ? b.ownIn / inputUsers() : 0);
      sink(Phase{PhaseKind::DynamicSlice, vertex::dynamicSlice(chip, sliced), 0, 0, sliced, steps});
    }
  }

  bool arranges() const { return s.halo || p.rearrangeInput; }
  std::uint64_t arrangeCycles() const {
    const auto inner = p.dims.size() - 1;
    const auto rows = s.convGroups * s.inGroups * s.batch * s.inputs / s.in[inner] +
                      2 * (s.in[inner] < s.inputs ? 4 : 1);
    const unsigned atom = v.inChansPerGroup * v.convGroupsPerGroup * sizeOf(p.input);
    if (p.rearrangeInput || c.options.convTransformsEstimates)
      return vertex::rearrange(chip, b.in, b.in, atom);
    return vertex::rearrange(chip, rows, b.in, atom);
  }

  // Vertices read a tile's own part of the operands where it lies, unless it is put in order or
  // sliced before, and write results that need no further step where they belong.
  bool writesOutput() const {
    return partialResults() == 1 && p.partials == p.output && steps == 1 &&
           !c.options.gatherConvOutput;
  }
  std::uint64_t inPlace() const {
    const auto in = arranges() || serialIn > 1 ? 0 : b.ownIn / inputUsers();
    const auto weights = steps > 1 ? 0 : b.weights / weightUsers();
    return in + weights + (writesOutput() ? b.outputs * sizeOf(p.output) : 0);
  }

  template <class Sink> void convolve(Sink &&sink) const {
    const auto in = serialOut > 1 ? 0 : inputsToReceive(), out = serialOut > 1 ? 0 : inputsToSend();
    const auto temp = b.in + b.weights + b.partials;
    Phase phase{PhaseKind::Convolve,
                c.vertexCycles(s),
                in + weightsToReceive(),
                out + weightsToSend(),
                temp,
                steps,
                0,
                inPlace()};
    if (arranges()) {
      sink(Phase{PhaseKind::Arrange, arrangeCycles(), phase.bytesIn, phase.bytesOut, 2 * b.in,
                 steps});
      phase.bytesIn = phase.bytesOut = 0;
    }
    sink(phase);
  }

  unsigned partialResults() const {
    return split.inChanSplit.parallel * product(split.kernelSplit);
  }

  template <class Sink> void reduce(Sink &&sink) const {
    const auto size = sizeOf(p.interTile);
    if (partialResults() > 1 && size < sizeOf(p.partials))
      sink(Phase{PhaseKind::CastPartials, vertex::cast(chip, b.partialElements), 0, 0,
                 b.partialElements * size, steps});
    const auto stages = reduceStages(partialResults(), c.options.enableMultiStageReduce);
    auto elements = b.outputs;
    for (unsigned i = 0; i < stages.count; ++i) {
      const auto depth = stages.depth[i], last = unsigned(i + 1 == stages.count);
      const auto mine = base::ceilDiv(elements, depth), moved = mine * (depth - 1) * size;
      const bool aligned = mine % (16 / size) == 0;
      const bool single =
          aligned && (c.options.enableFastReduce || mine * depth * size <= c.machine.elementBytes);
      const vertex::ReduceWork work{size == 4, last ? p.output == poplar::FLOAT : size == 4,
                                    single,    c.options.enableFastReduce,
                                    mine,      depth};
      sink(Phase{PhaseKind::Reduce, vertex::reduceAdd(chip, work), moved, moved,
                 elements * size + moved, steps, i});
      elements = mine;
    }
  }

  // Without a reduction nothing has turned partials into outputs yet.
  template <class Sink> void finish(Sink &&sink) const {
    const auto mine = base::ceilDiv(b.outputs, partialResults());
    const auto bytes = mine * sizeOf(p.output);
    if (partialResults() == 1 && p.partials != p.output)
      sink(Phase{PhaseKind::Finish, vertex::cast(chip, b.outputs), 0, 0, bytes, steps, 0,
                 steps == 1 ? bytes : 0});
    if (serialIn > 1)
      sink(Phase{PhaseKind::AddInPlace, vertex::addInPlace(chip, mine, p.output != poplar::FLOAT),
                 0, 0, bytes, steps});
    if (serialOut > 1)
      sink(Phase{PhaseKind::DynamicUpdate, vertex::dynamicSlice(chip, bytes), 0, 0, bytes, steps});
    if (c.options.gatherConvOutput)
      sink(Phase{PhaseKind::Gather, vertex::rearrange(chip, 1, bytes * serialOut, 8), 0, 0,
                 bytes * serialOut});
  }

  // Backward passes read the weights with channels swapped: cheap when both groups are alike.
  template <class Sink> void regroup(Sink &&sink) const {
    const unsigned perUnit = chip.amp.weightBytesPerUnit / sizeOf(p.input);
    if (c.options.pass == Pass::TRAINING_FWD && v.partialChansPerGroup % perUnit)
      sink(Phase{PhaseKind::RegroupWeights,
                 vertex::rearrange(chip, b.weights, b.weights, sizeOf(p.input)), b.weights,
                 b.weights, b.weights});
  }

  template <class Sink> void all(Sink &&sink) const {
    serialBefore(sink);
    convolve(sink);
    reduce(sink);
    finish(sink);
    regroup(sink);
  }
};

} // namespace

Cost Candidate::cost() const {
  Cost total;
  std::uint64_t kept = 0;
  Pricer{*this}.all([&](const Phase &phase) {
    total.cycles += cyclesOf(machine, phase);
    if (phase.kind == PhaseKind::BroadcastInput || phase.kind == PhaseKind::AddInPlace)
      kept += phase.kind == PhaseKind::AddInPlace ? phase.tempBytes : 0;
    else
      total.tempBytes = std::max(total.tempBytes, phase.tempBytes);
  });
  total.tempBytes += kept;
  return total;
}

std::vector<Phase> Candidate::phases() const {
  std::vector<Phase> list;
  Pricer{*this}.all([&](const Phase &phase) { list.push_back(phase); });
  return list;
}

} // namespace poplin
