// SPDX-License-Identifier: MIT
// Where channels are: TensorFlow's data_format. PopART's are second, which is a view of the other.
#pragma once
#include "core/Call.hpp"
#include "frontend/Windows.hpp"

namespace tensorflow {

// "NHWC", "NWC", "NDHWC" or none: true.
bool channelsLast(const Call &c);
Value toChannelsSecond(const Call &c, Value v);
Value fromChannelsSecond(const Call &c, Value v);
// A list of TensorFlow with one number per dimension of the tensor: those of the field.
Integers ofField(const Call &c, const Integers &perDimension);
// [C] for products with the input of the node.
Value alongChannels(const Call &c, Value v, std::size_t rank);

// Paddings (begins, then ends) of windows over a field: "VALID", "SAME" or "EXPLICIT".
Integers padsOf(const Call &c, const frontend::Window &w);

} // namespace tensorflow
