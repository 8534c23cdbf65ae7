// SPDX-License-Identifier: MIT
#include "ops/shared/scattering.hpp"

namespace popart::ops {

namespace {

Value counted(GradBuilder &g, Value condition, Value like) {
  return g.where(condition, g.scalar(1, like), g.scalar(0, like));
}

// Of largest and smallest: all that equal the result share dy, as in ReduceMax.
ScatterGrads shared(GradBuilder &g, const ScatterPlaces &at, Value data, Value updates, Value y) {
  const Value isData = g.op("Equal", {data, y}), isUpdate = g.op("Equal", {updates, at.read(y)});
  const Value n = at.add(counted(g, isData, y), counted(g, isUpdate, y));
  const Value share = g.div(g.dy(), g.op("Max", {n, g.scalar(1, n)})), zero = g.scalar(0, y);
  return {g.where(isData, share, zero), g.where(isUpdate, at.read(share), zero)};
}

// Of products: what an update was multiplied with. That is the product without zeros divided by it,
// and 0 if another factor of the same element is zero.
Value otherFactors(GradBuilder &g, const ScatterPlaces &at, Value data, Value updates) {
  const Value zero = g.scalar(0, data), one = g.scalar(1, data);
  const Value noData = g.op("Equal", {data, zero}), noUpdate = g.op("Equal", {updates, zero});
  const Value safe = g.where(noUpdate, one, updates);
  const Value product = at.multiply(g.where(noData, one, data), safe);
  const Value own = counted(g, noUpdate, data);
  const Value zeros = g.sub(at.read(at.add(counted(g, noData, data), own)), own);
  return g.where(g.op("Greater", {zeros, zero}), zero, g.div(at.read(product), safe));
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
  case Combine::Mul:
    return {at.multiply(dy, updates), g.mul(at.read(dy), otherFactors(g, at, data, updates))};
  default:
    return shared(g, at, data, updates, y);
  }
}

} // namespace popart::ops
