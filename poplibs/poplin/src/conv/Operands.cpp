// SPDX-License-Identifier: MIT
#include "conv/Operands.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "matmul/Quarter.hpp"
#include "openipu/BackendTraits.hpp"
#include "openipu/Placement.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include "poputil/VertexTemplates.hpp"
#include <algorithm>
#include <numeric>

namespace poplin::conv {
namespace {

using base::list;
using base::str;
using kernels::Dim;
using poplar::Tensor;
using poputil::poplibs_error;
using Shape = std::vector<std::size_t>;

bool isEmpty(const ConvParams &p) {
  auto none = [](const Shape &shape) {
    return std::find(shape.begin(), shape.end(), 0u) != shape.end();
  };
  return p.batchSize * p.numConvGroups * p.inputChannelsPerConvGroup *
                 p.outputChannelsPerConvGroup ==
             0 ||
         none(p.inputFieldShape) || none(p.kernelShape) || none(p.getOutputFieldShape());
}

void checkShape(const char *function, const char *what, const Tensor &t, const Shape &expected,
                const char *dims) {
  if (t.shape() != expected)
    throw poplibs_error(str("poplin::", function, ": the ", what, " have shape ", list(t.shape()),
                            ", but the parameters ask for ", list(expected), " ", dims, "."));
}

// Stored in one order of dimensions, seen in another: dimension `seen[i]` of the view is stored
// i-th.
Tensor stored(poplar::Graph &graph, poplar::Type type, const Shape &shape,
              const std::vector<unsigned> &order, bool linear,
              const poplar::DebugContext &context) {
  Shape inOrder;
  std::vector<unsigned> back(order.size());
  for (unsigned i = 0; i < order.size(); ++i) {
    inOrder.push_back(shape[order[i]]);
    back[order[i]] = i;
  }
  auto t = linear ? graph.addVariable(type, inOrder, poplar::VariableMappingMethod::LINEAR, context)
                  : graph.addVariable(type, inOrder, context);
  return t.dimShuffle(back);
}

Tensor activations(poplar::Graph &graph, poplar::Type type, const Shape &shape, Storage storage,
                   bool linear, const poplar::DebugContext &context) {
  std::vector<unsigned> order;
  if (storage == Storage::ChannelsLast)
    order.push_back(0);
  else
    order.push_back(1);
  for (unsigned d = 2; d < shape.size(); ++d)
    order.push_back(d);
  order.push_back(storage == Storage::ChannelsLast ? 1 : 0);
  return stored(graph, type, shape, order, linear, context);
}

Shape activationShape(std::size_t batch, std::size_t channels, const Shape &field) {
  Shape shape{batch, channels};
  shape.insert(shape.end(), field.begin(), field.end());
  return shape;
}

} // namespace

namespace {

// Of vectors with so many lanes.
double used(std::size_t n, std::size_t lanes) {
  return double(n) / double(base::roundUp(n, lanes));
}
std::size_t lanesOf(const poplar::Target &target) {
  return std::max<std::size_t>(1, openipu::traitsOf(target).floatLanes);
}
bool wantsChannelsLast(const poplar::Target &target) {
  return openipu::traitsOf(target).activations == openipu::ActivationOrder::ChannelsLast;
}

// Along the last dimension of the field, every output meets every kernel element, and neighbours
// are neighbours in the input.
bool hasEvenRows(const ConvParams &p) {
  const auto plain = [](const ConvParams::InputTransform &t) {
    return !t.truncationLower.back() && !t.truncationUpper.back() && !t.paddingLower.back() &&
           !t.paddingUpper.back() && !t.flip.back();
  };
  const auto &out = p.outputTransform;
  return !p.inputFieldShape.empty() && plain(p.inputTransform) &&
         p.inputTransform.dilation.back() == 1 && plain(p.kernelTransform) &&
         out.stride.back() == 1 && !out.truncationLower.back() && !out.truncationUpper.back() &&
         !out.paddingLower.back() && !out.paddingUpper.back();
}
// Whether images fill lanes, or images and positions of a row together fill more of them than
// channels would.
bool fillsLanes(const ConvParams &p, std::size_t lanes) {
  const auto fewLanes = std::max<std::size_t>(1, lanes / 2); // half a vector is worth it
  if (p.batchSize % fewLanes == 0)
    return true;
  const auto line = hasEvenRows(p) ? p.getOutputFieldShape().back() * p.batchSize : 0;
  return line >= fewLanes && used(line, lanes) > used(p.outputChannelsPerConvGroup, lanes);
}

} // namespace

Storage storageFor(const poplar::Target &target, const ConvParams &p) {
  const auto lanes = lanesOf(target);
  bool few = p.inputChannelsPerConvGroup <= lanes && p.outputChannelsPerConvGroup <= lanes &&
             p.numConvGroups == 1;
  bool field = std::accumulate(p.inputFieldShape.begin(), p.inputFieldShape.end(), std::size_t(1),
                               std::multiplies<>()) > 1;
  return !wantsChannelsLast(target) && few && field && p.batchSize &&
                 p.inputType == poplar::FLOAT && p.outputType == poplar::FLOAT &&
                 fillsLanes(p, lanes)
             ? Storage::BatchLast
             : Storage::ChannelsLast;
}

Storage storageFor(const poplar::Target &target, const ConvParams &p, const Tensor &input) {
  const auto lanes = lanesOf(target);
  std::vector<std::int64_t> strides;
  if (wantsChannelsLast(target) || input.numElements() == 0 || !openipu::hasStrides(input, strides))
    return storageFor(target, p);
  if (p.batchSize == 1 && p.getNumInputChans() == 1) // both ways at once
    return storageFor(target, p);
  bool batchLast = (p.batchSize == 1 ? strides.back() : strides[0]) == 1,
       channelsLast = strides[1] == 1;
  bool vectors = p.outputType == poplar::FLOAT && fillsLanes(p, lanes);
  if (batchLast && vectors && p.outputChannelsPerConvGroup <= 2 * lanes)
    return Storage::BatchLast;
  return channelsLast || batchLast ? Storage::ChannelsLast : storageFor(target, p);
}

Planned::Planned(const char *function, const poplar::Target &target, const ConvParams &params,
                 const poplar::OptionFlags &flags, PlanningCache *cache)
    : Planned(function, target, params, parseConvOptions(flags), cache) {}

Planned::Planned(const char *function, const poplar::Target &target, const ConvParams &params,
                 const ConvOptions &options, PlanningCache *cache)
    : params(params), options(options) {
  this->params.outputType = quarterOutput(function, params.inputType, params.outputType);
  checkTypes(function, this->params);
  params.validate();
  empty = isEmpty(params);
  if (!empty)
    plan = planConvolution(target, this->params, options, cache);
}

openipu::Plan Planned::steps(const poplar::Target &target) const {
  return empty ? openipu::Plan{} : supersteps(target, params, options, plan);
}

Tensor Planned::makeInput(poplar::Graph &graph, Storage storage,
                          const poplar::DebugContext &context) const {
  auto shape = activationShape(params.batchSize, params.getNumInputChans(), params.inputFieldShape);
  auto t = activations(graph, params.inputType, shape, storage, empty, context);
  if (!empty)
    mapInput(graph, t, params, plan);
  return t;
}

Tensor Planned::makeOutput(poplar::Graph &graph, Storage storage,
                           const poplar::DebugContext &context) const {
  auto shape =
      activationShape(params.batchSize, params.getNumOutputChans(), params.getOutputFieldShape());
  auto t = activations(graph, params.outputType, shape, storage, empty, context);
  if (!empty)
    mapOutput(graph, t, params, plan);
  return t;
}

// Stored [group][kernel...][in][out]: products with them walk along the output channels.
Tensor Planned::makeWeights(poplar::Graph &graph, const poplar::DebugContext &context) const {
  Shape shape{params.numConvGroups, params.outputChannelsPerConvGroup,
              params.inputChannelsPerConvGroup};
  shape.insert(shape.end(), params.kernelShape.begin(), params.kernelShape.end());
  std::vector<unsigned> order{0};
  for (unsigned d = 3; d < shape.size(); ++d)
    order.push_back(d);
  order.insert(order.end(), {2, 1});
  auto t = stored(graph, params.inputType, shape, order, empty, context);
  if (!empty)
    mapWeights(graph, t, params, plan);
  return t;
}

void checkTypes(const char *function, const ConvParams &p) {
  for (auto type : {p.inputType, p.outputType})
    if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::QUARTER)
      throw poplibs_error(str("poplin::", function, ": type ", type,
                              " in the parameters. Convolutions take float, half and quarter."));
  if (p.outputType == poplar::QUARTER && p.inputType != poplar::QUARTER)
    throw poplibs_error(str("poplin::", function, ": ", p.inputType,
                            " inputs do not give quarter. Cast the result."));
}

void checkActivations(const char *function, const char *what, const Tensor &t, poplar::Type type,
                      std::size_t batch, std::size_t channels, const Shape &field) {
  checkShape(function, what, t, activationShape(batch, channels, field),
             "[batch][channels][field...]");
  if (t.elementType() != type)
    throw poplibs_error(str("poplin::", function, ": the ", what, " are ", t.elementType(),
                            ", but the parameters ask for ", type, "."));
}

void checkInput(const char *function, const Tensor &in, const ConvParams &p) {
  checkActivations(function, "inputs", in, p.inputType, p.batchSize, p.getNumInputChans(),
                   p.inputFieldShape);
}

void checkOutput(const char *function, const char *what, const Tensor &out, poplar::Type type,
                 const ConvParams &p) {
  checkActivations(function, what, out, type, p.batchSize, p.getNumOutputChans(),
                   p.getOutputFieldShape());
}

void checkWeights(const char *function, const Tensor &weights, const ConvParams &p) {
  Shape shape{p.numConvGroups, p.outputChannelsPerConvGroup, p.inputChannelsPerConvGroup};
  shape.insert(shape.end(), p.kernelShape.begin(), p.kernelShape.end());
  checkShape(function, "weights", weights, shape, "[groups][out channels][in channels][kernel...]");
  if (weights.elementType() != p.inputType)
    throw poplibs_error(str("poplin::", function, ": the weights are ", weights.elementType(),
                            ", but the parameters ask for ", p.inputType, "."));
}

Tensor withField(const Tensor &t, const ConvParams &p) {
  return p.getNumFieldDims() ? t : t.expand({t.rank()});
}

Tensor transposedAndFlipped(const Tensor &weights) {
  auto t = weights.dimShufflePartial({1, 2}, {2, 1});
  for (unsigned d = 3; d < t.rank(); ++d)
    t = t.reverse(d);
  return t;
}

// Copies on the tile, at the rate that the planner charges for rearrangements.
openipu::Superstep transposeStep(const poplar::Graph &graph, const Tensor &weights) {
  auto type = weights.elementType();
  auto size = graph.getTarget().getTypeSize(type);
  auto bytesPerCycle = graph.getTarget().getMemcpyBytesPerCycle();
  return poputil::whereItLies(graph, weights, "WeightsTranspose",
                              poputil::templateVertex("poplar_rt::Transpose2D", type),
                              [&](std::uint64_t elements, std::uint32_t) {
                                return base::ceilDiv(elements * size, bytesPerCycle);
                              });
}

namespace {

Dim::Transform transform(const ConvParams::InputTransform &t, std::size_t dim,
                         std::size_t truncated, std::size_t transformed) {
  return {t.truncationLower[dim], std::int64_t(truncated),   t.dilation[dim],
          t.paddingLower[dim],    std::int64_t(transformed), t.flip[dim]};
}

Dim unitDim() {
  const Dim::Transform same{0, 1, 1, 0, 1, 0};
  return {1, 1, 1, same, same, 0, 1, 0, 1};
}

} // namespace

kernels::Geometry geometryOf(const ConvParams &p) {
  kernels::Geometry g;
  g.batch = p.batchSize;
  g.groups = p.numConvGroups;
  g.in = p.inputChannelsPerConvGroup;
  g.out = p.outputChannelsPerConvGroup;
  for (unsigned d = 0; d < p.getNumFieldDims(); ++d) {
    const auto &o = p.outputTransform;
    Dim dim{
        std::int64_t(p.inputFieldShape[d]),
        std::int64_t(p.kernelShape[d]),
        std::int64_t(p.getOutputSize(d)),
        transform(p.inputTransform, d, p.getTruncatedInputSize(d), p.getTransformedInputSize(d)),
        transform(p.kernelTransform, d, p.getTruncatedKernelSize(d), p.getTransformedKernelSize(d)),
        o.truncationLower[d],
        o.stride[d],
        o.paddingLower[d],
        0};
    dim.kept = dim.output - o.paddingLower[d] - o.paddingUpper[d];
    g.dims.push_back(dim);
  }
  if (g.dims.empty())
    g.dims.push_back(unitDim());
  return g;
}

} // namespace poplin::conv
