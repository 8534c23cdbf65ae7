// SPDX-License-Identifier: MIT
// AveragePool: the mean of every window, over its elements or, with count_include_pad, also over
// the padding. SumPool (internal, for norms): the sum. Their gradients are one operator
// each, AveragePoolGrad and SumPoolGrad.
#include "ops/nn/pooling.hpp"
#include "ops/shared/elementwise.hpp"
#include <popops/ElementWise.hpp>

namespace popart::ops {

namespace {

using poplar::Tensor;
using popnn::PoolingType;

// Elements and padding asked for that the windows cover, one number for each output position.
std::vector<double> covered(const Window &w) {
  std::vector<double> counts{1};
  const Shape out = w.output();
  for (std::size_t d = 0; d < w.dims(); ++d) {
    std::vector<double> next;
    const std::int64_t end = w.field[d] + w.lower[d] + w.upper[d] - w.rounding[d];
    for (double before : counts)
      for (std::int64_t o = 0; o < out[d]; ++o) {
        std::int64_t n = 0;
        for (std::int64_t k = 0; k < w.kernel[d]; ++k)
          n += o * w.strides[d] + k * w.dilations[d] < end;
        next.push_back(before * double(n));
      }
    counts = std::move(next);
  }
  return counts;
}

// One over the number of elements and padding that each window is divided by.
Tensor factors(lowering::Lowering &l, const OpView &op, const Window &w) {
  auto counts = covered(w);
  for (auto &n : counts)
    n = 1 / n;
  return l.constant(
      HostTensor::fromDoubles({op.in(0).type(), withField(1, 1, w.output())}, counts));
}

struct Pool {
  PoolingType type;
  bool countsPadding; // divide sums by the size of the window
};
// As SUM when the divisor is fixed or there is none.
Pool poolOf(const OpView &op, const Window &w, bool sum) {
  if (sum)
    return {PoolingType::SUM, false};
  const bool all = op.integer("count_include_pad", 0) != 0 && w.isPadded();
  return {all ? PoolingType::SUM : PoolingType::AVG, all};
}
void scale(lowering::Lowering &l, const Tensor &t, const Tensor &by) {
  popops::mapInPlace(l.graph(), pe::Mul(pe::_1, pe::_2), {t, by}, l.program(), l.name("scale"));
}

Window averageWindow(const OpView &op, const Shape &x) {
  const Window w = poolWindow(op, x);
  if (w.isDilated())
    op.fail("dilations ", ir::text(w.dilations),
            " are for maxima; averages of elements that are apart are not supported.");
  return w;
}

Tensors lower(lowering::Lowering &l, const OpView &op, bool sum) {
  const Shape x = op.in(0).shape();
  const Window w = averageWindow(op, x);
  const Pool pool = poolOf(op, w, sum);
  const auto type = lowering::deviceType(op.in(0).type());
  const Tensor y = popnn::pooling::pool(l.graph(), poolParams(pool.type, x, w, type),
                                        l.tensor(op.in(0)), l.program(), l.name());
  if (pool.countsPadding)
    scale(l, y, factors(l, op, w));
  return {y};
}

Tensors lowerGrad(lowering::Lowering &l, const OpView &op, bool sum) {
  const Shape x = op.out(0).shape();
  const Window w = averageWindow(op, x);
  const Pool pool = poolOf(op, w, sum);
  const auto type = lowering::deviceType(op.in(0).type());
  Tensor dy = l.tensor(op.in(0));
  if (pool.countsPadding)
    dy = popops::map(l.graph(), pe::Mul(pe::_1, pe::_2), {dy, factors(l, op, w)}, l.program(),
                     l.name("scale"));
  return {popnn::pooling::poolInputGradient(l.graph(), poolParams(pool.type, x, w, type), 1, dy,
                                            l.program(), l.name())};
}

OpDef forward(const std::string &type, const std::string &domain, bool sum) {
  OpDef op;
  op.type = type;
  op.domain = domain;
  op.doc = sum ? "The sum of every window." : "The mean of every window.";
  op.infer = [](const OpView &op) -> Infos {
    requireSpatial(op);
    requireFloat(op);
    const Shape x = op.in(0).shape();
    return {{op.in(0).type(), pooledShape(x, averageWindow(op, x))}};
  };
  op.lower = [sum](lowering::Lowering &l, const OpView &op) { return lower(l, op, sum); };
  op.grad = [type](GradBuilder &g, const OpView &op) -> Values {
    auto attributes = poolAttributes(op);
    attributes.set("input", op.in(0).shape());
    return {g.op(type + "Grad", {g.dy()}, attributes)};
  };
  if (!sum)
    op.batch = Batch::Images;
  return op;
}

// dy -> dx; the attribute `input` is the shape of x.   ddy = the pool of dx
OpDef backward(const std::string &type, bool sum) {
  OpDef op;
  op.type = type + "Grad";
  op.domain = "openipu";
  op.doc = "Gradient of the input of " + type + ".";
  op.infer = [](const OpView &op) -> Infos { return {{op.in(0).type(), op.integers("input")}}; };
  op.lower = [sum](lowering::Lowering &l, const OpView &op) { return lowerGrad(l, op, sum); };
  op.grad = [type](GradBuilder &g, const OpView &op) -> Values {
    return {g.op(type, {g.dy()}, poolAttributes(op))};
  };
  return op;
}

} // namespace

std::vector<OpDef> averagepoolOps() {
  return {forward("AveragePool", "", false), backward("AveragePool", false),
          forward("SumPool", "openipu", true), backward("SumPool", true)};
}

} // namespace popart::ops
