// SPDX-License-Identifier: MIT
// PrintTensor: the input, which is printed each time this runs.   dx = dy, printed as well unless
// print_gradient is 0, under the title that gradient_title is
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"

namespace popart::ops {

namespace {

unsigned count(const OpView &op, const char *name, unsigned otherwise) {
  const std::int64_t value = op.integer(name, otherwise);
  if (value < 0)
    op.fail(name, " is ", value, "; it must not be negative.");
  return static_cast<unsigned>(value);
}
// A character, as text or by its number.
char character(const OpView &op, const char *name, char otherwise) {
  const auto &all = op.node().attributes.all();
  const auto it = all.find(name);
  if (it == all.end())
    return otherwise;
  if (std::holds_alternative<std::int64_t>(it->second))
    return static_cast<char>(op.integer(name));
  const std::string text = op.text(name);
  if (text.size() != 1)
    op.fail(name, " is \"", text, "\"; it must be one character.");
  return text[0];
}

poplar::PrintTensorFmt format(const OpView &op) {
  const std::int64_t style = op.integer("floatFormat", 0);
  if (style < 0 || style > 3)
    op.fail("floatFormat is ", style,
            "; it must be 0 (auto), 1 (fixed), 2 (scientific) or 3 "
            "(none).");
  return {count(op, "summariseThreshold", 1000),
          count(op, "edgeItems", 3),
          count(op, "maxLineWidth", 75),
          count(op, "digits", 8),
          static_cast<poplar::PrintTensorFmt::FloatFormat>(style),
          character(op, "separator", ' '),
          character(op, "openBracket", '['),
          character(op, "closeBracket", ']')};
}

std::string titleOf(const OpView &op) {
  const auto title = op.text("title", "");
  return title.empty() ? op.in(0).name() : title;
}

Values grad(GradBuilder &g, const OpView &op) {
  if (!op.integer("print_gradient", 1))
    return {g.dy()};
  Attributes attributes = op.node().attributes;
  attributes.set("title", op.text("gradient_title", "Gradient___" + titleOf(op)));
  return {g.op("PrintTensor", {g.dy()}, attributes)};
}

} // namespace

OpDef printtensorOp() {
  OpDef op = unary("PrintTensor", "The input, which is printed each time this runs.");
  op.domain = "ai.graphcore";
  op.sideEffect = true;
  op.infer = [](const OpView &op) -> Infos {
    format(op);
    return {op.in(0).info()};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    const auto x = l.tensor(op.in(0));
    l.program().add(poplar::program::PrintTensor(titleOf(op), x, format(op), l.name()));
    return {x};
  };
  op.grad = grad;
  op.unwind = [](const OpView &, const poplar::Tensor &y) { return y; };
  op.view = true;
  return op;
}

} // namespace popart::ops
