// SPDX-License-Identifier: MIT
// Paddings, strides and layouts of convolutions and pools.
#pragma once
#include "core/Call.hpp"

namespace paddleipu {

// Channels behind the spatial dimensions: such inputs and outputs are turned.
bool channelsLast(const Call &c, const char *attribute);
Value toChannelsFirst(const Call &c, Value v, bool last);
Value fromChannelsFirst(const Call &c, Value v, bool last);

// n numbers; one stands for all.
Integers repeated(const Call &c, const char *attribute, std::size_t n, std::int64_t otherwise);

// Begins, then ends: of `paddings` ([h, w] or [top, bottom, left, right]), or by padding_algorithm.
Integers padsOf(const Call &c, const Shape &field, const Integers &kernel, const Integers &strides,
                const Integers &dilations);

} // namespace paddleipu
