// SPDX-License-Identifier: MIT
#include "PoolPlan.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Chip.hpp"
#include "poplin/ConvPlan.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/OptionParsing.hpp"
#include <algorithm>
#include <numeric>

namespace popnn::pooling {
namespace {

// The parts that one tile gets: batch elements, channel groups, rows of the field (its first
// dimension), rows of the kernel.
struct Partition {
  std::uint64_t batch = 1, groups = 1, field = 1, kernel = 1;
  std::uint64_t tiles() const { return batch * groups * field * kernel; }
};

struct Problem {
  PoolingType type;
  Direction direction;
  std::uint64_t batch, groups, vectorsPerGroup; // vectors in a group of channels
  std::uint64_t groupBytes;
  std::uint64_t fieldRows, fieldRest, kernelRows, kernelRest, stride, sourceRest;
  std::uint64_t partialBytes; // of a group of channels, when the kernel is split
  poplar::Type partialType;
};

struct Cost {
  std::uint64_t compute, bytesIn, reduceCompute = 0, reduceBytes = 0, tempBytes = 0;
};

Cost costOf(const arch::Chip &chip, const Problem &p, const Partition &parts) {
  auto batch = base::ceilDiv(p.batch, parts.batch), groups = base::ceilDiv(p.groups, parts.groups);
  auto field = base::ceilDiv(p.fieldRows, parts.field),
       kernel = base::ceilDiv(p.kernelRows, parts.kernel);
  auto rows = batch * field;
  auto outputs = batch * groups * field * p.fieldRest;
  auto rowsOfWorker = chip.workerShare(rows);
  auto positions = rows < chip.workers
                       ? base::ceilDiv(p.fieldRest, base::ceilDiv(chip.workers, rows))
                       : p.fieldRest;
  Cost cost;
  cost.compute =
      chip.onWorkers(poolWorkerCycles(p.type, p.direction, groups, rowsOfWorker, positions,
                                      kernel * p.kernelRest * p.vectorsPerGroup));
  auto sourceRows = p.direction == Direction::Forward ? (field - 1) * p.stride + kernel
                                                      : base::ceilDiv(field + kernel - 1, p.stride);
  cost.bytesIn = batch * groups * sourceRows * p.sourceRest * p.groupBytes;
  if (p.direction == Direction::Backward && p.type == PoolingType::MAX)
    cost.bytesIn = 2 * cost.bytesIn + outputs * p.groupBytes; // gradient, pooled, activations
  if (parts.kernel > 1) {
    cost.tempBytes = outputs * p.partialBytes;
    auto reduced = base::ceilDiv(outputs, parts.kernel);
    cost.reduceBytes = reduced * p.partialBytes * parts.kernel;
    cost.reduceCompute = popops::cost::reduceTileCycles(
        chip, {popops::cost::ReduceVertex::Strided,
               p.type == PoolingType::MAX ? popops::Operation::MAX : popops::Operation::ADD,
               p.partialType, p.partialType, reduced * p.vectorsPerGroup, parts.kernel});
  }
  return cost;
}

// Splits that give different numbers of parts: 1, then each larger one that shrinks the largest.
std::vector<std::uint64_t> splits(std::uint64_t n, std::uint64_t limit) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t size = n; size >= 1;) {
    auto parts = base::ceilDiv(n, size);
    if (parts > limit)
      break;
    out.push_back(parts);
    if (size == 1)
      break;
    size = std::min(size - 1, base::ceilDiv(n, parts + 1));
  }
  return out.empty() ? std::vector<std::uint64_t>{1} : out;
}

std::pair<Partition, Cost> search(const poplar::Target &target, const Problem &p,
                                  std::uint64_t tiles) {
  const auto &chip = openipu::chipOf(target);
  std::pair<Partition, Cost> best;
  std::uint64_t least = UINT64_MAX;
  for (auto groups : splits(p.groups, tiles))
    for (auto batch : splits(p.batch, tiles / groups))
      for (auto field : splits(p.fieldRows, tiles / groups / batch))
        for (auto kernel : splits(p.kernelRows, tiles / groups / batch / field)) {
          if (kernel > 1 && p.direction == Direction::Backward)
            continue; // every input collects all it gets on one tile
          Partition parts{batch, groups, field, kernel};
          auto cost = costOf(chip, p, parts);
          auto cycles = cost.compute + openipu::exchangeCycles(target, cost.bytesIn, cost.bytesIn);
          if (kernel > 1)
            cycles += cost.reduceCompute + openipu::syncCycles(target) +
                      openipu::exchangeCycles(target, cost.reduceBytes, cost.reduceBytes);
          if (cycles < least) {
            least = cycles;
            best = {parts, cost};
          }
        }
  return best;
}

std::uint64_t product(const std::vector<std::size_t> &v, std::size_t from) {
  return std::accumulate(v.begin() + std::ptrdiff_t(from), v.end(), std::uint64_t(1),
                         std::multiplies<>());
}

Problem problemOf(const poplar::Target &target, const PoolParams &params,
                  const PoolOptions &options, const PoolWork &work) {
  auto size = target.getTypeSize(params.dType);
  auto output = params.getOutputFieldShape();
  const auto &destination = work.direction == Direction::Forward ? output : params.inputFieldShape;
  const auto &source = work.direction == Direction::Forward ? params.inputFieldShape : output;
  Problem p;
  p.type = params.poolingType;
  p.direction = work.direction;
  p.batch = std::max<std::size_t>(1, params.batchSize);
  p.groups = std::max<std::uint64_t>(1, base::ceilDiv(params.numChannels, work.chansPerGroup));
  p.groupBytes = work.chansPerGroup * size;
  p.vectorsPerGroup = base::ceilDiv(p.groupBytes, openipu::chipOf(target).pathBytes());
  p.fieldRows = destination[0];
  p.fieldRest = product(destination, 1);
  p.kernelRows = params.kernelShape[0];
  p.kernelRest = product(params.kernelShape, 1);
  if (work.direction == Direction::Backward) { // an input is seen by so many outputs
    p.kernelRows = base::ceilDiv(p.kernelRows, params.stride[0]);
    p.kernelRest = 1;
    for (std::size_t d = 1; d < params.kernelShape.size(); ++d)
      p.kernelRest *= base::ceilDiv(params.kernelShape[d], params.stride[d]);
  }
  p.stride = std::max(1u, params.stride[0]);
  p.sourceRest = product(source, 1);
  bool wide = params.dType == poplar::HALF && params.poolingType != PoolingType::MAX &&
              options.useFloatPartialsWhereBeneficial;
  p.partialType = wide ? poplar::FLOAT : params.dType;
  p.partialBytes = work.chansPerGroup * (wide ? 4 : size);
  return p;
}

// The convolution that sums: one group per channel, a kernel of ones.
openipu::Plan convolutionPlan(const poplar::Target &target, const PoolParams &params) {
  poplin::ConvParams conv(params.dType, params.batchSize, params.inputFieldShape,
                          params.kernelShape, 1, 1, params.numChannels);
  for (std::size_t d = 0; d < params.stride.size(); ++d) {
    int lower = params.inputTruncationOrPaddingLower[d],
        upper = params.inputTruncationOrPaddingUpper[d];
    conv.inputTransform.paddingLower[d] = unsigned(std::max(0, lower));
    conv.inputTransform.paddingUpper[d] = unsigned(std::max(0, upper));
    conv.inputTransform.truncationLower[d] = unsigned(std::max(0, -lower));
    conv.inputTransform.truncationUpper[d] = unsigned(std::max(0, -upper));
    conv.outputTransform.stride[d] = params.stride[d];
  }
  poplin::ConvOptions options;
  options.pass = poplin::Pass::INFERENCE_FWD;
  return poplin::supersteps(target, conv, options,
                            poplin::planConvolution(target, conv, options, nullptr));
}

std::string vertexOf(const PoolParams &params, Direction direction) {
  bool max = params.poolingType == PoolingType::MAX;
  std::string name = !max                              ? "popnn::SumPooling<"
                     : direction == Direction::Forward ? "popnn::MaxPooling<"
                                                       : "popnn::MaxPoolingGrad<";
  return name + params.dType.toString() + ">";
}

} // namespace

std::uint64_t poolWorkerCycles(PoolingType type, Direction direction, std::uint64_t groups,
                               std::uint64_t rows, std::uint64_t positions, std::uint64_t taps) {
  bool max = type == PoolingType::MAX, backward = direction == Direction::Backward;
  std::uint64_t init = positions * rows;
  std::uint64_t loop = max && backward ? 7 + 5 * taps : max ? 4 + 3 * taps : 5 + 3 * taps;
  return 17 + (4 + init) * groups + rows * (13 + positions * (20 + groups * loop));
}

PoolOptions parsePoolOptions(const poplar::OptionFlags &options) {
  PoolOptions out;
  using poplibs::OptionHandler;
  const poplibs::OptionSpec spec{
      {"poolUseIntrospectiveMapping",
       OptionHandler::createWithBool(out.poolUseIntrospectiveMapping)},
      {"optimizeForSpeed", OptionHandler::createWithBool(out.optimizeForSpeed)},
      {"useFloatPartialsWhereBeneficial",
       OptionHandler::createWithBool(out.useFloatPartialsWhereBeneficial)},
      {"gradientToFirstMaximum", OptionHandler::createWithBool(out.gradientToFirstMaximum)}};
  for (const auto &option : options)
    spec.parse(option.first, option.second);
  return out;
}

openipu::Plan poolPlan(const poplar::Graph &graph, const PoolParams &params,
                       const PoolOptions &options, const PoolWork &work) {
  const auto &target = graph.getTarget();
  auto p = problemOf(target, params, options, work);
  auto [parts, cost] = search(target, p, work.tiles);
  openipu::Plan plan;
  openipu::TileWork tile;
  tile.count = unsigned(parts.tiles());
  tile.cycles = cost.compute;
  tile.bytesIn = tile.bytesOut = cost.bytesIn;
  tile.tempBytes = cost.tempBytes;
  openipu::Superstep step;
  step.name = work.direction == Direction::Forward ? "Pool" : "PoolGradient";
  step.vertex = vertexOf(params, work.direction);
  step.tiles.push_back(tile);
  step.flops = work.direction == Direction::Forward ? getFwdFlops(params) : getBwdFlops(params);
  plan.add(std::move(step));
  if (parts.kernel > 1) {
    openipu::TileWork reduce;
    reduce.count = tile.count;
    reduce.cycles = cost.reduceCompute;
    reduce.bytesIn = reduce.bytesOut = cost.reduceBytes;
    openipu::Superstep reduction;
    reduction.name = "Reduce";
    reduction.vertex = popops::cost::reduceVertexName(
        {popops::cost::ReduceVertex::Strided,
         p.type == PoolingType::MAX ? popops::Operation::MAX : popops::Operation::ADD,
         p.partialType, params.dType, 1, parts.kernel});
    reduction.tiles.push_back(reduce);
    plan.add(std::move(reduction));
  }
  if (options.optimizeForSpeed && params.poolingType != PoolingType::MAX &&
      work.direction == Direction::Forward && params.batchSize && params.numChannels) {
    auto convolution = convolutionPlan(target, params);
    if (openipu::cyclesOf(convolution, target) < openipu::cyclesOf(plan, target))
      return convolution;
  }
  return plan;
}

} // namespace popnn::pooling
