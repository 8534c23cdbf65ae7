// SPDX-License-Identifier: MIT
// Gradient descent, with the compound scalars of the optimiser (src/optimizer/scalars.cpp). w is
// the weight, v the velocity, g the gradient, still multiplied by the loss scale:
//   SGD0VarUpdate     w <- weightDecayScaleFactor0 w - scaledLearningRate0 g
//   SGD1VarUpdate     v <- v + dampeningScaleFactor1 g   (unless v has accumulated g itself)
//                     w <- w - scaledLearningRate1 v,   v <- scaledMomentum1 v + scaledWeightDecay1
//                     w
//   SGD2VarUpdate     v <- scaledMomentum2 v + dampeningScaleFactor2 g + scaledWeightDecay1 w
//                     w <- w - scaledLearningRate2 v
//   with Nesterov     w <- w - scaledLearningRate (nesterovGradientScaling g + nesterovWeightDecay
//   w
//                                                  + sgdMomentum v)
//   ScaledVarUpdate   w <- (1 - learningRate weightDecay) w - learningRate x
#include "ops/shared/updating.hpp"

namespace popart::ops {

namespace {

// An accumulator starts again from zero once its value is used.
void restart(Updating &u, const OpView &op, std::size_t gradient) {
  if (static_cast<std::size_t>(op.integer("written", 1)) > gradient)
    u.zero(gradient);
}

// g scaled by what is known only on the device: clipping, the factor of automatic loss scaling.
Term gradient(Updating &u, std::size_t group) {
  return u.scalar("clipFactor", 1) * u.scalar("inverseLossScaleFactor", 1) * u[group];
}

Term nesterov(Updating &u, const Term &g, const Term &v) {
  return u.scalar("nesterovGradientScaling") * g + u.scalar("nesterovWeightDecay") * u[0] +
         u.scalar("sgdMomentum") * v;
}

void sgd0(Updating &u, const OpView &op) {
  u.write(0, u.scalar("weightDecayScaleFactor0") * u[0] -
                 u.scalar("scaledLearningRate0") * gradient(u, 1));
  restart(u, op, 1);
}

void sgd1(Updating &u, const OpView &op) {
  const bool given = u.groups() > 2; // else v holds the gradients already
  const Term v = given ? u[1] + u.scalar("dampeningScaleFactor1") * gradient(u, 2) : u[1];
  u.write(0, u[0] - u.scalar("scaledLearningRate1") *
                        (op.integer("nesterov", 0) ? nesterov(u, gradient(u, 2), v) : v));
  u.write(1, u.scalar("scaledMomentum1") * v + u.scalar("scaledWeightDecay1") * u[0]);
  if (given)
    restart(u, op, 2);
}

void sgd2(Updating &u, const OpView &op) {
  u.write(1, u.scalar("scaledMomentum2") * u[1] +
                 u.scalar("dampeningScaleFactor2") * gradient(u, 2) +
                 u.scalar("scaledWeightDecay1") * u[0]);
  const Term v = u[1];
  u.write(0, u[0] - u.scalar("scaledLearningRate2") *
                        (op.integer("nesterov", 0) ? nesterov(u, gradient(u, 2), v) : v));
  restart(u, op, 2);
}

void scaled(Updating &u, const OpView &) {
  const Term rate = u.scalar("learningRate", 1);
  u.write(0, (1.0 - rate * u.scalar("weightDecay", 0)) * u[0] - rate * u[1]);
}

} // namespace

std::vector<OpDef> sgdOps() {
  return {updateOp("SGD0VarUpdate", "Gradient descent without momentum.", sgd0),
          updateOp("SGD1VarUpdate", "Gradient descent; the velocity is the accumulator.", sgd1),
          updateOp("SGD2VarUpdate", "Gradient descent with a velocity of its own.", sgd2),
          updateOp("ScaledVarUpdate", "Moves a weight against a direction that is given.", scaled)};
}

} // namespace popart::ops
