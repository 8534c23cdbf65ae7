// SPDX-License-Identifier: MIT
// Layer norm of the rows of a matrix, forwards and backwards: a row is read from memory once and
// stays in the first cache for the rest.
#pragma once
#include "NormLoops.hpp"

namespace poplin::norms {

// mean[r] and invStdDev[r] of every row; variance = squares about the mean * inverseCount.
struct LayerStatistics {
  float *mean, *invStdDev;
  double inverseCount, eps;
};
// y (unless null) = (x - mean) * invStdDev * gamma + beta
void layerForward(Shape2 shape, In x, Out y, const float *gamma, const float *beta,
                  LayerStatistics statistics);

struct LayerGradient {
  const float *mean, *invStdDev, *gamma;
  float *gammaSums, *betaSums; // or null; += for at most some hundred rows
};
// dx (or null) as in Gradients.cpp; gammaSums += g * whitened, betaSums += g
void layerBackward(Shape2 shape, In x, In g, Out dx, const LayerGradient &values);

} // namespace poplin::norms
