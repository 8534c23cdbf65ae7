// SPDX-License-Identifier: MIT
// PopART's own optimisers. Lines are those of a Recipe; a line or a state may begin with the modes
// that it is for: "l2, not tf: ...". What is known to be zero or one costs nothing on the device.
#include "optimizer/recipe.hpp"

#include <algorithm>
#include <sstream>

namespace popart::optimizer {

namespace {

struct Kind {
  std::string op; // by modes, too
  std::vector<Recipe::State> states;
  std::string scalars, formula;
  std::string gradientScaling = {};
};

const std::map<std::string, Kind> &kinds() {
  static const std::map<std::string, Kind> all{
      // ---- Gradient descent. Dampening and weight decay are within compound scalars, by the
      // vendor's names. combined: the velocity holds the weight decay of the step to come;
      // gathered: and has added up gradients.
      {"SGD",
       {R"(
plain: SGD0VarUpdate
combined: SGD1VarUpdate
separate: SGD2VarUpdate
)",
        {{"combined: v", "Accl", 0, "scaledWeightDecay1"}, {"separate: v", "Accl1"}},
        R"(
plain: weightDecayScaleFactor0 = 1 - learningRate * (1 - dampening) * weightDecay
plain: scaledLearningRate0 = learningRate * (1 - dampening) / (lossScaling * divisor)
combined: dampeningScaleFactor1 = (1 - dampening) * velocityScaling * shares / (lossScaling * divisor)
combined: scaledLearningRate1 = learningRate / (velocityScaling * shares)
combined: scaledMomentum1 = momentum / shares
separate: dampeningScaleFactor2 = (1 - dampening) * velocityScaling / (lossScaling * divisor)
separate: scaledLearningRate2 = learningRate / velocityScaling
separate: scaledMomentum2 = momentum
not plain: scaledWeightDecay1 = (1 - dampening) * weightDecay * velocityScaling
nesterov: nesterovGradientScaling = velocityScaling / (lossScaling * divisor)
nesterov: nesterovWeightDecay = velocityScaling * weightDecay
nesterov: sgdMomentum = momentum
)",
        R"(
plain: w = weightDecayScaleFactor0 * w - scaledLearningRate0 * g
separate: v = scaledMomentum2 * v + dampeningScaleFactor2 * g + scaledWeightDecay1 * w
separate: sum = v
gathered: sum = v
combined, not gathered: sum = v + dampeningScaleFactor1 * g
not plain: x = sum
nesterov: x = nesterovGradientScaling * g + nesterovWeightDecay * w + sgdMomentum * sum
combined: w = w - scaledLearningRate1 * x
combined: v = scaledMomentum1 * sum + scaledWeightDecay1 * w
separate: w = w - scaledLearningRate2 * x
)"}},
      // ---- Adam's family (popart/adam.hpp). l2: weight decay is a part of the gradient. first,
      // second: m, v are corrected. early: eps joins the root of v as it is. scaled: states keep
      // the scale of the loss, and what is compared with them is scaled as well.
      {"Adam",
       {"AdamVarUpdate",
        {{"m", "Accl1"}, {"v", "Accl2"}},
        R"(
learningRate = learningRate
weightDecay = weightDecay
scaled, l2: weightDecay = weightDecay * lossScaling
adamBeta1 = beta1
adamBeta2 = beta2
adamEps = eps
scaled: adamEps = eps * lossScaling
not scaled: adamGradientScaling = 1 / (lossScaling * divisor)
scaled: adamGradientScaling = 1 / divisor
lamb: maxWeightNorm = maxWeightNorm
)",
        R"(
b1 = adamBeta1
b2 = adamBeta2
s = g
l2: s = s + weightDecay * w
m = b1 * m + (1 - b1) * s
adamax: v = max(b2 * v, abs(s))
not adamax: v = b2 * v + (1 - b2) * square(s)
top = m
first: top = correction(adamBeta1) * m
size = v
second: size = correction(adamBeta2) * v
not adamax: size = sqrt(size)
eps = adamEps
early: eps = eps * sqrt(correction(adamBeta2))
x = top / (size + eps)
not l2: x = x + weightDecay * w
rate = learningRate
lamb: step = x
lamb: length = norm(w)
lamb: size = norm(step)
lamb: rate = rate * trust_ratio(length, size, maxWeightNorm)
lamb: x = step
w = w - rate * x
)",
        "adamGradientScaling"}},
      // ---- AdaGrad, RMSProp and AdaDelta (popart/adaptive.hpp). tf: RMSProp as TensorFlow has it,
      // with eps under the root; together with momentum (`within`) the learning rate is within u,
      // and the decay goes without it. A constant gradient leaves nothing but rounding errors of a
      // centred size, which may be negative.
      {"Adaptive",
       {"AdaptiveVarUpdate",
        {{"not tf: v", "Accl1"},
         {"tf: v", "Accl1", 1},
         {"second: a", "Accl2"},
         {"smooth: u", "Accl3"}},
        R"(
learningRate = learningRate
weightDecay = weightDecay
adaptiveAlpha = alpha
adaptiveEps = eps
adaptiveGradientScaling = 1 / (lossScaling * divisor)
smooth: adaptiveMomentum = momentum
)",
        R"(
alpha = adaptiveAlpha
eps = adaptiveEps
rate = learningRate
s = g
l2: s = s + weightDecay * w
AdaGrad: v = v + square(s)
not AdaGrad: v = alpha * v + (1 - alpha) * square(s)
size = v
centred: a = alpha * a + (1 - alpha) * s
centred: size = max(v - square(a), 0)
tf: x = s / sqrt(size + eps)
not tf, not AdaDelta: x = s / (sqrt(size) + eps)
AdaDelta: x = s * sqrt(a + eps) / sqrt(v + eps)
AdaDelta: a = alpha * a + (1 - alpha) * square(x)
within: x = rate * x
smooth: u = adaptiveMomentum * u + x
smooth: x = u
not within: x = rate * x
not l2, within: x = x + weightDecay * w
not l2, not within: x = x + rate * weightDecay * w
w = w - x
)",
        "adaptiveGradientScaling"}}};
  return all;
}

std::string chosenOf(const std::string &line, const Modes &modes) {
  return ops::lineOf(line, [&](const std::string &name) {
    return std::find_if(modes.begin(), modes.end(),
                        [&](const auto &mode) { return mode.first == name; })
        ->second;
  });
}
std::vector<std::string> linesOf(const std::string &text, const Modes &modes) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (auto own = chosenOf(line, modes); !own.empty())
      out.push_back(std::move(own));
  return out;
}

} // namespace

Recipe chosen(const std::string &name, const Modes &modes) {
  std::string key = name;
  for (const auto &mode : modes)
    key += mode.second ? '1' : '0';
  return once(key, [&] {
    const Kind &kind = kinds().at(name);
    std::vector<Recipe::State> states;
    for (auto state : kind.states)
      if (state.name = chosenOf(state.name, modes); !state.name.empty())
        states.push_back(state);
    return read(linesOf(kind.op, modes).front(), states, linesOf(kind.scalars, modes),
                linesOf(kind.formula, modes), kind.gradientScaling);
  });
}

} // namespace popart::optimizer
