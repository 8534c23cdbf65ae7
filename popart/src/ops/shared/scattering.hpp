// SPDX-License-Identifier: MIT
// Gradients that all scatters have in common, given how to read and write at their indices.
#pragma once
#include "opdef/graphbuilder.hpp"
#include "ops/shared/lookups.hpp"
#include <functional>

namespace popart::ops {

struct ScatterPlaces {
  std::function<Value(Value)> read;            // what lies at the indices, in the shape of updates
  std::function<Value(Value, Value)> write;    // a tensor with its elements at the indices replaced
  std::function<Value(Value, Value)> multiply; // and with them multiplied
  std::function<Value(Value, Value)> add;      // and with something added to them
};

// Gradients of data and updates of y = scatter(data, updates).
struct ScatterGrads {
  Value data, updates;
};
ScatterGrads scatterGrads(GradBuilder &g, Combine how, const ScatterPlaces &at, Value data,
                          Value updates, Value y);

} // namespace popart::ops
