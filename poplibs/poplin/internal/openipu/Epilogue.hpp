// SPDX-License-Identifier: MIT
// Products and convolutions together with the element-wise work that follows them:
//
//   y = activation(product + bias + addend)
//
// One operation. The host adds and activates a block of results while it is in the nearest cache,
// and rounds it once; on the device the vertices of the element-wise part run where the results
// lie, after the product's own, with what they need brought along in an exchange of the product's.
#pragma once
#include "openipu/Activation.hpp"
#include "poplin/ConvParams.hpp"
#include "poplin/PlanningCache.hpp"
#include <optional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

namespace poplar::openipu {

struct Epilogue {
  std::optional<poplar::Tensor> bias;   // [output channels], of all groups one after the other
  std::optional<poplar::Tensor> addend; // the shape of the result
  Activation activation = Activation::None;
};

// As poplin's functions of these names; biases and addends have the type of the result. Throw
// poplibs_error when a shape or type does not fit.
poplar::Tensor convolution(poplar::Graph &graph, const poplar::Tensor &in,
                           const poplar::Tensor &weights, const poplin::ConvParams &params,
                           bool transposeAndFlipWeights, const Epilogue &epilogue,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {},
                           poplin::PlanningCache *cache = nullptr);
// A is [m][k], B [k][n], the bias [n].
poplar::Tensor matMul(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                      const poplar::Type &outputType, const Epilogue &epilogue,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      poplin::PlanningCache *cache = nullptr);
// A is [g][m][k], B [g][k][n], the bias [g * n].
poplar::Tensor matMulGrouped(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,
                             const poplar::Type &outputType, const Epilogue &epilogue,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             poplin::PlanningCache *cache = nullptr);

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
