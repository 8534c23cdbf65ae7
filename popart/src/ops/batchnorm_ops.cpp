// SPDX-License-Identifier: MIT
// BatchNormalization: every channel of x [N, C, ...] normalised over the batch and all positions.
// Its gradient is BatchNormGrad.
//   inputs   x, scale, bias, mean, variance
//   outputs  y; when training also the new running mean and variance, then mean and variance of
//            this batch, then its 1/deviation (for the gradient)
//   running = momentum * running + (1 - momentum) * batch
// ai.graphcore's differs by the running variance, which is that of n - 1 elements.
// replica_group_size [1]: statistics when training are of so many consecutive replicas' batches.
#include "lowering/lowering.hpp"
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"
#include <gcl/Collectives.hpp>
#include <poplin/NormOperations.hpp>
#include <popnn/BatchNorm.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

namespace popart::ops {

namespace {

constexpr unsigned trainingOutputs = 6;
float epsilonOf(const OpView &op) { return op.real("epsilon", 1e-5f); }
bool isTraining(const OpView &op) { return op.integer("training_mode", 0) != 0; }

// Old opsets can have statistics for every position of a channel: as many channels, without
// positions.
void positionsAsChannels(Importing &i) {
  const Shape shape = i.op.in(0).shape();
  if (shape.empty())
    return; // refused below
  const Shape each(shape.begin() + 1, shape.end());
  const auto channels = ir::elementsOf(each);
  for (std::size_t k = 1; k < i.node.inputs.size(); ++k) {
    if (i.op.in(k).shape() != each)
      i.op.fail("with spatial = 0, input ", k, " is ", i.op.in(k).info(), "; it must have shape ",
                ir::text(each), ".");
    i.node.inputs[k] = i.builder.reshape(i.node.inputs[k], {channels});
  }
  i.node.inputs[0] = i.builder.reshape(i.node.inputs[0], {shape[0], channels});
  i.afterEach = [shape, each](GraphBuilder &b, std::size_t output, Value y) {
    return output < 5 ? b.reshape(y, output ? each : shape) : y;
  };
}

// Until opset 13 the number of outputs says whether it trains, afterwards the attribute does.
void canonical(Importing &i, bool graphcore) {
  auto &attributes = i.node.attributes;
  if (i.op.integer("spatial", 1) == 0)
    positionsAsChannels(i);
  for (const char *old : {"spatial", "is_test", "consumed_inputs"})
    attributes.erase(old);
  if (i.version < 14 || graphcore) {
    attributes.set("training_mode", std::int64_t(i.outputs > 1));
    attributes.set("by_outputs", std::int64_t(1));
  }
  if (graphcore)
    attributes.set("sample_variance", std::int64_t(1));
  if (isTraining(i.op))
    i.outputs = trainingOutputs;
  else if (i.outputs > 1)
    i.op.fail(i.outputs, " outputs asked for with training_mode = 0; there is one.");
}

Infos infer(const OpView &op) {
  const auto x = op.in(0);
  for (unsigned i = 0; i < 5; ++i)
    requireFloat(op, i);
  if (x.rank() < 2)
    op.fail("input \"", x.name(), "\" is ", x.info(),
            "; it needs a batch and a channel dimension.");
  const char *names[] = {"x", "scale", "bias", "mean", "variance"};
  for (unsigned i = 1; i < 5; ++i)
    if (op.in(i).shape() != Shape{x.dim(1)})
      op.fail(names[i], " is ", op.in(i).info(), "; it must have shape ", ir::text(Shape{x.dim(1)}),
              ", one value per channel of ", ir::text(x.shape()), ".");
  if (!isTraining(op))
    return {x.info()};
  const TensorInfo batch(x.type(), {x.dim(1)});
  return {x.info(), op.in(3).info(), op.in(4).info(), op.in(3).info(), op.in(4).info(), batch};
}

poplar::Tensor as(lowering::Lowering &l, const poplar::Tensor &t, poplar::Type type) {
  return t.elementType() == type ? t
                                 : popops::cast(l.graph(), t, type, l.program(), l.name("cast"));
}
poplar::Tensor mapped(lowering::Lowering &l, const Expr &e, const Tensors &used, const char *what) {
  return popops::map(l.graph(), e, used, l.program(), l.name(what));
}
Expr asFloat(const Expr &e) { return pe::Cast(e, poplar::FLOAT); }

// y = x * multiplier + addend
Tensors lowerInference(lowering::Lowering &l, const OpView &op) {
  const auto x = l.tensor(op.in(0));
  Tensors t;
  for (unsigned i = 1; i < 5; ++i)
    t.push_back(l.tensor(op.in(i)));
  const Expr multiplier =
      pe::Mul(asFloat(pe::_1), pe::Rsqrt(pe::Add(asFloat(pe::_2), pe::Const(epsilonOf(op)))));
  const auto m = mapped(l, multiplier, {t[0], t[3]}, "multiplier");
  const auto a = mapped(
      l, pe::Cast(pe::Sub(asFloat(pe::_1), pe::Mul(asFloat(pe::_2), pe::_3)), x.elementType()),
      {t[1], t[2], m}, "addend");
  return {
      popnn::bn::batchNormalise(l.graph(), x, as(l, m, x.elementType()), a, l.program(), l.name())};
}

std::int64_t groupSizeOf(const OpView &op) { return op.integer("replica_group_size", 1); }

// Between the replicas of a group.
poplin::norms::Distributed sharedBy(lowering::Lowering &l, const OpView &op, std::size_t batch) {
  auto reduce = [&l](poplar::Graph &, const Tensors &in, poplar::program::Sequence &prog,
                     unsigned size, const poplar::DebugContext &name, const poplar::OptionFlags &) {
    return gcl::allReduceCrossReplica(l.wholeGraph(), in, gcl::CollectiveOperator::ADD, prog,
                                      {gcl::CommGroupType::CONSECUTIVE, size}, name,
                                      l.options().gcl);
  };
  return {reduce, unsigned(batch * std::size_t(groupSizeOf(op)))};
}

poplin::norms::Normalised normalised(lowering::Lowering &l, const OpView &op) {
  auto &g = l.graph();
  const auto x = l.tensor(op.in(0));
  const auto type = x.elementType();
  const auto gamma = as(l, l.tensor(op.in(1)), type), beta = as(l, l.tensor(op.in(2)), type);
  const poplin::NormStatisticsOptions options{epsilonOf(op), false, l.options().stableNorm,
                                              poplar::FLOAT};
  const char *const api = "BatchNormalization";
  if (groupSizeOf(op) <= 1)
    return poplin::norms::normalised(g, x, {}, options, gamma, beta, l.program(), l.name(), api);
  const auto [mean, deviation] = poplin::norms::statistics(g, x, sharedBy(l, op, x.dim(0)), options,
                                                           l.program(), l.name(), api);
  const auto made = poplin::norms::affine(g, x, {}, {mean, deviation, gamma, beta, true, false},
                                          l.program(), l.name(), api);
  return {made.first, mean, deviation};
}

Tensors lowerTraining(lowering::Lowering &l, const OpView &op) {
  const auto x = l.tensor(op.in(0)), oldMean = l.tensor(op.in(3)), oldVariance = l.tensor(op.in(4));
  const auto made = normalised(l, op);
  const auto &mean = made.mean, &deviation = made.invStdDev;
  const float momentum = op.real("momentum", 0.9f);
  const double n = double(x.numElements()) / double(std::max<std::size_t>(x.dim(1), 1)) *
                   double(std::max<std::int64_t>(groupSizeOf(op), 1));
  const bool sample = op.integer("sample_variance", 0) != 0 && n > 1;
  const Expr variance =
      pe::Sub(pe::Divide(pe::Const(1.0f), pe::Square(asFloat(pe::_1))), pe::Const(epsilonOf(op)));
  const auto batch = mapped(l, variance, {deviation}, "variance");
  auto running = [&](const poplar::Tensor &old, const poplar::Tensor &now, double factor) {
    const Expr e =
        pe::Add(pe::Mul(asFloat(pe::_1), pe::Const(momentum)),
                pe::Mul(asFloat(pe::_2), pe::Const(float((1 - double(momentum)) * factor))));
    return mapped(l, pe::Cast(e, old.elementType()), {old, now}, "running");
  };
  return {made.normalised,
          running(oldMean, mean, 1),
          running(oldVariance, batch, sample ? n / (n - 1) : 1),
          as(l, mean, oldMean.elementType()),
          as(l, batch, oldVariance.elementType()),
          deviation};
}

// Statistics that stay as they are: the gradient of y = x * multiplier + addend.
Values inferenceGrad(GradBuilder &g, const OpView &op) {
  const auto x = op.in(0);
  Shape channels(std::size_t(x.rank()), 1);
  channels[1] = x.dim(1);
  Integers others{0};
  for (std::int64_t i = 2; i < x.rank(); ++i)
    others.push_back(i);
  auto column = [&](Value v) { return g.reshape(g.cast(v, x.type()), channels); };
  const Value inverse = column(g.reciprocal(g.sqrt(g.add(op.in(4), double(epsilonOf(op))))));
  const Value whitened = g.mul(g.sub(x, column(op.in(3))), inverse);
  auto perChannel = [&](Value v, Value like) {
    return g.cast(g.reduceSum(v, others, false), g.type(like));
  };
  return {g.mul(g.dy(), g.mul(column(op.in(1)), inverse)),
          perChannel(g.mul(g.dy(), whitened), op.in(1)), perChannel(g.dy(), op.in(2)), none, none};
}

Values grad(GradBuilder &g, const OpView &op) {
  if (g.dy() == none)
    return {};
  if (isTraining(op)) {
    auto grads = g.ops("BatchNormGrad", {g.dy(), op.in(0), op.in(1), op.out(3), op.out(5)}, 3,
                       {{"replica_group_size", groupSizeOf(op)}});
    return {grads[0], grads[1], grads[2], none, none};
  }
  if (op.integer("by_outputs", 0))
    op.fail("it has one output, which means inference, and its gradient is needed. Give it the "
            "five outputs of training (GraphTransformer::prepareNodesForTraining does), or detach "
            "its input.");
  return inferenceGrad(g, op);
}

Tensors lowerGrad(lowering::Lowering &l, const OpView &op) {
  auto &g = l.graph();
  const auto dy = l.tensor(op.in(0)), x = l.tensor(op.in(1)), gamma = l.tensor(op.in(2));
  const auto type = x.elementType();
  const auto mean = as(l, l.tensor(op.in(3)), type), deviation = l.tensor(op.in(4));
  const auto factor = as(l, gamma, type);
  const char *const api = "BatchNormGrad";
  poplin::norms::AllGradients made;
  if (groupSizeOf(op) <= 1)
    made = poplin::norms::allGradients(g, x, dy, mean, deviation, factor, {}, poplar::FLOAT,
                                       l.program(), l.name(), api);
  else { // the parameters' are of this replica, as those of all weights are
    std::tie(made.gamma, made.beta) = poplin::norms::paramGradients(
        g, x, dy, mean, deviation, {}, poplar::FLOAT, l.program(), l.name(), api);
    made.acts =
        poplin::norms::gradients(g, x, dy, mean, deviation, factor, sharedBy(l, op, x.dim(0)),
                                 poplar::FLOAT, l.program(), l.name(), api);
  }
  return {made.acts, as(l, made.gamma, gamma.elementType()), as(l, made.beta, gamma.elementType())};
}

OpDef normalization(const std::string &domain) {
  OpDef op;
  op.type = "BatchNormalization";
  op.domain = domain;
  op.in = {5, 5};
  op.out = {1, trainingOutputs};
  op.doc = "Every channel normalised over batch and positions, or by running statistics.";
  op.canonical = [graphcore = !domain.empty()](Importing &i) { canonical(i, graphcore); };
  op.infer = infer;
  op.lower = [](lowering::Lowering &l, const OpView &op) {
    return isTraining(op) ? lowerTraining(l, op) : lowerInference(l, op);
  };
  op.grad = grad;
  op.fresh = op.norm = true;
  return op;
}

} // namespace

std::vector<OpDef> batchnormOps() {
  OpDef gradient;
  gradient.type = "BatchNormGrad";
  gradient.domain = "openipu";
  gradient.in = {5, 5};
  gradient.out = {3, 3};
  gradient.doc = "Gradients of BatchNormalization by input, scale and bias.";
  gradient.infer = [](const OpView &op) -> Infos {
    return {op.in(1).info(), op.in(2).info(), op.in(2).info()};
  };
  gradient.lower = lowerGrad;
  gradient.gradientError = "it is a gradient already";
  gradient.fresh = true;
  return {normalization(""), normalization("ai.graphcore"), gradient};
}

} // namespace popart::ops
