// SPDX-License-Identifier: MIT
// Activations of gates and other arithmetic that recurrent cells share.
#include "rnn/Gates.hpp"
#include "base/Simd.hpp"
#include "base/Stochastic.hpp"
#include "softmax/SoftmaxLoops.hpp"
#include <stdexcept>

namespace popnn::rnn {

namespace {

OPENIPU_SIMD void sigmoid(float *v, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    v[i] = 1 / (1 + expf(-v[i]));
}
OPENIPU_SIMD void hyperbolicTangent(float *v, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    v[i] = tanhf(v[i]);
}
OPENIPU_SIMD void hardSigmoid(float *v, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const float x = 0.2f * v[i] + 0.5f;
    v[i] = x < 0 ? 0 : x > 1 ? 1 : x;
  }
}
OPENIPU_SIMD void rectify(float *v, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    v[i] = v[i] > 0 ? v[i] : 0;
}

OPENIPU_SIMD void sigmoidGradient(const float *y, float *g, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    g[i] *= y[i] * (1 - y[i]);
}
OPENIPU_SIMD void tangentGradient(const float *y, float *g, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    g[i] *= 1 - y[i] * y[i];
}
// As NonLinearities.def: the value is compared with [-2.5, 2.5], as if it were the argument.
OPENIPU_SIMD void hardSigmoidGradient(const float *y, float *g, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    g[i] *= y[i] >= -2.5f && y[i] <= 2.5f ? 0.2f : 0;
}
OPENIPU_SIMD void rectifyGradient(const float *y, float *g, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    g[i] *= y[i] > 0 ? 1 : 0;
}

[[noreturn]] void damaged() {
  throw std::runtime_error("A recurrent layer has an activation that no cell can use: the "
                           "executable is damaged. Compile it again.");
}

} // namespace

void activate(NonLinearityType type, float *values, std::size_t n) {
  switch (type) {
  case NonLinearityType::SIGMOID:
    return sigmoid(values, n);
  case NonLinearityType::TANH:
    return hyperbolicTangent(values, n);
  case NonLinearityType::HARD_SIGMOID:
    return hardSigmoid(values, n);
  case NonLinearityType::RELU:
    return rectify(values, n);
  case NonLinearityType::SOFTMAX:
  case NonLinearityType::SOFTMAX_STABLE:
    return softmaxRow({type == NonLinearityType::SOFTMAX_STABLE, false, 1}, values, values, n);
  default:
    damaged();
  }
}

void multiplyByGradient(NonLinearityType type, const float *y, float *gradient, std::size_t n) {
  switch (type) {
  case NonLinearityType::SIGMOID:
    return sigmoidGradient(y, gradient, n);
  case NonLinearityType::TANH:
    return tangentGradient(y, gradient, n);
  case NonLinearityType::HARD_SIGMOID:
    return hardSigmoidGradient(y, gradient, n);
  case NonLinearityType::RELU:
    return rectifyGradient(y, gradient, n);
  case NonLinearityType::SOFTMAX:
  case NonLinearityType::SOFTMAX_STABLE:
    return softmaxGradientRow(y, gradient, gradient, n);
  default:
    damaged();
  }
}

Lengths::Lengths(const openipu::KernelOperand *operand, std::size_t batch, std::size_t maxSteps)
    : loop(maxSteps), maxSteps_(maxSteps) {
  if (!operand)
    return;
  if (operand->elements != 1 && operand->elements != batch)
    throw std::runtime_error("A recurrent layer has a list of lengths of another batch: the "
                             "executable is damaged. Compile it again.");
  perElement = operand->elements > 1 || operand->shape.size() == 1;
  isSigned_ = operand->type == openipu::TypeId::Int;
  const auto *values = operand->as<const std::uint32_t>();
  stride_ = operand->elements > 1 ? operand->strides[0] : 0;
  loop = 0;
  const auto different = stride_ ? batch : std::min<std::size_t>(batch, 1);
  for (std::size_t e = 0; e < different; ++e)
    loop = std::max(loop, steps(values[std::int64_t(e) * stride_]));
  if (stride_)
    values_ = values;
}

void roundToHalf(const openipu::Rounding &rounding, std::size_t row, Rounded what, float *values,
                 std::size_t n) {
  base::limitToHalf(values, n, rounding.overflow);
  if (!rounding.stochastic)
    return base::roundToHalf(values, n);
  const auto place = std::uint64_t(row) * 8 + std::uint64_t(what) + 1;
  base::roundToHalfStochastically(values, n, base::mix(rounding.key + base::mix(place)));
}

OPENIPU_SIMD void product(const float *a, const float *b, float *to, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k)
    to[k] = a[k] * b[k];
}
OPENIPU_SIMD void addProduct(const float *a, const float *b, float *to, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k)
    to[k] += a[k] * b[k];
}
OPENIPU_SIMD void addRow(const float *from, float *to, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k)
    to[k] += from[k];
}

void sumRows(const float *values, std::size_t rows, std::size_t n, std::size_t row, float *sum) {
  base::parallelFor(n, 256, [&](std::size_t begin, std::size_t end, unsigned) {
    std::fill(sum + begin, sum + end, 0.f);
    for (std::size_t r = 0; r < rows; ++r)
      addRow(values + r * row + begin, sum + begin, end - begin);
  });
}

void fillRows(float *to, std::size_t rows, std::size_t n, std::size_t row, const float *value) {
  base::parallelFor(rows, std::max<std::size_t>(1, 65536 / (n + 1)),
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (auto r = begin; r < end; ++r)
                        std::copy_n(value, n, to + r * row);
                    });
}

} // namespace popnn::rnn
