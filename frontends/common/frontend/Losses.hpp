// SPDX-License-Identifier: MIT
// Losses of every element, and what is made of them.
#pragma once
#include "frontend/Writing.hpp"

namespace frontend {

enum class Reduction { None, Mean, Sum };
// "none", "mean" or "sum"; an error for other words.
Reduction reductionNamed(const Writing &w, const std::string &name);
// Over all elements.
Value reduced(const Writing &w, Value losses, Reduction reduction);

// Of a difference d: d^2 / 2 up to delta, delta * (|d| - delta / 2) beyond.
Value huber(const Writing &w, Value difference, double delta);
// d^2 / (2 beta) below beta, |d| - beta / 2 from there; |d| for beta = 0.
Value smoothL1(const Writing &w, Value difference, double beta);
// Of probabilities: (t - 1) log(1 - x) - t log(x), with no logarithm below -100. Its derivative is
// (x - t) / max(x (1 - x), 1e-12), also where x is 0 or 1; `differentiates`: somebody asks for it.
Value binaryCrossEntropy(const Writing &w, Value x, Value target, bool differentiates);
// Of scores: (1 - t) x + (1 + (weight - 1) t) log(1 + exp(-x)), whose derivative at 0 is that of
// the sigmoid. `weight` of targets that are 1, or none.
Value sigmoidCrossEntropy(const Writing &w, Value x, Value target, Value weight = none);
// Of scores and probabilities of classes along an axis: -sum(t * log(softmax(x))).
Value softmaxCrossEntropy(const Writing &w, Value x, Value target, std::int64_t axis);

} // namespace frontend
