// SPDX-License-Identifier: MIT
// The PopLibs side of recurrent layers: options, order of time, lengths.
#include "ops/nn/recurrent.hpp"

#include "base/Text.hpp"
#include "ops/shared/elementwise.hpp"
#include <numeric>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/Util.hpp>

namespace popart::ops {

using poplar::Tensor;

popnn::NonLinearityType activationOf(const OpView &op, const std::string &name) {
  if (name == "sigmoid")
    return popnn::NonLinearityType::SIGMOID;
  if (name == "tanh")
    return popnn::NonLinearityType::TANH;
  if (name == "relu")
    return popnn::NonLinearityType::RELU;
  if (name == "hardsigmoid")
    return popnn::NonLinearityType::HARD_SIGMOID;
  op.fail("activation \"", name, "\" is not supported; use Sigmoid, Tanh, Relu or HardSigmoid.");
}

poplar::OptionFlags recurrentOptions(lowering::Lowering &l, const OpView &op, bool training) {
  auto options = l.options().lstm;
  options.set("inferenceOnly", training ? "false" : "true");
  const auto &extra = op.node().settings.extra;
  if (const auto p = extra.find<float>("__available_memory_proportion"))
    options.set("availableMemoryProportion", base::str(*p));
  if (const auto type = extra.find<std::string>("__partials_type"))
    options.set("partialsType", lowering::partialsType(*type));
  return options;
}

Tensor inOrder(const OpView &op, const Tensor &sequence) {
  return op.integer("reverse", 0) ? sequence.reverse(0) : sequence;
}

namespace {

// 0, 1, 2 ... as [T,1,1], and lengths as [1,N,1].
Tensor times(lowering::Lowering &l, std::size_t steps) {
  std::vector<std::int64_t> values(steps);
  std::iota(values.begin(), values.end(), 0);
  return l.constant(
      HostTensor::fromIntegers({DataType::INT32, {std::int64_t(steps), 1, 1}}, values));
}
Tensor perElement(const Tensor &lengths) { return lengths.reshape({1, lengths.numElements(), 1}); }

pe::Any isLast(const pe::Any &time, const pe::Any &length) {
  return pe::Equal(pe::Add(time, pe::Const(1)), length);
}

} // namespace

Tensor lastStep(lowering::Lowering &l, const OpView &op, const Tensor &y, const Tensor *lengths) {
  if (!lengths) {
    // Memory of its own where others compute with it: they may write their results there.
    const Tensor last = y[y.dim(0) - 1];
    return isUsed(op, op.out(1)) ? poputil::duplicate(l.graph(), last, l.program(), l.name("last"))
                                 : last;
  }
  const Tensor only =
      popops::map(l.graph(), pe::Select(pe::_1, pe::Const(0.0f), isLast(pe::_2, pe::_3)),
                  {y, times(l, y.dim(0)), perElement(*lengths)}, l.program(), l.name("last"));
  return popops::reduce(l.graph(), only, {0}, {popops::Operation::ADD}, l.program(),
                        l.name("last"));
}

Tensor outputGradient(lowering::Lowering &l, const OpView &op, std::size_t input, const Tensor &y,
                      const Tensor *lengths) {
  const auto given = [&](std::size_t i) { return op.hasIn(i) ? l.tensor(op.in(i)) : Tensor(); };
  const auto shape = y.shape();
  const Tensor dy = op.hasIn(input) ? inOrder(op, given(input)) : Tensor(),
               dlast = given(input + 1);
  const Tensor all = dy.valid() ? dy : zeros(l, op.in(0).type(), shape);
  if (!dlast.valid())
    return all;
  if (lengths)
    return popops::map(l.graph(),
                       pe::Select(pe::Add(pe::_1, pe::_2), pe::_1, isLast(pe::_3, pe::_4)),
                       {all, dlast.expand({0}), times(l, shape[0]), perElement(*lengths)},
                       l.program(), l.name("last"));
  const Tensor last = dy.valid()
                          ? popops::map(l.graph(), pe::Add(pe::_1, pe::_2),
                                        {dy[shape[0] - 1], dlast}, l.program(), l.name("last"))
                          : dlast;
  return poplar::concat(all.slice(0, shape[0] - 1, 0), last.expand({0}));
}

Tensor masked(lowering::Lowering &l, const Tensor &t, const Tensor &lengths) {
  return popops::map(l.graph(), pe::Select(pe::_1, pe::Const(0.0f), pe::Lt(pe::_2, pe::_3)),
                     {t, times(l, t.dim(0)), perElement(lengths)}, l.program(), l.name("mask"));
}

} // namespace popart::ops
