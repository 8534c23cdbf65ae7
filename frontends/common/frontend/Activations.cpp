// SPDX-License-Identifier: MIT
#include "frontend/Activations.hpp"

#include <cmath>

namespace frontend {

Value between(const Writing &w, Value x, double low, double high) {
  if (!w.isFloating(x))
    return w.m.op("Clip", {x, w.m.scalar(std::trunc(low), x), w.m.scalar(std::trunc(high), x)});
  return w.m.op("HardTanh", {x}, {{"min", float(low)}, {"max", float(high)}});
}
Value leakyRelu(const Writing &w, Value x, double slope) {
  return w.m.op("LeakyRelu", {x}, {{"alpha", float(slope)}});
}
Value withSlope(const Writing &w, Value x, Value slope) {
  return w.m.where(w.compared("Greater", x, 0), x, w.m.mul(slope, x));
}
Value elu(const Writing &w, Value x, double alpha) {
  return w.m.op("Elu", {x}, {{"alpha", float(alpha)}});
}
Value selu(const Writing &w, Value x, double alpha, double scale) {
  return w.m.op("Selu", {x}, {{"alpha", float(alpha)}, {"gamma", float(scale)}});
}
Value hardShrink(const Writing &w, Value x, double threshold) {
  const Value small = w.compared("LessOrEqual", w.m.op("Abs", {x}), threshold);
  return w.m.where(small, w.m.scalar(0, x), x);
}
Value softShrink(const Writing &w, Value x, double by) {
  return w.m.op("Shrink", {x}, {{"lambd", float(by)}, {"bias", float(by)}});
}
Value hardSigmoid(const Writing &w, Value x, double slope, double offset) {
  return w.m.op("HardSigmoid", {x}, {{"alpha", float(slope)}, {"beta", float(offset)}});
}
Value logSigmoid(const Writing &w, Value x) { return w.m.neg(w.m.op("Softplus", {w.m.neg(x)})); }
Value softplus(const Writing &w, Value x, double beta, double threshold) {
  const Value scaled = beta == 1 ? x : w.m.mul(x, beta);
  Value y = w.m.op("Softplus", {scaled});
  if (beta != 1)
    y = w.m.div(y, beta);
  if (threshold >= 17) // beyond that the difference is less than half a unit in the last place
    return y;
  return w.m.where(w.compared("Greater", scaled, threshold), x, y);
}
Value swish(const Writing &w, Value x, double beta) {
  return beta == 1 ? w.m.op("Swish", {x}) : w.m.mul(x, w.m.op("Sigmoid", {w.m.mul(x, beta)}));
}
// In FLOAT, halves too: they lose digits on the way.
Value mish(const Writing &w, Value x) {
  const Value wide = w.cast(x, DataType::FLOAT);
  return w.cast(w.m.mul(wide, w.m.op("Tanh", {w.m.op("Softplus", {wide})})), w.m.type(x));
}
Value gelu(const Writing &w, Value x, bool approximate) {
  return w.m.op(approximate ? "Gelu" : "GeluErf", {x});
}
Value logarithm(const Writing &w, Value x, double base) {
  return w.m.mul(w.m.log(x), 1 / std::log(base));
}
Value rsqrt(const Writing &w, Value x) { return w.m.reciprocal(w.m.sqrt(x)); }
Value isFinite(const Writing &w, Value x) {
  return w.m.op("Not", {w.m.op("Or", {w.m.op("IsNaN", {x}), w.m.op("IsInf", {x})})});
}

} // namespace frontend
