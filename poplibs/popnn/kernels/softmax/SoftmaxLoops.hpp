// SPDX-License-Identifier: MIT
// Softmax of rows that lie side by side in memory, and of columns. Maximum, exponentials, sum and
// scaling of a row follow each other while it is in cache.
#pragma once
#include <cstddef>
#include <cstdint>

namespace popnn {

struct RowForm {
  bool stable, log;
  float scaling;
};

// y may be x.
void softmaxRow(RowForm form, const float *x, float *y, std::size_t n);
void softmaxGradientRow(const float *y, const float *g, float *dx, std::size_t n);

// (p - onehot) * scale, p = x or exp(x); a label that is no class has no one.
void softmaxLossGradientRow(bool logarithms, const float *x, float *dx, std::size_t n, float scale,
                            std::size_t label);

// n rows of `width` columns, each column a softmax; `work` is room for 3 * width floats.
struct Columns {
  std::size_t n, width;
  std::int64_t xLd, yLd;
};
void softmaxColumns(RowForm form, const float *x, float *y, Columns shape, float *work);
struct GradientColumns {
  std::size_t n, width;
  std::int64_t yLd, gLd, dxLd;
};
void softmaxGradientColumns(const float *y, const float *g, float *dx, GradientColumns shape,
                            float *work);

} // namespace popnn
