// SPDX-License-Identifier: MIT
// Losses of a classifier with their gradients, its accuracy, and the largest or smallest element of
// each row.
//
//   modelOutputs [batch][classes]   FLOAT or HALF; probabilities for the cross entropy
//   expected     [batch]            class of each row, INT or UNSIGNED_INT; MASKED_LABEL_CODE rows
//                                   contribute nothing (loss and deltas are 0)
//   loss         [batch]            written: -log(p[class]), or half the sum of squares
//   deltas       [batch][classes]   written: gradient by the input of the softmax, or by the
//   outputs deltasScale, modelOutputScaling one element each: gradients are scaled by the first,
//   outputs
//                                   carry the second (scaled softmax)
//   numCorrect   one element, INT or UNSIGNED_INT: the number of rows whose largest output is the
//                expected class is added to it, so set it to zero before the first batch
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>
#include <utility>

namespace popnn {

// Half the sum of squares, or -log of the expected class.
enum LossType { SUM_SQUARED_LOSS, CROSS_ENTROPY_LOSS };

// The program that computes loss and gradient, and counts right answers if numCorrect is given.
// Throws poputil::poplibs_error for shapes or types that do not fit.
poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                  const poplar::Tensor &expected, const poplar::Tensor &loss,
                                  const poplar::Tensor &deltas, const poplar::Tensor &deltasScale,
                                  const poplar::Tensor &modelOutputScaling, LossType lossType,
                                  const poplar::DebugContext &debugContext = {});
poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                  const poplar::Tensor &expected, const poplar::Tensor &loss,
                                  const poplar::Tensor &deltas, LossType lossType,
                                  const poplar::DebugContext &debugContext = {});
poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                  const poplar::Tensor &expected, const poplar::Tensor &loss,
                                  const poplar::Tensor &deltas, const poplar::Tensor &deltasScale,
                                  const poplar::Tensor &modelOutputScaling,
                                  const poplar::Tensor &numCorrect, LossType lossType,
                                  const poplar::DebugContext &debugContext = {});
poplar::program::Program calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                  const poplar::Tensor &expected, const poplar::Tensor &loss,
                                  const poplar::Tensor &deltas, const poplar::Tensor &numCorrect,
                                  LossType lossType, const poplar::DebugContext &debugContext = {});

// The program that counts the rows whose largest output is the expected class.
poplar::program::Program calcAccuracy(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
                                      const poplar::Tensor &expected,
                                      const poplar::Tensor &numCorrect,
                                      const poplar::DebugContext &debugContext = {});

// Per row of a [batch][n] tensor of FLOAT, HALF, INT or UNSIGNED_INT. Indices are UNSIGNED_INT; of
// equal elements the first counts.
poplar::Tensor argMax(poplar::Graph &graph, const poplar::Tensor &input,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
poplar::Tensor argMin(poplar::Graph &graph, const poplar::Tensor &input,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor>
maxAndArgMax(poplar::Graph &graph, const poplar::Tensor &input, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor>
minAndArgMin(poplar::Graph &graph, const poplar::Tensor &input, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {});
// The K largest of each row as [batch][1][K], largest first if `sort`; `indices` is set to where
// they were, of the same shape.
poplar::Tensor topK(poplar::Graph &graph, const poplar::Tensor &input, poplar::Tensor &indices,
                    unsigned K, bool sort, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});

} // namespace popnn
