// SPDX-License-Identifier: MIT
// Scan: a body runs once for every slice of its scanned inputs, handing states to its next run and
// stacking what it makes. Version 8 does so for every element of a batch on its own, each up to its
// own length.
//
// As a Builder's call it means what the vendor means: slices keep the scanned axis, of size 1, and
// what the body makes is concatenated along the axis of the output.
//
// Canonical form: "given" inputs (states, then "num_scan_inputs" scanned ones), then what the body
// uses from outside; axes and directions are lists of the right length. "batched" is 1 for version
// 8, "lengths" its sequence lengths. The last "kept" outputs are for the gradient alone. With
// "fromTheEnd" iterations are those of a forward loop in reverse, which drew numbers in them.
#include "opdef/importing.hpp"
#include "ops/shared/bodies.hpp"
#include "ops/shared/loops.hpp"
#include <numeric>
#include <popops/ElementWise.hpp>

namespace popart::ops {

namespace {

using lowering::Lowering;
using poplar::program::Sequence;

struct Form {
  explicit Form(const OpView &op)
      : body(op.body(0)), scanned(static_cast<std::size_t>(op.integer("num_scan_inputs"))),
        given(static_cast<std::size_t>(op.integer("given"))),
        batched(op.integer("batched", 0) != 0) {}
  std::size_t states() const { return given - scanned; }
  std::size_t stacked() const { return body.outputs.size() - states(); }
  const ir::Graph &body;
  std::size_t scanned, given;
  bool batched;
};

// An attribute with one number per scanned input or output; absent: zeros.
Integers perValue(const OpView &op, const std::string &name, std::size_t count) {
  const auto list = op.integers(name, Integers(count, 0));
  if (list.size() != count)
    op.fail(name, " has ", list.size(), " entries, ", count, " are needed.");
  return list;
}
std::int64_t axisOf(const OpView &op, const std::string &name, std::int64_t axis,
                    std::int64_t rank) {
  if (axis < -rank || axis >= rank)
    op.fail(name, " has ", axis, " for a tensor of rank ", rank, ".");
  return axis < 0 ? axis + rank : axis;
}

// Of a Builder's call: the axis is put back in front of the body, and joined behind it.
void keepAxes(Importing &i) {
  auto body = std::make_shared<ir::Graph>(*i.node.bodies[0]);
  const Form f(i.op);
  const auto inputAxes = perValue(i.op, "scan_input_axes", f.scanned);
  auto outputAxes = perValue(i.op, "scan_output_axes", f.stacked());
  std::vector<ir::Node> nodes;
  GraphBuilder b(*body, nodes);
  for (std::size_t k = 0; k < f.scanned; ++k) {
    Value &input = body->inputs[f.states() + k];
    const Value whole = input;
    Shape shape = b.shape(whole);
    const auto rank = std::int64_t(shape.size());
    shape.erase(shape.begin() + axisOf(i.op, "scan_input_axes", inputAxes[k], rank));
    input =
        body->add({"slice/" + (*body)[whole].name, {b.type(whole), shape}, ir::Kind::Computed, {}});
    b.reshape(input, b.shape(whole));
    nodes.back().outputs = {whole};
  }
  nodes.insert(nodes.end(), body->nodes.begin(), body->nodes.end());
  body->nodes = std::move(nodes);
  for (std::size_t k = 0; k < f.stacked(); ++k) {
    const auto rank = (*body)[body->outputs[f.states() + k]].info.rank();
    outputAxes[k] = axisOf(i.op, "scan_output_axes", outputAxes[k], rank);
  }
  i.node.attributes.set("scan_output_axes", outputAxes);
  i.afterEach = [outputAxes, states = f.states()](GraphBuilder &b, std::size_t output, Value made) {
    if (output < states)
      return made;
    Shape shape = b.shape(made);
    const auto at = shape.begin() + outputAxes[output - states];
    at[1] *= at[0];
    shape.erase(at);
    return b.reshape(made, shape);
  };
  i.node.bodies = {body};
}

void canonical(Importing &i) {
  if (i.version >= 9) {
    if (i.node.settings.extra.has(sBuilderMeaning))
      keepAxes(i);
    return;
  }
  i.node.attributes.set("batched", std::int64_t(1));
  if (i.op.hasIn(0))
    i.integersFromInput(0, "lengths");
  i.node.inputs.erase(i.node.inputs.begin());
  i.node.attributes.set("given", i.op.integer("given") - 1);
  if (auto directions = i.node.attributes.find<Integers>("directions"))
    i.node.attributes.set("scan_input_directions", *directions);
  i.node.attributes.erase("directions");
}

// How often the body runs, which all scanned inputs must agree on.
std::int64_t lengthOf(const OpView &op, const Form &f) {
  const auto axes = perValue(op, "scan_input_axes", f.scanned);
  std::int64_t length = -1;
  for (std::size_t i = 0; i < f.scanned; ++i) {
    const auto in = op.in(f.states() + i);
    const auto axis = f.batched ? 1 : axisOf(op, "scan_input_axes", axes[i], in.rank());
    if (length >= 0 && in.dim(axis) != length)
      op.fail("its scanned inputs have lengths ", length, " and ", in.dim(axis), ".");
    length = in.dim(axis);
  }
  return length;
}

void checkBatch(const OpView &op, const Form &f, std::int64_t length) {
  for (std::size_t i = 1; i < f.given; ++i)
    if (op.in(i).dim(0) != op.in(0).dim(0))
      op.fail("its inputs have batches of ", op.in(0).dim(0), " and ", op.in(i).dim(0), ".");
  const auto lengths = op.integers("lengths", {});
  if (op.has("lengths") && std::int64_t(lengths.size()) != op.in(0).dim(0))
    op.fail("it has ", lengths.size(), " sequence lengths for a batch of ", op.in(0).dim(0), ".");
  for (auto n : lengths)
    if (n < 0 || n > length)
      op.fail("sequence length ", n, " is outside [0, ", length, "].");
}

Infos infer(const OpView &op) {
  const Form f(op);
  const std::int64_t length = lengthOf(op, f);
  if (f.body.outputs.size() < f.states())
    op.fail("its body gives ", f.body.outputs.size(), " outputs for ", f.states(), " states.");
  if (f.batched)
    checkBatch(op, f, length);
  const auto axes = perValue(op, "scan_output_axes", f.stacked());
  Infos out = infosOf(f.body, f.body.outputs);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Shape shape = out[i].shape();
    if (i >= f.states()) {
      const auto axis =
          axisOf(op, "scan_output_axes", axes[i - f.states()], std::int64_t(shape.size()) + 1);
      shape.insert(shape.begin() + axis, length);
    }
    if (f.batched)
      shape.insert(shape.begin(), op.in(0).dim(0));
    out[i].set(out[i].dataType(), shape);
    if (i < f.states() && out[i] != op.in(i).info())
      op.fail("state ", i, " enters an iteration as ", op.in(i).info(), " and leaves it as ",
              out[i], "; it must stay the same.");
  }
  return out;
}

// With dimension `from` moved to `to`.
poplar::Tensor moved(const poplar::Tensor &t, std::size_t from, std::size_t to) {
  std::vector<unsigned> order(t.rank());
  std::iota(order.begin(), order.end(), 0u);
  order.erase(order.begin() + std::ptrdiff_t(from));
  order.insert(order.begin() + std::ptrdiff_t(to), unsigned(from));
  return t.dimShuffle(order);
}

// The number of the iteration, as the forward loop counts, if the body draws numbers.
poplar::Tensor iterationOf(Lowering &l, const OpView &op, const Counter &counter,
                           std::int64_t length, Sequence &body) {
  namespace pe = popops::expr;
  if (!op.integer("fromTheEnd", 0) || !drawsNumbers(op.node()))
    return counter.value();
  return popops::map(l.graph(), pe::Sub(pe::Const(int(length - 1)), pe::_1), {counter.value()},
                     body, l.name("iteration"));
}

// One pass over `length` slices. `inputs`: states, scanned with the axis in front, the others. Of
// the outputs, those that are not `wanted` are not stacked.
Tensors scan(Lowering &l, const OpView &op, const Form &f, const Tensors &inputs,
             std::int64_t length, const std::vector<bool> &reversed, std::int64_t entries,
             const std::vector<bool> &wanted) {
  const Counter counter(l, l.program());
  const Tensors state = copiesOf(
      l, Tensors(inputs.begin(), inputs.begin() + std::ptrdiff_t(f.states())), l.program());
  Sequence body;
  Tensors bound = state;
  for (std::size_t i = f.states(); i < inputs.size(); ++i)
    bound.push_back(i < f.given ? counter.slice(l, inputs[i], body) : inputs[i]);
  const auto seed = l.seedOfBody(op, body, iterationOf(l, op, counter, length, body));
  Tensors made = l.lowerBody(f.body, bound, body, seed), out = state;
  for (std::size_t i = f.states(); i < made.size(); ++i) {
    if (!wanted[i]) {
      auto shape = f.body[f.body.outputs[i]].info.shape_szt();
      shape.insert(shape.begin(), std::size_t(entries));
      out.push_back(zeros(l, f.body[f.body.outputs[i]].info.dataType(), shape));
      continue;
    }
    auto stack = Counter::makeStack(l, made[i], std::size_t(entries), l.program());
    const bool back = reversed[i - f.states()];
    counter.store(l, made[i], back ? stack.reverse(0) : stack, body);
    out.push_back(stack);
  }
  made.resize(f.states());
  carry(l, made, state, body);
  counter.increment(l, body);
  l.program().add(poplar::program::Repeat(length, body, l.name()));
  return out;
}

Tensors scanInputs(Lowering &l, const OpView &op, const Form &f) {
  const auto axes = perValue(op, "scan_input_axes", f.scanned);
  const auto directions = perValue(op, "scan_input_directions", f.scanned);
  Tensors inputs = inputTensors(l, op, 0, op.inputs());
  for (std::size_t i = 0; i < f.scanned; ++i) {
    auto &t = inputs[f.states() + i];
    const auto rank = std::int64_t(t.rank());
    const auto axis = f.batched ? 1 : axisOf(op, "scan_input_axes", axes[i], rank);
    t = moved(t, std::size_t(axis), f.batched ? 1 : 0);
    if (directions[i] && !f.batched) // of a batch, every element turns around its own length
      t = t.reverse(0);
  }
  return inputs;
}

Tensors lowerBatch(Lowering &l, const OpView &op, const Form &f, const Tensors &inputs) {
  const std::int64_t batch = op.in(0).dim(0), length = lengthOf(op, f);
  const auto lengths = op.integers("lengths", Integers(std::size_t(batch), length));
  const auto directions = perValue(op, "scan_input_directions", f.scanned);
  std::vector<Tensors> made(f.body.outputs.size());
  for (std::size_t b = 0; b < std::size_t(batch); ++b) {
    Tensors own = inputs;
    for (std::size_t i = 0; i < f.given; ++i) {
      own[i] = inputs[i][b];
      if (i >= f.states() && directions[i - f.states()])
        own[i] = own[i].slice(0, std::size_t(lengths[b]), 0).reverse(0);
    }
    const auto out = scan(l, op, f, own, lengths[b], std::vector<bool>(f.stacked()), length,
                          std::vector<bool>(f.body.outputs.size(), true));
    for (std::size_t i = 0; i < out.size(); ++i)
      made[i].push_back(out[i].expand({0}));
  }
  Tensors out;
  for (const auto &parts : made)
    out.push_back(poplar::concat(parts));
  return out;
}

Tensors lower(Lowering &l, const OpView &op) {
  const Form f(op);
  const Tensors inputs = scanInputs(l, op, f);
  if (f.batched)
    return lowerBatch(l, op, f, inputs);
  const std::int64_t length = lengthOf(op, f);
  const auto axes = perValue(op, "scan_output_axes", f.stacked());
  const auto directions = perValue(op, "scan_output_directions", f.stacked());
  std::vector<bool> wanted(f.body.outputs.size(), true);
  for (auto i = wanted.size() - std::size_t(op.integer("kept", 0)); i < wanted.size(); ++i)
    wanted[i] = isUsed(op, op.out(i));
  Tensors out =
      scan(l, op, f, inputs, length, {directions.begin(), directions.end()}, length, wanted);
  for (std::size_t i = f.states(); i < out.size(); ++i) {
    const auto rank = std::int64_t(out[i].rank());
    out[i] =
        moved(out[i], 0, std::size_t(axisOf(op, "scan_output_axes", axes[i - f.states()], rank)));
  }
  return out;
}

Values grad(GradBuilder &g, const OpView &op) {
  const Form f(op);
  if (f.batched)
    op.fail("the Scan of opset 8 cannot be differentiated. Use that of opset 9 or later.");
  const auto &in = op.node().inputs;
  const auto at = [&](std::size_t i) { return in.begin() + std::ptrdiff_t(i); };
  ScanParts parts{op.node().bodies[0],
                  Values(in.begin(), at(f.states())),
                  Values(at(f.states()), at(f.given)),
                  Values(at(f.given), in.end()),
                  perValue(op, "scan_input_axes", f.scanned),
                  perValue(op, "scan_input_directions", f.scanned),
                  perValue(op, "scan_output_axes", f.stacked()),
                  perValue(op, "scan_output_directions", f.stacked())};
  for (std::size_t i = 0; i < f.scanned; ++i)
    parts.inputAxes[i] =
        axisOf(op, "scan_input_axes", parts.inputAxes[i], op.in(f.states() + i).rank());
  for (std::size_t i = 0; i < f.stacked(); ++i)
    parts.outputAxes[i] = axisOf(op, "scan_output_axes", parts.outputAxes[i],
                                 f.body[f.body.outputs[f.states() + i]].info.rank() + 1);
  parts.seedModifier = op.integer("seedModifier", 0);
  parts.fromTheEnd = op.integer("fromTheEnd", 0) != 0;
  return scanGradients(g, parts, op.node().outputs);
}

} // namespace

OpDef scanOp() {
  OpDef op;
  op.type = "Scan";
  op.doc = "A body that runs once for every slice of its inputs and stacks what it makes.";
  op.in = {1, any};
  op.out = {1, any};
  op.canonical = canonical;
  op.infer = infer;
  op.lower = lower;
  op.grad = grad;
  return op;
}

} // namespace popart::ops
