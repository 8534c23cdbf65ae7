// SPDX-License-Identifier: MIT
#include "optimizer/scalars.hpp"

namespace popart::optimizer {

namespace {

// A value that is constant if all it was made of is.
struct Part {
  double value = 0;
  bool constant = true;
};

Part applied(const std::string &function, const std::vector<Part> &x) {
  const Part a = x.at(0), b = x.at(1);
  const bool constant = a.constant && b.constant;
  if (function == "add")
    return {a.value + b.value, constant};
  if (function == "sub")
    return {a.value - b.value, constant};
  return {function == "mul" ? a.value * b.value : a.value / b.value, constant};
}

// What the sum over micro-batches and replicas is divided by in the update. Running means have
// divided by the number of micro-batches already.
double divisor(const Context &c, bool meansAreRunning) {
  if (c.reduction != ReductionType::Mean)
    return 1;
  const bool running = c.accumulation && c.mean == MeanReductionStrategy::Running;
  const std::int64_t batches = running && meansAreRunning ? 1 : c.accumulationFactor;
  return static_cast<double>(batches * c.replicas);
}

} // namespace

Scalars scalarsOf(const Optimizer &optimizer, const Recipe &recipe, const TensorId &weight,
                  const Context &c) {
  const auto &scale = optimizer.lossScaling();
  // Replicas add up their velocities, momentum included: each holds its share of that.
  const bool shared = recipe.inVelocity && c.reduction != ReductionType::NoReduction;
  std::map<std::string, Part> known{{"lossScaling", {scale.val(), scale.isConst()}},
                                    {"divisor", {divisor(c, !recipe.inVelocity)}},
                                    {"shares", {shared ? static_cast<double>(c.replicas) : 1}}};
  for (const auto &parameter : optimizer.parameters()) {
    const auto value = parameter.values.get(weight);
    known[parameter.name] = {value.val(), value.isConst()};
  }
  Scalars all{{clipScaling, 1 / (scale.val() * divisor(c, true)), scale.isConst()}};
  const ops::Algebra<Part> algebra{[&](const std::string &name) { return known.at(name); },
                                   [](double number) { return Part{number}; }, applied};
  for (const auto &step : *recipe.scalars) {
    const Part made = algebra(step.value);
    known[step.to] = made;
    std::erase_if(all, [&](const Scalar &s) { return s.name == step.to; });
    all.push_back({step.to, made.value, made.constant});
  }
  return all;
}

Scalars scalarsOf(const Optimizer &optimizer, const TensorId &weight, const Context &context) {
  return scalarsOf(optimizer, recipeOf(optimizer, weight, DataType::FLOAT, context), weight,
                   context);
}

TensorId scalarVariable(const Optimizer &optimizer, const std::string &scalar,
                        const TensorId &weight) {
  return scalar +
         (optimizer.hasSpecific(weight) ? "___specific___" + weight : "___default___FLOAT");
}

} // namespace popart::optimizer
