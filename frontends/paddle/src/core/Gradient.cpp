// SPDX-License-Identifier: MIT
// The gradient operators of a program ("relu_grad"): the forward operator is written once more on
// inputs of its own, and the ir differentiates it. So a gradient is always that of the formula, and
// partial: two inputs that depend on each other stay apart.
#include "core/Gradient.hpp"

#include "core/Environment.hpp"

namespace paddleipu {

namespace {

constexpr std::string_view suffix = "@GRAD", nothing = "@EMPTY@";

bool endsWith(const std::string &text, std::string_view end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}
std::string without(const std::string &text, std::string_view end) {
  return text.substr(0, text.size() - end.size());
}
std::string slotName(const std::string &slot, int i) { return slot + "/" + std::to_string(i); }

// The forward operator, with variables named after the slots they stand in.
struct Forward {
  proto::OpDesc op;
  proto::BlockDesc block; // declares nothing
  Environment environment{block};
  std::map<std::string, Value> inputs;

  Forward(Call &c, Environment &outer) {
    op.set_type(without(c.type(), "_grad"));
    *op.mutable_attrs() = c.op().attrs();
    environment.inferring = true;
    environment.testing = outer.testing;
    environment.floats = outer.floats;
    environment.custom = outer.custom;
    for (const auto &var : c.op().inputs())
      if (endsWith(var.parameter(), suffix))
        addOutputs(var);
      else
        addInputs(c, outer, var);
    for (const auto &var : c.op().outputs())
      if (endsWith(var.parameter(), suffix) && !listed(c, without(var.parameter(), suffix)))
        addInputs(c, outer, unlisted(var));
  }

private:
  // Paddle leaves out inputs that its own kernels do not read (X of a relu whose Out is there). The
  // name of a gradient says whose it is: "x@GRAD", or "x@GRAD@RENAME@..." where several are added.
  static bool listed(const Call &c, const std::string &slot) {
    for (const auto &var : c.op().inputs())
      if (var.parameter() == slot)
        return true;
    return false;
  }
  static proto::OpDesc::Var unlisted(const proto::OpDesc::Var &gradients) {
    proto::OpDesc::Var out;
    out.set_parameter(without(gradients.parameter(), suffix));
    for (const auto &name : gradients.arguments())
      out.add_arguments(name.substr(0, name.find(suffix)));
    return out;
  }
  void addOutputs(const proto::OpDesc::Var &gradients) {
    auto *to = op.add_outputs();
    to->set_parameter(without(gradients.parameter(), suffix));
    for (int i = 0; i < gradients.arguments_size(); ++i)
      to->add_arguments("out/" + slotName(to->parameter(), i));
  }
  void addInputs(Call &c, Environment &outer, const proto::OpDesc::Var &var) {
    auto *to = op.add_inputs();
    to->set_parameter(var.parameter());
    for (int i = 0; i < var.arguments_size(); ++i) {
      const auto &name = var.arguments(i);
      if (!outer.has(name))
        continue; // an output of the forward operator that only Paddle's own kernels use
      Value v = outer.read(name, &c);
      if (c.isFloating(v))
        v = c.m.op("Detach", {v});
      to->add_arguments(slotName(var.parameter(), i));
      environment.bind(to->arguments(to->arguments_size() - 1), v, outer.typeOrThrow(name));
      inputs[slotName(var.parameter(), i)] = v;
    }
  }
};

struct Chain {
  Values of, given;
};
// The outputs whose gradients are known.
Chain chainOf(Call &c, Environment &outer, Forward &forward) {
  Chain chain;
  for (const auto &var : c.op().inputs()) {
    if (!endsWith(var.parameter(), suffix))
      continue;
    const auto slot = without(var.parameter(), suffix);
    for (int i = 0; i < var.arguments_size(); ++i) {
      if (var.arguments(i) == nothing || !outer.has(var.arguments(i)) ||
          !forward.environment.has("out/" + slotName(slot, i)))
        continue;
      const Value y = forward.environment.read("out/" + slotName(slot, i), &c);
      const Value g = outer.read(var.arguments(i), &c);
      chain.of.push_back(y);
      chain.given.push_back(c.cast(c.m.reshape(g, c.shapeOf(y)), c.m.type(y)));
    }
  }
  return chain;
}

} // namespace

bool isGradient(const std::string &type) {
  return endsWith(type, "_grad") && Registry::all().find(without(type, "_grad"));
}

void convertGradient(Call &c) {
  Environment &outer = c.environment();
  Forward forward(c, outer);
  convertOperator(forward.environment, forward.op, c.m);
  const Chain chain = chainOf(c, outer, forward);
  Values by;
  for (const auto &[name, v] : forward.inputs)
    by.push_back(v);
  const Values found =
      chain.of.empty() ? Values(by.size(), none) : c.m.gradients(chain.of, by, chain.given);
  std::map<std::string, Value> gradients;
  std::size_t at = 0;
  for (const auto &[name, v] : forward.inputs)
    gradients[name] = found[at++];
  for (const auto &var : c.op().outputs())
    for (int i = 0; i < var.arguments_size(); ++i) {
      const auto slot = without(var.parameter(), suffix);
      const auto input = forward.inputs.find(slotName(slot, i));
      if (var.arguments(i) == nothing || input == forward.inputs.end())
        continue;
      const Value g = gradients.at(slotName(slot, i));
      c.out(var.parameter().c_str(), g == none ? c.m.zerosLike(input->second) : g, std::size_t(i));
    }
}

} // namespace paddleipu
