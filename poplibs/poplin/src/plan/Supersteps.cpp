// SPDX-License-Identifier: MIT
// A plan as supersteps on ranges of tiles, as a list of costs, and as text.
#include "base/Text.hpp"
#include "Ipus.hpp"
#include "poputil/VertexTemplates.hpp"
#include "Search.hpp"
#include <ostream>

namespace poplin {

using poputil::templateVertex;

namespace {

const char *nameOf(PhaseKind kind) {
  switch (kind) {
  case PhaseKind::BroadcastInput:
    return "BroadcastInput";
  case PhaseKind::DynamicSlice:
    return "DynamicSlice";
  case PhaseKind::Arrange:
    return "PreArrange";
  case PhaseKind::Convolve:
    return "Convolve";
  case PhaseKind::CastPartials:
    return "CastPartials";
  case PhaseKind::Reduce:
    return "Reduce";
  case PhaseKind::Finish:
    return "Cast";
  case PhaseKind::Gather:
    return "GatherOutput";
  case PhaseKind::AddInPlace:
    return "AddInPlace";
  case PhaseKind::DynamicUpdate:
    return "DynamicUpdate";
  case PhaseKind::RegroupWeights:
    return "RegroupWeights";
  }
  return "";
}

std::string convVertex(const Candidate &c) {
  const auto &v = c.variant;
  const auto &in = c.problem.input, &acc = c.problem.partials;
  const unsigned load = in == poplar::FLOAT ? 2 : in == poplar::HALF ? 4 : 8;
  switch (v.method) {
  case Method::AMP:
    return templateVertex(c.slice().kernelElements == 1 ? "poplin::ConvPartial1x1Out"
                                                        : "poplin::ConvPartialnx1",
                          in, acc, true, c.options.use128BitConvUnitLoad, v.convUnits, load,
                          c.options.disableSRForAMPVertices);
  case Method::SLIC:
    return templateVertex("poplin::ConvPartial1xNSLIC", in, acc, c.problem.dims.back().stride, true,
                          4u, v.chains, v.convGroupsPerGroup, c.options.disableSRForAMPVertices);
  case Method::HMAC:
    return templateVertex(c.slice().kernelElements == 1 ? "poplin::ConvPartialHorizontalMac1x1"
                                                        : "poplin::ConvPartialHorizontalMac",
                          in, acc, true);
  case Method::VMAC:
    return templateVertex("poplin::ConvPartialVerticalMac", in, acc, true, v.convGroupsPerGroup);
  case Method::OUTER_PRODUCT:
    return templateVertex("poplin::OuterProduct", in);
  }
  return "";
}

// What the plan was searched as.
struct Planned {
  Machine machine;
  ConvOptions options;
  Problem whole, problem; // of all IPUs, and of one as it is transformed
  Variant variant;
  Candidate candidate;

  Planned(const poplar::Target &target, const ConvParams &params, const ConvOptions &given,
          const ConvPlan &plan)
      : machine(target), options(withWidePartials(params, given)),
        whole(withUnits(target, problemOf(params, options))),
        problem(asSeenBy(plan.method,
                         transformed(shareOf(whole, plan.ipus, options.interIpuPartialsType),
                                     transformOf(plan)))),
        variant(variantOf(machine.chip, plan, options)), candidate{machine, problem, options,
                                                                   variant, plan.partition} {}
};

openipu::TileWork workOf(const Phase &phase) {
  openipu::TileWork work;
  work.cycles = phase.cycles;
  work.bytesIn = phase.bytesIn;
  work.bytesOut = phase.bytesOut;
  const auto elsewhere = phase.bytesIn + phase.inPlaceBytes; // messages and variables
  work.tempBytes = phase.tempBytes > elsewhere ? phase.tempBytes - elsewhere : 0;
  work.vertices = phase.cycles ? 1 : 0;
  return work;
}

// From the start tile on, round the end of the IPU, and alike on all IPUs of the plan.
std::vector<openipu::TileWork> onTiles(openipu::TileWork work, const ConvPlan &plan,
                                       unsigned tiles) {
  std::vector<openipu::TileWork> ranges;
  const auto put = [&](unsigned tile, unsigned n) {
    work.tile = tile;
    work.count = n;
    if (n)
      ranges.push_back(work);
  };
  const auto start = plan.startTile, count = plan.tilesPerIpu();
  const auto wrapped = start + count > tiles ? start + count - tiles : 0;
  for (unsigned ipu = 0; ipu < plan.ipus.count(); ++ipu) {
    put(ipu * tiles, wrapped);
    put(ipu * tiles + start, count - wrapped);
  }
  return ranges;
}

// Partial results of several IPUs are added where their sum will lie: on all tiles.
openipu::Superstep sumOfIpus(const Planned &planned, BetweenIpus between, const ConvPlan &plan) {
  openipu::Superstep step;
  step.name = "ReduceBetweenIPUs";
  step.vertex = templateVertex("poplin::ReduceAdd", planned.whole.output,
                               planned.options.interIpuPartialsType, false, false);
  openipu::TileWork work;
  work.cycles = between.sumCycles;
  work.count = planned.machine.tiles * plan.ipus.count();
  for (const auto &crossing : between.partials)
    work.tempBytes += crossing.bytes;
  work.tempBytes /= work.count;
  step.tiles = {work};
  step.crossings = std::move(between.partials);
  return step;
}

bool isEmpty(const ConvParams &params, const ConvOptions &options) {
  return problemOf(params, options).empty();
}

} // namespace

std::string Candidate::vertexName(const Phase &phase) const {
  switch (phase.kind) {
  case PhaseKind::BroadcastInput:
    return "";
  case PhaseKind::DynamicSlice:
    return templateVertex("popops::DynamicSlice1D", problem.input);
  case PhaseKind::DynamicUpdate:
    return templateVertex("popops::DynamicUpdateSlice1D", problem.output);
  case PhaseKind::Convolve:
    return convVertex(*this);
  case PhaseKind::CastPartials:
    return templateVertex("popops::Cast1D", problem.partials, problem.interTile);
  case PhaseKind::Reduce:
    return templateVertex("poplin::ReduceAdd", problem.output, problem.interTile, true,
                          options.enableFastReduce);
  case PhaseKind::Finish:
    return templateVertex("popops::Cast1D", problem.partials, problem.output);
  case PhaseKind::AddInPlace:
    return templateVertex("popops::BinaryOp1DInPlace", "popops::expr::BinaryOpType::ADD",
                          problem.output);
  default:
    return "poplar_rt::DstStridedCopy64BitMultiAccess";
  }
}

openipu::Plan supersteps(const poplar::Target &target, const ConvParams &params,
                         const ConvOptions &options, const ConvPlan &plan) {
  openipu::Plan result;
  if (isEmpty(params, options))
    return result;
  const Planned planned(target, params, options, plan);
  auto between =
      betweenIpus(planned.machine, planned.whole, plan.ipus, planned.options.interIpuPartialsType);
  if (!between.operands.empty()) {
    openipu::Superstep step;
    step.name = "BroadcastBetweenIPUs";
    step.crossings = std::move(between.operands);
    result.add(std::move(step));
  }
  for (const auto &phase : planned.candidate.phases()) {
    openipu::Superstep step;
    step.name = nameOf(phase.kind);
    if (phase.kind == PhaseKind::Reduce && phase.stage > 0)
      step.name += "Stage" + std::to_string(phase.stage + 1);
    step.vertex = planned.candidate.vertexName(phase);
    step.tiles = onTiles(workOf(phase), plan, planned.machine.tiles);
    step.repeats = phase.repeats;
    if (phase.kind == PhaseKind::Convolve)
      step.flops = 2 * problemOf(params, options).macs() / phase.repeats;
    result.add(std::move(step));
  }
  if (!between.partials.empty())
    result.add(sumOfIpus(planned, std::move(between), plan));
  return result;
}

std::vector<PlanPart> costsByPart(const poplar::Target &target, const ConvParams &params,
                                  const ConvOptions &options, const ConvPlan &plan) {
  std::vector<PlanPart> parts;
  if (isEmpty(params, options))
    return parts;
  const Planned planned(target, params, options, plan);
  const auto between =
      betweenIpus(planned.machine, planned.whole, plan.ipus, planned.options.interIpuPartialsType);
  if (const auto cycles = openipu::crossingCycles(target, between.operands))
    parts.push_back({"BroadcastBetweenIPUs exchange", cycles, 0, 1});
  for (const auto &phase : planned.candidate.phases()) {
    Phase vertices = phase, transfer = phase;
    vertices.bytesIn = vertices.bytesOut = 0;
    transfer.cycles = 0;
    vertices.repeats = transfer.repeats = 1;
    if (const auto cycles = cyclesOf(planned.machine, transfer))
      parts.push_back({base::str(nameOf(phase.kind), " exchange"), cycles, 0, phase.repeats});
    if (const auto cycles = cyclesOf(planned.machine, vertices))
      parts.push_back({nameOf(phase.kind), cycles, phase.tempBytes, phase.repeats});
  }
  if (const auto cycles = openipu::crossingCycles(target, between.partials)) {
    parts.push_back({"ReduceBetweenIPUs exchange", cycles, 0, 1});
    parts.push_back({nameOf(PhaseKind::Reduce), between.sumCycles + planned.machine.launch, 0, 1});
  }
  return parts;
}

void print(std::ostream &out, const ConvParams &params, const ConvPlan &plan) {
  const auto &p = plan.partition;
  out << "Convolution " << params << "\n  Plan: " << poplin::nameOf(plan.method);
  if (plan.convUnits)
    out << ", " << plan.convUnits << " units, " << plan.filterHeight << " kernel rows per pass";
  if (const auto &i = plan.ipus; i.count() > 1)
    out << "\n    ipus                 " << i.count() << ": groups " << i.convGroups << ", batch "
        << i.batch << ", field " << base::list(i.field) << ", input channels " << i.inChans
        << ", output channels " << i.outChans;
  out << "\n    tiles                " << plan.tilesUsed() << " from " << plan.startTile
      << "\n    convGroupsPerGroup   " << plan.convGroupsPerGroup << "\n    inChansPerGroup      "
      << plan.inChansPerGroup << "\n    partialChansPerGroup " << plan.partialChansPerGroup
      << "\n    swapOperands         " << (plan.swapOperands ? "true" : "false")
      << "\n    expandDims           " << base::list(plan.expandDims)
      << "\n    outChanFlattenDims   " << base::list(plan.outChanFlattenDims)
      << "\n    combineConvGroups    " << plan.combineConvGroupsFactor
      << "\n    convGroupSplit       " << p.convGroupSplit << "\n    batchSplit           "
      << p.batchSplit << "\n    fieldSplit           " << base::list(p.fieldSplit)
      << "\n    kernelSplit          " << base::list(p.kernelSplit) << "\n    inChanSplit          "
      << p.inChanSplit.serial << " serial, " << p.inChanSplit.parallel
      << " parallel\n    outChanSplit         " << p.outChanSplit.serial << " serial, "
      << p.outChanSplit.parallel << " parallel\n    jointPlan            "
      << (plan.joint ? "true" : "false") << "\n    estimated cycles     " << plan.cycles
      << "\n    temporary bytes/tile " << plan.tempBytes << "\n";
}

} // namespace poplin
