// SPDX-License-Identifier: MIT
// A window that slides over the spatial dimensions of [batch][channels][field...]: what
// convolutions and pools have in common, read from the attributes strides, dilations, pads,
// auto_pad and ceil_mode.
#pragma once
#include "opdef/opview.hpp"

namespace popart::ops {

struct Window {
  Shape field, kernel, strides, dilations;
  Shape lower, upper; // padding; negative: so many elements are left out
  Shape rounding;     // the part of `upper` that is there only because sizes are rounded up

  std::size_t dims() const { return field.size(); }
  // Elements from the first to the last that a window covers.
  std::int64_t extent(std::size_t d) const { return (kernel[d] - 1) * dilations[d] + 1; }
  Shape output() const;
  bool isDilated() const;
  bool isPadded() const;
  // The window as attributes strides, dilations and pads.
  Attributes attributes() const;
};

// The dimensions of a shape behind batch and channels.
Shape fieldOf(const Shape &shape);
// Batch and channels, then the field.
Shape withField(std::int64_t batch, std::int64_t channels, const Shape &field);

// The window of a node; popart::error for attributes that do not fit.
Window windowOf(const OpView &op, const Shape &field, const Shape &kernel);
// The attribute as one number per spatial dimension, at least `least`; all `otherwise` if absent.
Shape perDimension(const OpView &op, const std::string &name, std::size_t dims,
                   std::int64_t otherwise, std::int64_t least);
// popart::error unless the input has at least one spatial dimension.
void requireSpatial(const OpView &op);

} // namespace popart::ops
