// SPDX-License-Identifier: MIT
// Automatic loss scaling: a factor on the device multiplies the loss scale. Half precision
// gradients are counted by size for every micro-batch; with the first weight update and every
// updatePeriod ones from there the factor is halved if too many of them were large, else doubled.
#pragma once
#include "optimizer/update.hpp"

namespace popart::optimizer {

// The variable of the factor (FLOAT); `none` in models without automatic loss scaling.
ir::Value lossScaleFactor(const ir::Graph &graph);

// The loss scale, which begins with this one, times its factor. popart::error for optimisers that
// do not allow it.
ir::Value automaticLossScale(ir::Graph &graph, const Optimizer &optimizer,
                             const ir::HostTensor &first, const Context &context);

// Counts the gradients that the settings say, of those that the gradients of weights depend on.
// `all` is everything that was differentiated. popart::error if none of them is FLOAT16.
void trackGradients(ir::Graph &graph, const autodiff::Gradients &all,
                    const std::set<ir::Value> &weights, const Context &context);

// After all weight updates: the factor of the next one.
void addLossScaleUpdate(ir::Graph &graph, const Context &context);

} // namespace popart::optimizer
