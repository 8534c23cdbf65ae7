// SPDX-License-Identifier: MIT
// Pools through popnn, and, for what popnn has not (dilated windows, positions of maxima), the
// windows of a pool as views of the padded input.
#pragma once
#include "lowering/lowering.hpp"
#include "ops/nn/window.hpp"
#include <popnn/Pooling.hpp>

namespace popart::ops {

// The window of a pool node (attribute kernel_shape) over its input x of this shape.
Window poolWindow(const OpView &op, const Shape &x);
// Output shape: batch and channels of x, field of the window.
Shape pooledShape(const Shape &x, const Window &w);
popnn::pooling::PoolParams poolParams(popnn::PoolingType type, const Shape &x, const Window &w,
                                      const poplar::Type &elements);

// For every position in the kernel (row-major) what the windows have there: a view [batch]
// [channels][output field...] of x, padded with `padding` (one element).
Tensors windowViews(const poplar::Tensor &x, const Window &w, const poplar::Tensor &padding);
// The same of an x that is padded already.
Tensors windowViewsOfPadded(const poplar::Tensor &x, const Window &w);
// x with padding around; negative padding cuts off.
poplar::Tensor padded(const poplar::Tensor &x, const Window &w, const poplar::Tensor &padding);
// The attributes that say what the window is, for a node that rebuilds it.
Attributes poolAttributes(const OpView &op);

} // namespace popart::ops
