// SPDX-License-Identifier: MIT
#include "frontend/Losses.hpp"

#include "frontend/Reductions.hpp"

namespace frontend {

Reduction reductionNamed(const Writing &w, const std::string &name) {
  if (name == "none")
    return Reduction::None;
  if (name != "mean" && name != "sum")
    w.fail("reduction \"", name, "\" is not one of none, mean, sum.");
  return name == "mean" ? Reduction::Mean : Reduction::Sum;
}
Value reduced(const Writing &w, Value losses, Reduction reduction) {
  if (reduction == Reduction::None)
    return losses;
  return w.reduce(reduction == Reduction::Mean ? "ReduceMean" : "ReduceSum", losses,
                  allAxes(w.rank(losses)), false);
}

Value huber(const Writing &w, Value difference, double delta) {
  const Value d = w.m.op("Abs", {difference});
  const Value inner = w.m.mul(w.m.square(d), 0.5);
  const Value outer = w.m.mul(w.m.sub(d, delta / 2), delta);
  return w.m.where(w.compared("LessOrEqual", d, delta), inner, outer);
}
Value smoothL1(const Writing &w, Value difference, double beta) {
  const Value d = w.m.op("Abs", {difference});
  if (beta == 0)
    return d;
  const Value inner = w.m.mul(w.m.square(d), 0.5 / beta), outer = w.m.sub(d, beta / 2);
  return w.m.where(w.compared("Less", d, beta), inner, outer);
}

// The slope is not that of the formula where x is 0 or 1, so it is written down: x - detached(x) is
// 0 and brings it in.
Value binaryCrossEntropy(const Writing &w, Value x, Value target, bool differentiates) {
  const auto fixed = [&](Value v) { return differentiates ? w.m.op("Detach", {v}) : v; };
  const auto atLeast = [&](Value v, double low) { return w.m.op("Clip", {v, w.m.scalar(low, v)}); };
  const Value no = fixed(atLeast(w.m.op("Log1p", {w.m.neg(x)}), -100));
  const Value yes = fixed(atLeast(w.m.log(x), -100));
  const Value each = w.m.sub(w.m.mul(w.m.sub(target, 1.0), no), w.m.mul(target, yes));
  if (!differentiates)
    return each;
  const Value spread = atLeast(w.m.mul(x, w.m.sub(1.0, x)), 1e-12);
  const Value slope = fixed(w.m.div(w.m.sub(x, target), spread));
  return w.m.add(each, w.m.mul(w.m.sub(x, fixed(x)), slope));
}
Value sigmoidCrossEntropy(const Writing &w, Value x, Value target, Value weight) {
  Value log = w.m.op("Softplus", {w.m.neg(x)});
  if (weight != none)
    log = w.m.mul(w.m.add(w.m.mul(w.m.sub(weight, 1.0), target), 1.0), log);
  return w.m.add(w.m.mul(w.m.sub(1.0, target), x), log);
}
Value softmaxCrossEntropy(const Writing &w, Value x, Value target, std::int64_t axis) {
  const Value logs = w.m.op("LogSoftmax", {x}, {{"axis", axis}});
  return w.m.neg(w.reduce("ReduceSum", w.m.mul(target, logs), {axis}, false));
}

} // namespace frontend
