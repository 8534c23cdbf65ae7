// SPDX-License-Identifier: MIT
// Loop: a body runs a number of times known when the model is compiled, or until its condition is
// false. Body: (iteration, condition, carried...) -> (condition, carried..., scanned...). Scanned
// values are stacked; entries of iterations that did not run are zero.
//
// Canonical form: trip count in "trip" (absent: until the condition is false), inputs [-,
// condition, carried ("carried" of them)..., what the body uses from outside...].
#include "opdef/importing.hpp"
#include "ops/shared/bodies.hpp"
#include "ops/shared/loops.hpp"
#include <algorithm>
#include <limits>
#include <numeric>
#include <popops/ElementWise.hpp>

namespace popart::ops {

namespace {

using lowering::Lowering;
using poplar::program::Sequence;

constexpr std::int64_t endless = std::numeric_limits<std::int32_t>::max();

struct Form {
  explicit Form(const OpView &op)
      : body(op.body(0)), carried(static_cast<std::size_t>(op.integer("carried"))),
        trip(op.integer("trip", endless)) {}
  std::size_t scanned() const { return body.outputs.size() - 1 - carried; }
  const ir::Graph &body;
  std::size_t carried;
  std::int64_t trip;
};

void canonical(Importing &i) {
  i.integerFromInput(0, "trip");
  i.node.inputs.resize(std::max<std::size_t>(i.node.inputs.size(), 2), none);
  if (i.op.integer("trip", endless) >= endless)
    i.node.attributes.erase("trip"); // a counter of the device could not tell
}

Infos infer(const OpView &op) {
  const Form f(op);
  if (op.hasIn(1) && (op.in(1).type() != DataType::BOOL || op.in(1).elements() != 1))
    op.fail("its condition is ", op.in(1).info(), "; it must be one BOOL.");
  if (f.trip < 0)
    op.fail("its trip count is ", f.trip, ".");
  if (f.body.outputs.size() < 1 + f.carried)
    op.fail("its body gives ", f.body.outputs.size(), " outputs; a condition and ", f.carried,
            " carried values are needed.");
  requireInputs(op, f.body, 2, 2);
  const Infos made = infosOf(f.body, f.body.outputs);
  if (made[0].dataType() != DataType::BOOL || made[0].nelms() != 1)
    op.fail("output 0 of its body is ", made[0], "; it must be a condition, one BOOL.");
  if (f.scanned() && !op.has("trip"))
    op.fail("its trip count must be known when the model is compiled, to stack outputs.");
  Infos out;
  for (std::size_t i = 1; i < made.size(); ++i) {
    Shape shape = made[i].shape();
    if (i <= f.carried && made[i] != op.in(1 + i).info())
      op.fail("carried value ", i - 1, " enters an iteration as ", op.in(1 + i).info(),
              " and leaves it as ", made[i], "; it must stay the same.");
    if (i > f.carried)
      shape.insert(shape.begin(), f.trip);
    out.emplace_back(made[i].dataType(), shape);
  }
  return out;
}

bool isTrue(const ir::ValueData &value) {
  return value.kind == ir::Kind::Constant && value.data.integers().front() != 0;
}
// The condition cannot become false.
bool runsToTheEnd(const OpView &op, const Form &f) {
  const bool entered = !op.hasIn(1) || isTrue(op.graph()[op.in(1)]);
  const Value next = f.body.outputs[0];
  return entered && op.has("trip") &&
         (isTrue(f.body[next]) || sourceOf(f.body, next) == f.body.inputs[1]);
}

poplar::Tensor makeCondition(Lowering &l, const OpView &op) {
  if (op.hasIn(1))
    return copiesOf(l, {l.tensor(op.in(1)).reshape({})}, l.program()).front();
  const auto yes = l.constant(HostTensor::scalar(DataType::BOOL, 1));
  return copiesOf(l, {yes}, l.program()).front();
}

// The body until the condition or the trip count stops it.
poplar::program::Program whileTrue(Lowering &l, const OpView &op, const Form &f,
                                   const Counter &counter, const poplar::Tensor &condition,
                                   const Sequence &body) {
  namespace pe = popops::expr;
  Sequence test;
  poplar::Tensor goOn = condition;
  if (op.has("trip"))
    goOn = popops::map(l.graph(), pe::And(pe::_1, pe::Lt(pe::_2, pe::Const(int(f.trip)))),
                       {condition, counter.value()}, test, l.name("condition"));
  return poplar::program::RepeatWhileTrue(test, goOn, body, l.name());
}

Tensors lower(Lowering &l, const OpView &op) {
  const Form f(op);
  const Counter counter(l, l.program());
  Tensors state{makeCondition(l, op)};
  for (auto &t : copiesOf(l, inputTensors(l, op, 2, 2 + f.carried), l.program()))
    state.push_back(t);
  Tensors inputs{counter.value()};
  inputs.insert(inputs.end(), state.begin(), state.end());
  for (auto &t : inputTensors(l, op, 2 + f.carried, op.inputs()))
    inputs.push_back(t);

  Sequence body;
  Tensors made = l.lowerBody(f.body, inputs, body, l.seedOfBody(op, body, counter.value()));
  made[0] = made[0].reshape({});
  Tensors out(state.begin() + 1, state.end());
  for (std::size_t i = 1 + f.carried; i < made.size(); ++i) {
    out.push_back(Counter::makeStack(l, made[i], std::size_t(f.trip), l.program()));
    counter.store(l, made[i], out.back(), body);
  }
  made.resize(1 + f.carried);
  carry(l, made, state, body);
  counter.increment(l, body);
  if (runsToTheEnd(op, f))
    l.program().add(poplar::program::Repeat(f.trip, body, l.name()));
  else
    l.program().add(whileTrue(l, op, f, counter, state[0], body));
  return out;
}

// A loop that runs a known number of times is a Scan over the numbers of its iterations.
Values grad(GradBuilder &g, const OpView &op) {
  const Form f(op);
  if (!runsToTheEnd(op, f))
    op.fail("it cannot be differentiated: its condition may end it early, so how often it runs is "
            "known only when the program runs. Give it a trip count and a condition that stays "
            "true.");
  auto body = std::make_shared<ir::Graph>(f.body);
  auto &condition = (*body)[body->inputs[1]];
  condition.kind = ir::Kind::Constant;
  condition.data = HostTensor::scalar(DataType::BOOL, 1);
  const auto carried = std::ptrdiff_t(f.carried);
  auto &inner = body->inputs;
  inner.erase(inner.begin() + 1);
  std::rotate(inner.begin(), inner.begin() + 1, inner.begin() + 1 + carried); // number last
  body->outputs.erase(body->outputs.begin());
  Values in = op.node().inputs;
  in.resize(std::max<std::size_t>(in.size(), 2), none);
  Integers numbers(std::size_t(f.trip), 0);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto first = in.begin() + 2;
  Values made = scanGradients(g,
                              {body,
                               Values(first, first + carried),
                               {g.integers(numbers)},
                               Values(first + carried, in.end()),
                               {0},
                               {0},
                               Integers(f.scanned(), 0),
                               Integers(f.scanned(), 0),
                               0,
                               op.integer("seedModifier", 0)},
                              op.node().outputs);
  made.erase(made.begin() + carried); // of the iterations' numbers
  made.insert(made.begin(), 2, none);
  return made;
}

} // namespace

OpDef loopOp() {
  OpDef op;
  op.type = "Loop";
  op.doc = "A body that runs several times, handing values to its next run.";
  op.in = {0, any};
  op.out = {1, any};
  op.canonical = canonical;
  op.infer = infer;
  op.lower = lower;
  op.grad = grad;
  return op;
}

} // namespace popart::ops
