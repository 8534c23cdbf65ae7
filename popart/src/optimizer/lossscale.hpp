// SPDX-License-Identifier: MIT
// The loss scale, and automatic loss scaling: a factor on the device multiplies the loss scale.
// Half precision gradients are counted by size for every micro-batch; with the first weight update
// and every updatePeriod ones from there the factor is halved if too many of them were large, else
// doubled.
#pragma once
#include "optimizer/update.hpp"

namespace popart::optimizer {

// The value the chain of gradients starts from: a constant, or the variable lossScaling_<type>;
// with automatic loss scaling times its factor. A FLOAT scale of a FLOAT16 loss comes in two parts:
// what FLOAT16 can hold, and the rest (FLOAT), by which gradients are multiplied later.
struct LossScale {
  ir::Value start, rest = ir::none;
};
LossScale lossScale(ir::Graph &graph, const Optimizer &optimizer, DataType type,
                    const Context &context = {});

// What that variable is: its slot, and its value now. popart::error if the type cannot hold it.
inline constexpr const char *lossScalingSlot = "lossScaling";
ir::HostTensor lossScaleOf(const Optimizer &optimizer, DataType type);

// The variable of the factor (FLOAT), whose slot is lossScaleFactor; `none` in models without
// automatic loss scaling.
ir::Value lossScaleFactor(const ir::Graph &graph);

// Counts the gradients that the settings say, of those that the gradients of weights depend on.
// `all` is everything that was differentiated. popart::error if none of them is FLOAT16.
void trackGradients(ir::Graph &graph, const autodiff::Gradients &all,
                    const std::set<ir::Value> &weights, const Context &context);

// After all weight updates: the factor of the next one.
void addLossScaleUpdate(ir::Graph &graph, const Context &context);

} // namespace popart::optimizer
