// SPDX-License-Identifier: MIT
// Paddings, strides and layouts of convolutions and pools.
#pragma once
#include "core/Call.hpp"
#include "frontend/Windows.hpp"

namespace paddleipu {

// Channels behind the spatial dimensions: such inputs and outputs are turned.
bool channelsLast(const Call &c, const char *attribute);
inline Value toChannelsFirst(const Call &c, Value v, bool last) {
  return last ? frontend::channelsSecond(c, v) : v;
}
inline Value fromChannelsFirst(const Call &c, Value v, bool last) {
  return last ? frontend::channelsBehind(c, v) : v;
}

// Begins, then ends: of `paddings` ([h, w] or [top, bottom, left, right]), or by padding_algorithm.
Integers padsOf(const Call &c, const frontend::Window &w);

} // namespace paddleipu
