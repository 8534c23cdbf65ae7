// SPDX-License-Identifier: MIT
// Dropout and ShapedDropout: while training, elements are dropped with probability `ratio` and the
// others scaled by 1 / (1 - ratio); the second output says which are kept. Otherwise y = x.
// Attribute always: also in programs that PopART does not train, for steps whose gradients and
// updates are written out.
//   dx = the same on dy: the seed and this node's seedModifier choose the same elements again
#include "lowering/lowering.hpp"
#include "ops/shared/arithmetic.hpp"
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/Broadcast.hpp>

namespace popart::ops {

namespace {

// Opset 12 has the ratio as an input, and an input that says whether to drop at all; opset 6 has
// an attribute for that.
void canonical(Importing &i) {
  if (i.version < 7 && i.op.integer("is_test", 0))
    i.node.attributes.set("training_mode", std::int64_t(0));
  i.node.attributes.erase("is_test");
  if (i.version < 12)
    return;
  i.integerFromInput(2, "training_mode");
  i.realFromInput(1, "ratio");
  if (!i.op.has("training_mode"))
    i.node.attributes.set("training_mode", std::int64_t(0));
}

double ratioOf(const OpView &op) {
  const double ratio = op.real("ratio", 0.5f);
  if (!(ratio >= 0 && ratio <= 1))
    op.fail("ratio is ", ratio, "; it must be between 0 and 1.");
  return ratio;
}
bool drops(const lowering::Lowering &l, const OpView &op) {
  const bool wanted =
      op.integer("always", 0) || (l.options().training && op.integer("training_mode", 1));
  return wanted && ratioOf(op) > 0 && op.in(0).elements() > 0;
}

Infos infer(const OpView &op) {
  requireFloat(op);
  ratioOf(op);
  if (op.has("shape") && broadcast(op, op.in(0).shape(), op.integers("shape")) != op.in(0).shape())
    op.fail("shape ", ir::text(op.integers("shape")), " does not broadcast to ",
            ir::text(op.in(0).shape()), ".");
  return {op.in(0).info(), {DataType::BOOL, op.in(0).shape()}};
}

// The kept elements times `scale`. Decisions are drawn in row-major order of the shape, so that
// they do not depend on where x or its gradient lie.
poplar::Tensor dropped(lowering::Lowering &l, const OpView &op, const poplar::Tensor &x,
                       double scale) {
  const poplar::Tensor seed = l.seed();
  const auto modifier = seedModifierOf(op);
  const double keep = 1 - ratioOf(op);
  if (!op.has("shape")) {
    poplar::Tensor order = seed.flatten()[0];
    poputil::broadcastToMatch(order, x.shape());
    return poprand::dropout(l.graph(), &seed, modifier, x, order, keep, scale, false, l.program(),
                            l.name());
  }
  const auto shape = TensorInfo(op.in(0).type(), op.integers("shape")).shape_szt();
  const auto mask = l.graph().addVariable(x.elementType(), shape,
                                          poplar::VariableMappingMethod::LINEAR, l.name("mask"));
  return poprand::shapedDropout(l.graph(), &seed, modifier, x, mask, keep, scale, l.program(),
                                l.name());
}

poplar::Tensor keptMask(lowering::Lowering &l, const OpView &op, const poplar::Tensor &x) {
  auto ones = l.graph().clone(x, l.name("ones"));
  popops::fill(l.graph(), ones, l.program(), 1.0f, l.name("ones"));
  if (drops(l, op))
    ones = dropped(l, op, ones, 1);
  return popops::map(l.graph(), pe::NotEqual(pe::_1, pe::Const(0)), {ones}, l.program(),
                     l.name("mask"));
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  const auto x = l.tensor(op.in(0));
  const double keep = 1 - ratioOf(op);
  Tensors made{drops(l, op) ? dropped(l, op, x, keep > 0 ? 1 / keep : 1) : x};
  if (op.hasOut(1))
    made.push_back(keptMask(l, op, x));
  return made;
}

OpDef dropout(const std::string &type, const std::string &doc, const std::string &domain) {
  OpDef op;
  op.type = type;
  op.domain = domain;
  op.doc = doc;
  op.random = true;
  op.infer = infer;
  op.lower = lower;
  op.grad = [type](GradBuilder &g, const OpView &op) -> Values {
    return {g.dy() == none ? none : g.op(type, {g.dy()}, op.node().attributes)};
  };
  return op;
}

} // namespace

std::vector<OpDef> dropoutOps() {
  OpDef plain = dropout("Dropout", "Drops elements at random while training.", "");
  plain.in = {1, 3};
  plain.out = {1, 2};
  plain.canonical = canonical;
  OpDef shaped = dropout("ShapedDropout",
                         "Drops elements at random while training; one decision per element of a "
                         "shape that broadcasts.",
                         "ai.graphcore");
  shaped.infer = [](const OpView &op) -> Infos {
    op.integers("shape"); // required
    return {infer(op)[0]};
  };
  return {plain, shaped};
}

} // namespace popart::ops
