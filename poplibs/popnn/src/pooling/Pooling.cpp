// SPDX-License-Identifier: MIT
// Pooling: parameters, checks and operations. The arithmetic is in kernels/pooling, the spread over
// tiles in PoolPlan.cpp.
#include "popnn/Pooling.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "openipu/Operation.hpp"
#include "openipu/Placement.hpp"
#include "PoolPlan.hpp"
#include "popnn/kernels/Pool.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Sizes.hpp"
#include "poputil/TileMapping.hpp"
#include <algorithm>
#include <limits>
#include <numeric>
#include <ostream>

namespace popnn::pooling {
namespace {

using kernels::Ties;
using poplar::Tensor;

[[noreturn]] void fail(const std::string &text) { throw poputil::poplibs_error(text); }

void checkParams(const PoolParams &p, const char *api) {
  auto dims = p.inputFieldShape.size();
  if (dims == 0)
    fail(base::str(api, ": pooling needs at least one field dimension"));
  if (p.kernelShape.size() != dims || p.stride.size() != dims ||
      p.inputTruncationOrPaddingLower.size() != dims ||
      p.inputTruncationOrPaddingUpper.size() != dims)
    fail(base::str(api, ": the field has ", dims, " dimensions, but kernel ",
                   base::list(p.kernelShape), ", stride ", base::list(p.stride), ", lower padding ",
                   base::list(p.inputTruncationOrPaddingLower), " and upper padding ",
                   base::list(p.inputTruncationOrPaddingUpper), " must have as many"));
  if (p.dType != poplar::FLOAT && p.dType != poplar::HALF)
    fail(base::str(api, ": type ", p.dType, "; pooling takes FLOAT and HALF"));
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  std::vector<std::size_t> all{p.batchSize, p.numChannels};
  for (std::size_t d = 0; d < dims; ++d) {
    if (p.inputFieldShape[d] > most || p.kernelShape[d] > most)
      fail(base::str(api, ": field ", base::list(p.inputFieldShape), " and kernel ",
                     base::list(p.kernelShape), " have at most ", most, " elements a dimension"));
    auto padded = std::int64_t(p.inputFieldShape[d]) + p.inputTruncationOrPaddingLower[d] +
                  p.inputTruncationOrPaddingUpper[d];
    if (p.stride[d] == 0 || p.kernelShape[d] == 0)
      fail(base::str(api, ": stride ", base::list(p.stride), " and kernel ",
                     base::list(p.kernelShape), " must be at least 1 everywhere"));
    if (padded < std::int64_t(p.kernelShape[d]))
      fail(base::str(api, ": kernel ", base::list(p.kernelShape), " is larger than the field ",
                     base::list(p.inputFieldShape), " with padding ",
                     base::list(p.inputTruncationOrPaddingLower), " and ",
                     base::list(p.inputTruncationOrPaddingUpper), " in dimension ", d));
    all.insert(all.end(), {std::size_t(padded), p.kernelShape[d]});
  }
  poputil::elementsOf(all, api);
}

void checkTensor(const Tensor &t, const PoolParams &p, const std::vector<std::size_t> &field,
                 const char *what, const char *api) {
  std::vector<std::size_t> shape{p.batchSize, p.numChannels};
  shape.insert(shape.end(), field.begin(), field.end());
  if (t.shape() != shape || t.elementType() != p.dType)
    fail(base::str(api, ": ", what, " is ", t.elementType(), base::list(t.shape()),
                   "; the parameters say ", p.dType, base::list(shape)));
}

__extension__ using Wide = __int128; // sums of sums of sizes

// from, from + step, ... n numbers, none taken as less than `least` or more than `most`, summed.
Wide sumClamped(Wide from, Wide step, Wide n, Wide least, Wide most) {
  const auto below = [&](Wide limit) { // how many of them are
    return from < limit ? std::min(n, (limit - from + step - 1) / step) : Wide(0);
  };
  const Wide low = below(least), high = below(most), middle = high - low;
  return low * least + middle * from + step * (middle * low + middle * (middle - 1) / 2) +
         (n - high) * most;
}

// How many elements all windows of a field have together, in each dimension: a window [a, b) has
// b - a of those in [begin, end), both ends moved into it.
std::uint64_t taps(const PoolParams &p) {
  auto output = p.getOutputFieldShape();
  std::uint64_t all = 1;
  for (std::size_t d = 0; d < output.size(); ++d) {
    const std::int64_t begin = std::max(0, -p.inputTruncationOrPaddingLower[d]);
    const std::int64_t end =
        std::int64_t(p.inputFieldShape[d]) - std::max(0, -p.inputTruncationOrPaddingUpper[d]);
    const std::int64_t first = -std::int64_t(p.inputTruncationOrPaddingLower[d]);
    const auto sum = [&](std::int64_t from) {
      return sumClamped(from, p.stride[d], output[d], begin, end);
    };
    all *=
        end > begin ? std::uint64_t(sum(first + std::int64_t(p.kernelShape[d])) - sum(first)) : 0;
  }
  return all * p.batchSize * p.numChannels;
}
std::uint64_t numOutputs(const PoolParams &p) {
  std::uint64_t n = p.batchSize * p.numChannels;
  for (auto size : p.getOutputFieldShape())
    n *= size;
  return n;
}

// A tensor of another field shape in the memory order of `like`, on as many tiles as that if
// `nearby`, else on all.
Tensor makeLike(poplar::Graph &graph, const Tensor &like, const std::vector<std::size_t> &shape,
                bool nearby, const poplar::DebugContext &context) {
  std::vector<std::int64_t> strides;
  std::vector<unsigned> order(shape.size()), back(shape.size());
  std::iota(order.begin(), order.end(), 0u);
  if (openipu::hasStrides(like, strides))
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      return std::abs(strides[a]) > std::abs(strides[b]);
    });
  std::vector<std::size_t> inMemory;
  for (unsigned i = 0; i < order.size(); ++i) {
    inMemory.push_back(shape[order[i]]);
    back[order[i]] = i;
  }
  auto t = graph.addVariable(like.elementType(), inMemory, context);
  auto tiles = openipu::elementsByTile(graph, like);
  if (!nearby || tiles.empty()) {
    poputil::mapTensorLinearly(graph, t);
    return t.dimShuffle(back);
  }
  auto n = t.numElements(), grain = std::size_t(graph.getTarget().getVectorWidth(t.elementType()));
  auto grains = base::ceilDiv(n, grain), used = std::min<std::size_t>(tiles.size(), grains);
  for (std::size_t i = 0; i < used; ++i)
    graph.setTileMapping(
        t.flatten().slice(std::min(n, base::beginOfPart(grains, i, used) * grain),
                          std::min(n, base::beginOfPart(grains, i + 1, used) * grain)),
        tiles[i].tile);
  return t.dimShuffle(back);
}

std::string bytes(const PoolParams &p, Ties ties = Ties::All) {
  auto wide = [](const std::vector<std::size_t> &v) {
    return std::vector<std::uint64_t>(v.begin(), v.end());
  };
  const kernels::PoolOf attributes{
      p.poolingType,
      ties,
      wide(p.inputFieldShape),
      wide(p.getOutputFieldShape()),
      wide(p.kernelShape),
      {p.stride.begin(), p.stride.end()},
      {p.inputTruncationOrPaddingLower.begin(), p.inputTruncationOrPaddingLower.end()},
      {p.inputTruncationOrPaddingUpper.begin(), p.inputTruncationOrPaddingUpper.end()}};
  return attributes.write();
}

// Channels that lie side by side, at least a vector.
unsigned chansPerGroup(const poplar::Graph &graph, const Tensor &t) {
  unsigned vector = graph.getTarget().getVectorWidth(t.elementType());
  std::vector<std::int64_t> strides;
  if (openipu::hasStrides(t, strides) && strides[1] == 1)
    return unsigned(
        std::max<std::size_t>(vector, std::gcd<std::size_t, std::size_t>(t.dim(1), 4 * vector)));
  return vector;
}

PoolWork workOf(const poplar::Graph &graph, const Tensor &like, Direction direction,
                unsigned chans) {
  auto tiles = std::max<std::size_t>(1, openipu::elementsByTile(graph, like).size());
  return {direction, std::max(1u, chans), unsigned(tiles)};
}

std::vector<std::size_t> fullShape(const PoolParams &p, const std::vector<std::size_t> &field) {
  std::vector<std::size_t> shape{p.batchSize, p.numChannels};
  shape.insert(shape.end(), field.begin(), field.end());
  return shape;
}

Tensor spreadGradient(poplar::Graph &graph, const PoolParams &params, unsigned chans,
                      const Tensor &pooledGradient, poplar::program::Sequence &prog,
                      const PoolOptions &options, const poplar::DebugContext &context,
                      const char *api) {
  checkParams(params, api);
  checkTensor(pooledGradient, params, params.getOutputFieldShape(), "pooledGradient", api);
  auto dx = makeLike(graph, pooledGradient, fullShape(params, params.inputFieldShape),
                     options.poolUseIntrospectiveMapping, {context, "inputGradient"});
  prog.add(openipu::operation(
      graph, {kernels::poolGradient,
              {openipu::out(dx), openipu::in(pooledGradient)},
              bytes(params),
              poolPlan(graph, params, options, workOf(graph, dx, Direction::Backward, chans)),
              {context, "poolInputGradient"}}));
  return dx;
}

} // namespace

PoolParams::PoolParams(PoolingType poolingType, std::vector<std::size_t> inputFieldShape,
                       std::vector<std::size_t> kernelShape, std::vector<unsigned> stride,
                       std::vector<int> inputTruncationOrPaddingLower,
                       std::vector<int> inputTruncationOrPaddingUpper, std::size_t numChannels,
                       std::size_t batchSize, poplar::Type dType)
    : poolingType(poolingType), inputFieldShape(std::move(inputFieldShape)),
      kernelShape(std::move(kernelShape)), stride(std::move(stride)),
      inputTruncationOrPaddingLower(std::move(inputTruncationOrPaddingLower)),
      inputTruncationOrPaddingUpper(std::move(inputTruncationOrPaddingUpper)),
      numChannels(numChannels), batchSize(batchSize), dType(dType) {}

std::vector<std::size_t> PoolParams::getOutputFieldShape() const {
  checkParams(*this, "popnn::pooling::PoolParams");
  std::vector<std::size_t> out;
  for (std::size_t d = 0; d < inputFieldShape.size(); ++d) {
    auto padded = std::int64_t(inputFieldShape[d]) + inputTruncationOrPaddingLower[d] +
                  inputTruncationOrPaddingUpper[d];
    out.push_back(std::size_t(padded - std::int64_t(kernelShape[d])) / stride[d] + 1);
  }
  return out;
}

const char *asString(const PoolingType &method) {
  return method == PoolingType::MAX ? "max" : method == PoolingType::AVG ? "avg" : "sum";
}

std::ostream &operator<<(std::ostream &o, const PoolParams &p) {
  return o << "PoolParams{" << asString(p.poolingType)
           << ", inputFieldShape: " << base::list(p.inputFieldShape)
           << ", kernelShape: " << base::list(p.kernelShape) << ", stride: " << base::list(p.stride)
           << ", inputTruncationOrPaddingLower: " << base::list(p.inputTruncationOrPaddingLower)
           << ", inputTruncationOrPaddingUpper: " << base::list(p.inputTruncationOrPaddingUpper)
           << ", numChannels: " << p.numChannels << ", batchSize: " << p.batchSize
           << ", dType: " << p.dType << "}";
}

// One addition or comparison per element of a window; an average is scaled besides.
std::uint64_t getFwdFlops(const PoolParams &params) {
  return taps(params) + (params.poolingType == PoolingType::AVG ? numOutputs(params) : 0);
}
std::uint64_t getBwdFlops(const PoolParams &params) {
  return taps(params) + (params.poolingType == PoolingType::AVG ? numOutputs(params) : 0);
}

static double perfectCycles(const poplar::Graph &graph, const PoolParams &params,
                            std::uint64_t flops) {
  const auto &target = graph.getTarget();
  return double(flops) / (double(target.getNumTiles()) * target.getVectorWidth(params.dType));
}
double getFwdPerfectCycleCount(const poplar::Graph &graph, const PoolParams &params) {
  return perfectCycles(graph, params, getFwdFlops(params));
}
double getBwdPerfectCycleCount(const poplar::Graph &graph, const PoolParams &params) {
  return perfectCycles(graph, params, getBwdFlops(params));
}

Tensor pool(poplar::Graph &graph, const PoolParams &params, const Tensor &in,
            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
            const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, options));
  const char *api = "popnn::pooling::pool";
  auto parsed = parsePoolOptions(options);
  checkParams(params, api);
  checkTensor(in, params, params.inputFieldShape, "in", api);
  auto out = makeLike(graph, in, fullShape(params, params.getOutputFieldShape()),
                      parsed.poolUseIntrospectiveMapping, {di, "pooled"});
  auto work = workOf(graph, out, Direction::Forward, chansPerGroup(graph, in));
  prog.add(openipu::operation(graph, {kernels::pool,
                                      {openipu::out(out), openipu::in(in)},
                                      bytes(params),
                                      poolPlan(graph, params, parsed, work),
                                      {di, "pool"}}));
  di.addOutput(out);
  return out;
}

Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params, const Tensor &in,
                         const Tensor &pooled, const Tensor &pooledGradient, bool useScaledGradient,
                         poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(in, pooled, pooledGradient, useScaledGradient, options));
  const char *api = "popnn::pooling::poolInputGradient";
  auto parsed = parsePoolOptions(options);
  checkParams(params, api);
  checkTensor(in, params, params.inputFieldShape, "in", api);
  checkTensor(pooled, params, params.getOutputFieldShape(), "pooled", api);
  if (params.poolingType != PoolingType::MAX)
    return spreadGradient(graph, params, chansPerGroup(graph, in), pooledGradient, prog, parsed,
                          {di}, api);
  checkTensor(pooledGradient, params, params.getOutputFieldShape(), "pooledGradient", api);
  if (useScaledGradient && parsed.gradientToFirstMaximum)
    fail(base::str(api, ": with gradientToFirstMaximum no maxima share a gradient; "
                        "useScaledGradient must be false"));
  const Ties ties = parsed.gradientToFirstMaximum ? Ties::First
                    : useScaledGradient           ? Ties::Shared
                                                  : Ties::All;
  auto dx = graph.clone(in, {di, "inputGradient"});
  auto work = workOf(graph, dx, Direction::Backward, chansPerGroup(graph, in));
  auto plan = poolPlan(graph, params, parsed, work);
  if (ties != Ties::All) { // equal elements are counted first, or found: a pass over the input
    work.direction = Direction::Forward;
    auto scale = poolPlan(graph, params, PoolOptions{}, work);
    scale.steps[0].name = "ScaleGradient";
    scale.steps[0].vertex = "popnn::MaxPoolingGradientScale<" + params.dType.toString() + ">";
    scale.append(std::move(plan));
    plan = std::move(scale);
  }
  prog.add(openipu::operation(
      graph, {kernels::poolGradient,
              {openipu::out(dx), openipu::in(pooledGradient), openipu::in(in), openipu::in(pooled)},
              bytes(params, ties),
              std::move(plan),
              {di, "poolInputGradient"}}));
  di.addOutput(dx);
  return dx;
}

Tensor poolInputGradient(poplar::Graph &graph, const PoolParams &params,
                         const unsigned fwdChansPerGroup, const Tensor &pooledGradient,
                         poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(fwdChansPerGroup, pooledGradient, options));
  const char *api = "popnn::pooling::poolInputGradient";
  auto parsed = parsePoolOptions(options);
  if (params.poolingType == PoolingType::MAX)
    fail(base::str(api, ": the gradient of max pooling needs the activations and what was pooled; "
                        "use the overload that takes them"));
  if (fwdChansPerGroup == 0 || params.numChannels % fwdChansPerGroup != 0)
    fail(base::str(api, ": ", params.numChannels, " channels do not divide into groups of ",
                   fwdChansPerGroup));
  return spreadGradient(graph, params, fwdChansPerGroup, pooledGradient, prog, parsed, {di}, api);
}

} // namespace popnn::pooling
