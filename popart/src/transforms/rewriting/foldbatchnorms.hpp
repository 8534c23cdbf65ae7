// SPDX-License-Identifier: MIT
// BatchNormalization of an inference becomes part of the convolution or product in front of it:
//   scale (w x + b - mean) / deviation + bias  =  (w m) x + (bias + (b - mean) m),  m = scale /
//   deviation
// One without such a neighbour becomes x m + a, which fuses with others. The new weights are made
// by the host, or by nodes that need nothing but weights, which run once
// (transforms/memory/findsetup.hpp). Values in `kept` stay.
#pragma once
#include "ir/foldednorm.hpp"
#include "ir/graph.hpp"
#include <functional>
#include <set>

namespace popart::transforms {

// The number of normalisations that went into weights. Those of variables are added to `byHost`,
// which makes what they become; without it the tiles do, whenever weights come.
unsigned foldBatchNorms(ir::Graph &graph, const std::set<ir::Value> &kept,
                        std::vector<ir::FoldedNorm> *byHost = nullptr);

struct FoldedValues {
  ir::HostTensor weights, bias;
};
// From the values of the variables that it is made of.
FoldedValues foldOnHost(const ir::FoldedNorm &norm, DataType bias,
                        const std::function<ir::HostTensor(const TensorId &)> &values);

} // namespace popart::transforms
