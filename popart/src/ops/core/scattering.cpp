// SPDX-License-Identifier: MIT
#include "ops/core/scattering.hpp"

namespace popart::ops {

namespace {

// Of largest and smallest: where the result is the element, all of dy belongs to it.
Value whereEqual(GradBuilder &g, Value a, Value b, Value dy) {
  return g.where(g.op("Equal", {a, b}), dy, g.scalar(0, dy));
}

} // namespace

ScatterGrads scatterGrads(GradBuilder &g, Combine how, const ScatterPlaces &at, Value data,
                          Value updates, Value y) {
  const Value dy = g.dy();
  switch (how) {
  case Combine::Replace:
    return {at.write(dy, g.zerosLike(updates)), at.read(dy)};
  case Combine::Add:
    return {dy, at.read(dy)};
  case Combine::Mul: // what a factor was multiplied with is the product divided by it
    return {at.multiply(dy, updates), g.div(at.read(g.mul(dy, y)), updates)};
  default:
    return {whereEqual(g, data, y, dy), whereEqual(g, updates, at.read(y), at.read(dy))};
  }
}

} // namespace popart::ops
