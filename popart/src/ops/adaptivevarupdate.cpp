// SPDX-License-Identifier: MIT
// AdaptiveVarUpdate: AdaGrad, RMSProp (also centered) and AdaDelta (formulas: popart/adaptive.hpp).
// Groups: w, v1, [v2: centered and AdaDelta], [v3: momentum], g. Attributes: `mode`, `momentum` (v3
// is there), `tf` (of RMSProp: epsilon under the root, learning rate within v3, so that the decay
// beside v3 goes without it), `decay` as for Adam.
#include "ops/shared/updating.hpp"

namespace popart::ops {

namespace {

Term root(const OpView &op, const Term &size, const Term &eps) {
  return op.integer("tf", 0) ? sqrt(size + eps) : sqrt(size) + eps;
}

void update(Updating &u, const OpView &op) {
  const auto mode = op.text("mode");
  const bool grad = mode == "AdaGrad", centered = mode == "CenteredRMSProp",
             delta = mode == "AdaDelta", smooth = op.integer("momentum", 0),
             decay = op.integer("decay");
  const std::size_t v3 = centered || delta ? 3 : 2, g = v3 + smooth;
  const Term alpha = u.scalar("adaptiveAlpha"), eps = u.scalar("adaptiveEps"),
             rate = u.scalar("learningRate");
  Term s = u.scalar("adaptiveGradientScaling") * u.scalar("clipFactor", 1) *
           u.scalar("inverseLossScaleFactor", 1) * u[g];
  if (!decay)
    s = s + u.scalar("weightDecay") * u[0];
  u.write(1, grad ? u[1] + square(s) : alpha * u[1] + (1.0 - alpha) * square(s));
  Term x = s;
  if (centered) {
    u.write(2, alpha * u[2] + (1.0 - alpha) * s);
    // A constant gradient leaves nothing but rounding errors, which may be negative.
    x = s / root(op, maximum(u[1] - square(u[2]), 0.0), eps);
  } else if (delta) {
    x = s * sqrt(u[2] + eps) / sqrt(u[1] + eps);
    u.write(2, alpha * u[2] + (1.0 - alpha) * square(x));
  } else {
    x = s / root(op, u[1], eps);
  }
  const bool rateWithin = smooth && op.integer("tf", 0);
  if (smooth) {
    u.write(v3, u.scalar("adaptiveMomentum") * u[v3] + (rateWithin ? rate * x : x));
    x = u[v3];
  }
  Term step = rateWithin ? x : rate * x;
  if (decay)
    step = step + (rateWithin ? Term(1) : rate) * u.scalar("weightDecay") * u[0];
  u.write(0, u[0] - step);
  if (static_cast<std::size_t>(op.integer("written", 1)) > g)
    u.zero(g);
}

} // namespace

OpDef adaptivevarupdateOp() {
  return updateOp("AdaptiveVarUpdate", "One step of AdaGrad, RMSProp or AdaDelta.", update);
}

} // namespace popart::ops
