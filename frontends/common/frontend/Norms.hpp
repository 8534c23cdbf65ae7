// SPDX-License-Identifier: MIT
// Normalisations: y = (x - mean) / sqrt(variance + epsilon) * scale + offset.
#pragma once
#include "frontend/Writing.hpp"

namespace frontend {

struct Norm {
  Value x;             // [batch, channels, ...]; of layer norms any
  Value scale, offset; // per channel; of layer norms per element
  double epsilon;
};

// With these statistics.
Value fixedNorm(const Writing &w, const Norm &n, Value mean, Value variance);

// Running statistics: momentum * running + (1 - momentum) * those of the batch.
struct BatchStatistics {
  Value mean, variance;
  double momentum;
  bool sample = false; // the variance that is kept is that of n - 1
  std::int64_t replicas = 1;
};
struct BatchNorm {
  Value y, mean, variance;           // the new running ones
  Value batchMean, inverseDeviation; // of the batch
};
BatchNorm batchNorm(const Writing &w, const Norm &n, const BatchStatistics &running);

// Over groups of channels of every element of the batch: y, mean and 1/deviation. Groups whose
// channels are neighbours whatever the session's options say, if `neighbours`.
Values groupNorm(const Writing &w, const Norm &n, std::int64_t groups, bool neighbours);
// Over all dimensions from `axis` on.
Value layerNorm(const Writing &w, const Norm &n, std::int64_t axis);

// Mean and variance of rows [rows, n], each [rows, 1], in FLOAT.
std::pair<Value, Value> rowStatistics(const Writing &w, Value rows);

} // namespace frontend
