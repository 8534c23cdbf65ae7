// SPDX-License-Identifier: MIT
// ROI align: each bin of a region is the average of bilinear samples of the data. Tiles:
// ROIAlignForward/Backward.
#include "popnn/experimental/ROIAlign.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "openipu/Operation.hpp"
#include "poplin/Steps.hpp"
#include "popnn/kernels/RoiAlign.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include <cmath>

namespace popnn::experimental {
namespace {

void check(const poplar::Tensor &data, const poplar::Tensor &rois, const poplar::Tensor &indices,
           const roiAlignParams &params, const char *api) {
  auto type = data.elementType();
  if (data.rank() != 4 || data.numElements() == 0 ||
      (type != poplar::FLOAT && type != poplar::HALF))
    throw poputil::poplibs_error(base::str(api, ": data is ", type, base::list(data.shape()),
                                           "; give FLOAT or HALF of [batch][channels][H][W]"));
  if (rois.rank() != 2 || rois.dim(1) != 4 ||
      (rois.elementType() != poplar::FLOAT && rois.elementType() != poplar::HALF))
    throw poputil::poplibs_error(base::str(api, ": regions are ", rois.elementType(),
                                           base::list(rois.shape()),
                                           "; give FLOAT or HALF of [regions][4]"));
  auto index = indices.elementType();
  if (indices.rank() != 1 || indices.dim(0) != rois.dim(0) ||
      (index != poplar::FLOAT && index != poplar::HALF && index != poplar::INT &&
       index != poplar::UNSIGNED_INT))
    throw poputil::poplibs_error(base::str(api, ": batch indices are ", index,
                                           base::list(indices.shape()), " for ", rois.dim(0),
                                           " regions; give one number per region"));
  if (params.poolH < 1 || params.poolW < 1 || params.samplingRatio < 0)
    throw poputil::poplibs_error(base::str(api, ": ", params.poolH, " x ", params.poolW,
                                           " bins with sampling ratio ", params.samplingRatio,
                                           "; bins must be positive and the ratio not negative"));
}

kernels::RoiAlignOf attributesOf(const roiAlignParams &p) {
  return {std::int32_t(p.samplingRatio), std::int32_t(p.poolH), std::int32_t(p.poolW), p.aligned,
          p.spatialScale};
}

// Tiles split the channels; each needs its channels of the data and all regions. A sample takes
// four loads, four multiplications and additions, and its position some twenty operations more.
openipu::Plan plan(const poplar::Graph &graph, const poplar::Tensor &data, std::size_t regions,
                   const roiAlignParams &p, const char *name, const char *vertex) {
  std::uint64_t channels = data.dim(1), batch = data.dim(0), plane = data.dim(2) * data.dim(3);
  auto tiles = std::min<std::uint64_t>(channels, graph.getTarget().getNumTiles());
  auto perTile = base::ceilDiv(channels, tiles);
  std::uint64_t size = graph.getTarget().getTypeSize(data.elementType());
  // Without a ratio, samples are as dense as the data: a region of the whole field at most.
  auto samples = p.samplingRatio > 0
                     ? std::uint64_t(p.samplingRatio) * p.samplingRatio * p.poolH * p.poolW
                     : plane;
  const auto &chip = openipu::chipOf(graph);
  openipu::TileWork work;
  work.count = unsigned(tiles);
  work.cycles = chip.onWorkers(20 + chip.workerShare(regions * samples * (20 + 12 * perTile)));
  work.bytesIn = batch * perTile * plane * size + regions * 5 * 4;
  openipu::Superstep step;
  step.name = name;
  step.vertex = vertex + ("<" + data.elementType().toString() + ">");
  step.tiles.push_back(work);
  step.flops = regions * samples * channels * 8;
  openipu::Plan plan;
  plan.add(std::move(step));
  return plan;
}

} // namespace

poplar::Tensor roiAlignFwd(poplar::Graph &graph, poplar::program::Sequence &prog,
                           const poplar::Tensor &bottomData, const poplar::Tensor &bottomRois,
                           const poplar::Tensor &bottomBatchIndex, const roiAlignParams &params,
                           const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(bottomData, bottomRois, bottomBatchIndex));
  check(bottomData, bottomRois, bottomBatchIndex, params, "popnn::experimental::roiAlignFwd");
  auto out = graph.addVariable(
      bottomData.elementType(),
      {bottomRois.dim(0), bottomData.dim(1), std::size_t(params.poolH), std::size_t(params.poolW)},
      {di, "pooled"});
  poputil::mapTensorLinearly(graph, out);
  prog.add(openipu::operation(graph, {kernels::roiAlign,
                                      {openipu::out(out), openipu::in(bottomData),
                                       openipu::in(bottomRois), openipu::in(bottomBatchIndex)},
                                      attributesOf(params).write(),
                                      plan(graph, bottomData, bottomRois.dim(0), params, "ROIAlign",
                                           "popnn::ROIAlignForward"),
                                      {di, "roiAlign"}}));
  di.addOutput(out);
  return out;
}

poplar::Tensor
roiAlignInputGradient(poplar::Graph &graph, poplar::program::Sequence &prog,
                      const poplar::Tensor &bottomData, const poplar::Tensor &bottomRois,
                      const poplar::Tensor &bottomBatchIndex, const poplar::Tensor &topGradient,
                      const roiAlignParams &params, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(bottomData, bottomRois, bottomBatchIndex, topGradient));
  const char *api = "popnn::experimental::roiAlignInputGradient";
  check(bottomData, bottomRois, bottomBatchIndex, params, api);
  std::vector<std::size_t> shape{bottomRois.dim(0), bottomData.dim(1), std::size_t(params.poolH),
                                 std::size_t(params.poolW)};
  if (topGradient.shape() != shape || topGradient.elementType() != bottomData.elementType())
    throw poputil::poplibs_error(base::str(api, ": the gradient is ", topGradient.elementType(),
                                           base::list(topGradient.shape()), "; it must be ",
                                           bottomData.elementType(), base::list(shape)));
  auto dx = graph.clone(bottomData, {di, "inputGradient"});
  prog.add(openipu::operation(graph, {kernels::roiAlignGradient,
                                      {openipu::out(dx), openipu::in(topGradient),
                                       openipu::in(bottomRois), openipu::in(bottomBatchIndex)},
                                      attributesOf(params).write(),
                                      plan(graph, bottomData, bottomRois.dim(0), params,
                                           "ROIAlignGradient", "popnn::ROIAlignBackward"),
                                      {di, "roiAlignGradient"}}));
  di.addOutput(dx);
  return dx;
}

} // namespace popnn::experimental
