// SPDX-License-Identifier: MIT
// Average pooling of regions of interest with bilinear sampling (Mask R-CNN), and its gradient.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>

namespace popnn {
namespace experimental {

// How regions are cut out and sampled.
struct roiAlignParams {
  int samplingRatio;  // samples per side of a bin; 0: one per input element, rounded up
  int poolH, poolW;   // bins of the result
  bool aligned;       // pixel centres are at half-integers; small regions are not widened to 1
  float spatialScale; // from coordinates of regions to elements of the data

  roiAlignParams(int samplingRatio, int poolH, int poolW, bool aligned, float spatialScale)
      : samplingRatio(samplingRatio), poolH(poolH), poolW(poolW), aligned(aligned),
        spatialScale(spatialScale) {}
};

// data [batch][channels][H][W], regions [n][4] as (x1, y1, x2, y2), batchIndex [n]; returns
// [n][channels][poolH][poolW].
poplar::Tensor roiAlignFwd(poplar::Graph &graph, poplar::program::Sequence &prog,
                           const poplar::Tensor &bottomData, const poplar::Tensor &bottomRois,
                           const poplar::Tensor &bottomBatchIndex, const roiAlignParams &params,
                           const poplar::DebugContext &debugContext = {});

// The gradient of the data from the gradient of the result.
poplar::Tensor
roiAlignInputGradient(poplar::Graph &graph, poplar::program::Sequence &prog,
                      const poplar::Tensor &bottomData, const poplar::Tensor &bottomRois,
                      const poplar::Tensor &bottomBatchIndex, const poplar::Tensor &topGradient,
                      const roiAlignParams &params, const poplar::DebugContext &debugContext = {});

} // namespace experimental
} // namespace popnn
