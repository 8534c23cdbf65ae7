// SPDX-License-Identifier: MIT
// Functions of one number, each with one formula, and where its derivative jumps with one choice of
// it. (Keras, Paddle and torch agree on these; hard_swish is not among them.)
#pragma once
#include "frontend/Writing.hpp"

namespace frontend {

// x between the bounds, where its derivative is 0 already. Of integers too, whose bounds are cut
// off.
Value between(const Writing &w, Value x, double low, double high);
inline Value relu6(const Writing &w, Value x) { return between(w, x, 0, 6); }
Value leakyRelu(const Writing &w, Value x, double slope);
Value withSlope(const Writing &w, Value x, Value slope); // x above zero, slope * x elsewhere
Value elu(const Writing &w, Value x, double alpha);
Value selu(const Writing &w, Value x, double alpha, double scale);
Value hardShrink(const Writing &w, Value x, double threshold); // x unless |x| is not above it
Value softShrink(const Writing &w, Value x, double by);        // x moved towards zero
Value hardSigmoid(const Writing &w, Value x, double slope, double offset);
Value logSigmoid(const Writing &w, Value x); // -log(1 + exp(-x))
// log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold
Value softplus(const Writing &w, Value x, double beta, double threshold);
Value swish(const Writing &w, Value x, double beta = 1); // x * sigmoid(beta x)
Value mish(const Writing &w, Value x);                   // x * tanh(log(1 + exp(x)))
Value gelu(const Writing &w, Value x, bool approximate); // by tanh, or by erf
Value logarithm(const Writing &w, Value x, double base);
Value rsqrt(const Writing &w, Value x);
Value isFinite(const Writing &w, Value x); // neither infinite nor NaN

} // namespace frontend
