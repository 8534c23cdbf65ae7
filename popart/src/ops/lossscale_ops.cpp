// SPDX-License-Identifier: MIT
// Automatic loss scaling (src/optimizer/lossscale.hpp).
//   GradientStatistics   counts[i] += how many |elements| are below (0) and not below (1) `edge`
//   LossScaleUpdate      in the first call and every `period` calls from there: the factor is
//                        halved if more than `threshold` of the counted elements were large, else
//                        doubled, as far as a FLOAT goes; counting starts again
#include "lowering/lowering.hpp"
#include "ops/shared/elementwise.hpp"
#include <popops/ElementWise.hpp>
#include <popops/GatherStatistics.hpp>

namespace popart::ops {

namespace {

OpDef changing(const std::string &type, const std::string &doc, unsigned in, unsigned out) {
  OpDef op;
  op.type = type;
  op.domain = "openipu";
  op.in = {in, in};
  op.out = {out, out};
  op.doc = doc;
  op.noGradient = "it changes variables";
  op.updates = 0;
  op.infer = [out](const OpView &op) {
    Infos infos;
    for (unsigned i = 0; i < out; ++i)
      infos.push_back(op.in(i).info());
    return infos;
  };
  return op;
}

Tensors count(lowering::Lowering &l, const OpView &op) {
  const auto x = l.tensor(op.in(1)).flatten();
  auto counts = l.tensor(op.in(0));
  const auto edge = l.constant(HostTensor::fromDoubles(TensorInfo(op.in(1).type(), Shape{1}),
                                                       std::vector<double>{op.real("edge")}));
  popops::histogram(l.graph(), x, counts, true, edge, true, l.program(), l.name(),
                    {{"useFloatArithmetic", "true"}});
  return {counts};
}

Tensors update(lowering::Lowering &l, const OpView &op) {
  const auto factor = l.tensor(op.in(0)), counts = l.tensor(op.in(1)), calls = l.tensor(op.in(2));
  const auto zero = pe::Const(0.0f);
  const auto change = [&](const pe::Any &expr, const Tensors &ts) {
    popops::mapInPlace(l.graph(), expr, ts, l.program(), l.name());
  };
  const pe::Any due = pe::Equal(pe::_2, zero);
  const pe::Any large =
      pe::Gt(pe::_4, pe::Mul(pe::Const(op.real("threshold")), pe::Add(pe::_3, pe::_4)));
  constexpr float most = 0x1p126f; // an infinite loss scale would stay so
  const pe::Any grown =
      pe::Min(pe::Mul(pe::_1, pe::Const(2.0f)), pe::Divide(pe::Const(most), pe::_5));
  const pe::Any next = pe::Select(pe::Mul(pe::_1, pe::Const(0.5f)), grown, large);
  change(pe::Select(next, pe::_1, due), {factor, calls, counts[0], counts[1], l.tensor(op.in(3))});
  change(pe::Select(zero, pe::_1, due), {counts, calls});
  const auto last = pe::Const(static_cast<float>(op.integer("period") - 1));
  change(pe::Select(zero, pe::Add(pe::_1, pe::Const(1.0f)), pe::Gte(pe::_1, last)), {calls});
  return {factor, counts, calls};
}

} // namespace

std::vector<OpDef> lossscaleOps() {
  OpDef statistics = changing("GradientStatistics", "Counts elements by their size.", 2, 1);
  statistics.lower = count;
  OpDef scale =
      changing("LossScaleUpdate", "Halves or doubles the factor of the loss scale.", 4, 3);
  scale.lower = update;
  return {statistics, scale};
}

} // namespace popart::ops
