// SPDX-License-Identifier: MIT
// Random numbers: RandomNormal, RandomUniform and their forms with the shape of an input
// (RandomNormalLike, RandomUniformLike), Bernoulli and Multinomial. Seeded by the session and this
// node's seedModifier or its attribute seed; no gradient.
#include "lowering/lowering.hpp"
#include "ops/shared/arithmetic.hpp"
#include <popops/ElementWise.hpp>
#include <poprand/RandomGen.hpp>

namespace popart::ops {

namespace {

DataType typeOf(const OpView &op) {
  const DataType type = typeAttribute(op, "dtype", op.hasIn(0) ? op.in(0).type() : DataType::FLOAT);
  if (!isFloatingPoint(type))
    op.fail("random numbers of type ", nameOf(type),
            " cannot be drawn; dtype must be FLOAT or "
            "FLOAT16.");
  return type;
}
Infos infer(const OpView &op) {
  return {{typeOf(op), op.hasIn(0) ? op.in(0).shape() : op.integers("shape")}};
}

// Where the numbers lie.
poplar::Tensor reference(lowering::Lowering &l, const OpView &op) {
  return l.graph().addVariable(lowering::deviceType(op.out(0).type()), op.out(0).info().shape_szt(),
                               poplar::VariableMappingMethod::LINEAR, l.name("reference"));
}

Tensors normal(lowering::Lowering &l, const OpView &op) {
  const auto seed = l.seed();
  return {poprand::normal(l.graph(), &seed, seedModifierOf(op), reference(l, op),
                          lowering::deviceType(op.out(0).type()), op.real("mean", 0),
                          op.real("scale", 1), l.program(), l.name())};
}
Tensors uniform(lowering::Lowering &l, const OpView &op) {
  const auto seed = l.seed();
  return {poprand::uniform(l.graph(), &seed, seedModifierOf(op), reference(l, op),
                           lowering::deviceType(op.out(0).type()), op.real("low", 0),
                           op.real("high", 1), l.program(), l.name())};
}

using Lower = Tensors (*)(lowering::Lowering &, const OpView &);
OpDef random(const std::string &type, const std::string &doc, unsigned inputs, Lower lower) {
  OpDef op;
  op.type = type;
  op.doc = doc;
  op.in = {inputs, inputs};
  op.random = true;
  op.infer = infer;
  op.lower = lower;
  op.noGradient = "it draws random numbers";
  return op;
}

// 1 where a uniform number is below the probability that the input gives.
OpDef bernoulli() {
  OpDef op = random("Bernoulli", "0 or 1 at random; the input says how often 1.", 1, nullptr);
  op.infer = [](const OpView &op) -> Infos {
    requireFloat(op);
    return {{typeAttribute(op, "dtype", op.in(0).type()), op.in(0).shape()}};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    constexpr double belowOne = 1 - 0x1p-24; // probability 1 means always
    const auto seed = l.seed(), x = l.tensor(op.in(0));
    const auto u = poprand::uniform(l.graph(), &seed, seedModifierOf(op), x, poplar::FLOAT, 0,
                                    belowOne, l.program(), l.name("uniform"));
    const auto type = lowering::deviceType(op.out(0).type());
    return {popops::map(l.graph(), pe::Cast(pe::Lt(pe::_1, pe::Cast(pe::_2, poplar::FLOAT)), type),
                        {u, x}, l.program(), l.name())};
  };
  return op;
}

// The class with the largest log probability plus noise of Gumbel's distribution.
OpDef multinomial() {
  OpDef op =
      random("Multinomial", "Classes at random; the input gives log probabilities.", 1, nullptr);
  op.random = false; // what it is written with is
  op.infer = nullptr;
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    requireFloat(op);
    if (op.in(0).rank() != 2)
      op.fail("its input has shape ", ir::text(op.in(0).shape()), "; it must be [batch, classes].");
    const std::int64_t rows = op.in(0).dim(0), classes = op.in(0).dim(1);
    const Shape shape{rows, op.integer("sample_size", 1), classes};
    Attributes range{{"shape", shape}, {"low", 1e-7f}, {"high", 1 - 0x1p-24f}};
    if (op.has("seed"))
      range.set("seedModifier", std::int64_t(seedModifierOf(op)));
    const Value u = b.op("RandomUniform", {}, range);
    const Value gumbel = b.neg(b.log(b.neg(b.log(u))));
    const Value x = b.cast(b.reshape(op.in(0), {rows, 1, classes}), DataType::FLOAT);
    const Value best = b.op("ArgMax", {b.add(x, gumbel)},
                            {{"axis", std::int64_t(2)}, {"keepdims", std::int64_t(0)}});
    return {b.cast(best, typeAttribute(op, "dtype", DataType::INT32))};
  };
  return op;
}

} // namespace

std::vector<OpDef> randomOps() {
  return {random("RandomNormal", "Numbers of a normal distribution.", 0, normal),
          random("RandomNormalLike", "Numbers of a normal distribution in the shape of the input.",
                 1, normal),
          random("RandomUniform", "Numbers spread evenly between two bounds.", 0, uniform),
          random("RandomUniformLike",
                 "Numbers spread evenly between two bounds, in the shape of the input.", 1,
                 uniform),
          bernoulli(),
          multinomial()};
}

} // namespace popart::ops
