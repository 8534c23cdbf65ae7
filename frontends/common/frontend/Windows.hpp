// SPDX-License-Identifier: MIT
// Windows of convolutions and pools over a field, [batch, channels, field...]. Paddings are
// PopART's: the begins of all dimensions, then the ends.
#pragma once
#include "frontend/Writing.hpp"

namespace frontend {

struct Window {
  Shape field;
  Integers kernel, strides, dilations, pads;

  std::size_t dims() const { return field.size(); }
  // The elements from the first to the last of a window.
  std::int64_t extent(std::size_t d) const { return (kernel[d] - 1) * dilations[d] + 1; }
  // How many windows fit into the field and its paddings.
  std::int64_t outputs(std::size_t d) const {
    return (field[d] + pads[d] + pads[d + dims()] - extent(d)) / strides[d] + 1;
  }
  bool isPadded() const { return pads != Integers(pads.size(), 0); }
};

// The dimensions behind batch and channels.
Shape fieldOf(const Shape &shape);

// "SAME": as many outputs as the field has strides, rounded up; the odd element of padding is last.
Integers samePads(const Window &w);
// The same amount at both ends of every dimension.
Integers padsOfBoth(Integers amounts);
// Of begin and end of the first dimension, begin and end of the second ...
Integers padsOfPairs(const Integers &pairs);

// [batch, field..., channels] with the channels second, and back. Fewer than three dimensions are
// left as they are.
Value channelsSecond(const Writing &w, Value v);
Value channelsBehind(const Writing &w, Value v);
// One number for every channel, for products with a tensor of that rank.
Value alongChannels(const Writing &w, Value v, std::size_t rank);

} // namespace frontend
