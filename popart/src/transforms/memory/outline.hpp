// SPDX-License-Identifier: MIT
// Finds what a graph does several times: the layers of a transformer, forwards and backwards. One
// function on the device in their place saves code; its arguments have to be copied in and out.
// Whether that pays is weighed as follows, in units that are about four bytes of code on each tile:
//
//   worth = (calls - 1) * value of the nodes - copies - breaks
//
// Products, convolutions, norms and whatever else has vertices of its own count 1000, element-wise
// operators 0.1, views nothing. Copies are counted with enableOutliningCopyCostPruning only:
// buffers once, copying a tenth of that for every call. A break is an end of a call between two
// nodes that communicate, which could otherwise do so at once; it costs outlineSequenceBreakCost.
// Stretches are outlined when their worth reaches outlineThreshold, and always when that is
// negative.
#pragma once
#include "ir/outline.hpp"
#include <popart/sessionoptions.hpp>
#include <set>

namespace popart::transforms {

// The calls of a graph whose nodes will stay as they are. Values in `kept` are not made within one.
ir::Calls outline(const ir::Graph &graph, const std::set<ir::Value> &kept,
                  const SessionOptions &options);

} // namespace popart::transforms
