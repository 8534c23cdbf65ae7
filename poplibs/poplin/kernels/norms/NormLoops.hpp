// SPDX-License-Identifier: MIT
// The inner loops of norms on blocks of floats: `rows` rows of `n`, `ld` floats apart. Values that
// belong to columns come as vectors (`statV`, `paramV` say which); else as single values.
#pragma once
#include <cstddef>
#include <cstdint>

namespace poplin::norms {

struct Shape2 {
  std::size_t rows, n;
};
struct In {
  const float *at;
  std::int64_t ld;
};
struct Out {
  float *at; // or null
  std::int64_t ld;
};
// A value for all columns, or one per column.
struct Value {
  float one = 0;
  const float *each = nullptr;
};

// w = (x - mean) * invStdDev, y = w * gamma + beta
struct AffineValues {
  Value mean, invStdDev, gamma, beta;
};
void affineBlock(Shape2 shape, In x, Out y, Out w, const AffineValues &values);

// dx = a * gamma * g + b * (x - mean) + c
struct GradientValues {
  Value mean, a, b, c, gamma;
};
void gradientBlock(Shape2 shape, In x, In g, Out dx, const GradientValues &values);

struct Sums {
  double first = 0, second = 0;
};
// Sums of (x - shift) and of its square.
Sums momentsBlock(Shape2 shape, In x, float shift);
// Sums of gamma * g and of gamma * g * (x - mean) * invStdDev.
Sums productsBlock(Shape2 shape, In x, In g, Value mean, Value invStdDev, Value gamma);

// The same per column: first[j] += ..., second[j] += ...; shift and mean one per column.
void momentsByColumn(Shape2 shape, In x, const float *shift, double *first, double *second);
void productsByColumn(Shape2 shape, In x, In g, const float *mean, const float *invStdDev,
                      double *first, double *second);
// For rows whose statistics differ but do not vary along the row: float sums of a few rows.
void addProducts(Shape2 shape, In x, In g, float mean, float invStdDev, float *first,
                 float *second);
// Per column, the mean of the block.
void meansByColumn(Shape2 shape, In x, float *means);

} // namespace poplin::norms
