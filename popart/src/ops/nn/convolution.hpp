// SPDX-License-Identifier: MIT
// What a convolution and its two gradients share: the poplin parameters of the forward pass, from
// which all three are planned.
#pragma once
#include "lowering/lowering.hpp"
#include "ops/nn/window.hpp"
#include <poplin/Convolution.hpp>

namespace popart::ops {

// y [batch][out...] = conv(x [batch][groups * in...], w [groups * out][in][kernel...])
struct Convolution {
  DataType type;
  std::int64_t batch, groups, inPerGroup, outPerGroup;
  Window window;

  Shape inputShape() const { return withField(batch, groups * inPerGroup, window.field); }
  Shape outputShape() const { return withField(batch, groups * outPerGroup, window.output()); }
  Shape weightShape() const;
  poplin::ConvParams params() const;
  // [groups * out][in][kernel...] <-> [groups][out][in][kernel...]
  poplar::Tensor grouped(const poplar::Tensor &weights) const;
  poplar::Tensor flat(const poplar::Tensor &weights) const;
  // Attributes of the gradients: the window and the groups.
  Attributes attributes() const;
};

// Of a node whose inputs are x and w; checks both.
Convolution forwardOf(const OpView &op);
// Of a ConvDataGrad node (dy, w) and a ConvWeightGrad node (dy, x).
Convolution forwardOfDataGrad(const OpView &op);
Convolution forwardOfWeightGrad(const OpView &op);

// FLOAT or FLOAT16, the same for all inputs.
void requireConvTypes(const OpView &op);
// A bias has one element for every output channel.
void requireBias(const OpView &op, std::int64_t channels);
// Options of the node's convolution; in training `pass` says which of the three it is.
poplar::OptionFlags convOptions(const lowering::Lowering &l, const OpView &op, const char *pass);
// A tensor for an output without elements.
poplar::Tensor emptyOutput(lowering::Lowering &l, const OpView &op);

} // namespace popart::ops
