// SPDX-License-Identifier: MIT
// Losses: loss and gradient of every row, and how many rows are right, in one pass.
//   cross entropy  loss = -log(p[label] + eps), delta = (y - onehot * s) * d / s, with p = y / s
//   sum of squares loss = sum((y / s - onehot)^2) / 2, delta likewise
// s is what the outputs carry (modelOutputScaling), d scales gradients. Tiles: labels encoded as
// rows, the transform, a reduction over classes; for accuracy the largest class of each row.
#include "popnn/Loss.hpp"
#include "base/Text.hpp"
#include "LossPlan.hpp"
#include "openipu/Attributes.hpp"
#include "poplin/Rows.hpp"
#include "popops/EncodingConstants.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include <cmath>

namespace popnn {
namespace {

namespace rows = poplin::rows;
using openipu::KernelArgs;
using poplar::Tensor;

std::size_t largest(const float *x, std::size_t n) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < n; ++i)
    if (x[i] > x[best])
      best = i;
  return best;
}

// Attributes: type of loss, whether there are a loss, scales and a count. Outputs: [loss, deltas],
// [numCorrect]. Inputs: modelOutputs, expected, [deltasScale, modelOutputScaling].
class LossKernel {
public:
  explicit LossKernel(const KernelArgs &args) {
    openipu::AttributeReader in(args.attributes);
    type_ = LossType(in.get<std::uint8_t>());
    hasLoss_ = in.get<bool>();
    hasScales_ = in.get<bool>();
    counts_ = in.get<bool>();
    right_.resize(args.inputs[0].shape[0]);
  }

  void run(const KernelArgs &args) {
    rows::Data y(args.inputs[0]);
    if (hasScales_) {
      deltasScale_ = rows::table(args.inputs[2], 8)[0];
      scaling_ = rows::table(args.inputs[3], 9)[0];
    }
    eps_ = y.half ? EPS_LOG_N_HALF : EPS_LOG_N_FLOAT;
    auto classes = args.inputs[0].shape[1];
    auto body = [&](std::size_t begin, std::size_t end, unsigned) {
      for (auto b = begin; b < end; ++b)
        row(args, y, b, classes);
    };
    base::parallelFor(right_.size(), std::max<std::size_t>(1, 4096 / (classes + 1)),
                      std::ref(body));
    if (counts_)
      *args.out<std::uint32_t>(args.outputs.size() - 1) +=
          std::uint32_t(std::count(right_.begin(), right_.end(), 1));
  }

private:
  void row(const KernelArgs &args, const rows::Data &y, std::size_t b, std::size_t n) {
    const auto &outputs = args.inputs[0], &expected = args.inputs[1];
    const float *in = rows::read(y, std::int64_t(b) * outputs.strides[0], outputs.strides[1], n, 0);
    auto label = expected.as<std::uint32_t>()[std::int64_t(b) * expected.strides[0]];
    if (counts_)
      right_[b] = n > 0 && label != MASKED_LABEL_CODE && largest(in, n) == label;
    if (!hasLoss_)
      return;
    const auto &deltas = args.outputs[1], &losses = args.outputs[0];
    rows::Data d(deltas);
    auto at = std::int64_t(b) * deltas.strides[0];
    float *out = rows::target(d, at, deltas.strides[1], n, 1);
    float loss = 0;
    if (label == MASKED_LABEL_CODE)
      std::fill(out, out + n, 0.0f);
    else
      loss = transform(in, out, n, label);
    rows::write(d, at, deltas.strides[1], n, out);
    rows::Data(losses).store(std::int64_t(b) * losses.strides[0], 1, 1, &loss);
  }

  float transform(const float *in, float *out, std::size_t n, std::uint32_t label) const {
    float scale = deltasScale_ / scaling_, p = 0;
    double squares = 0;
    if (label < n)
      p = in[label] / scaling_;
    if (type_ == SUM_SQUARED_LOSS)
      for (std::size_t i = 0; i < n; ++i) {
        double delta = double(in[i]) / double(scaling_) - (i == label ? 1.0 : 0.0);
        squares += delta * delta;
      }
    float own = label < n ? (in[label] - scaling_) * scale : 0;
    for (std::size_t i = 0; i < n; ++i)
      out[i] = in[i] * scale;
    if (label < n)
      out[label] = own;
    if (type_ == SUM_SQUARED_LOSS)
      return float(0.5 * squares);
    return label < n ? -std::log(p + eps_) : 0.0f;
  }

  LossType type_;
  bool hasLoss_, hasScales_, counts_;
  float deltasScale_ = 1, scaling_ = 1, eps_ = 0;
  std::vector<std::uint8_t> right_;
};

const openipu::Registered registered{openipu::stateful<LossKernel>("popnn.loss")};

[[noreturn]] void fail(const char *api, const char *what, const Tensor &t, const char *want,
                       const Tensor &modelOutputs) {
  throw poputil::poplibs_error(base::str(
      api, ": ", what, " is ", t.elementType(), base::list(t.shape()), " for model outputs ",
      modelOutputs.elementType(), base::list(modelOutputs.shape()), "; it must be ", want));
}

bool isLabel(const poplar::Type &type) {
  return type == poplar::UNSIGNED_INT || type == poplar::INT;
}

struct Arguments {
  Tensor modelOutputs, expected, loss, deltas, deltasScale, modelOutputScaling, numCorrect;
};

void check(const Arguments &a, const char *api) {
  const auto &y = a.modelOutputs;
  if (y.rank() != 2 || (y.elementType() != poplar::FLOAT && y.elementType() != poplar::HALF))
    fail(api, "modelOutputs", y, "FLOAT or HALF of [batch][classes]", y);
  if (a.expected.rank() != 1 || a.expected.dim(0) != y.dim(0) || !isLabel(a.expected.elementType()))
    fail(api, "expected", a.expected, "INT or UNSIGNED_INT of [batch]", y);
  if (a.loss.valid() &&
      (a.loss.rank() != 1 || a.loss.dim(0) != y.dim(0) || a.loss.elementType() != y.elementType()))
    fail(api, "loss", a.loss, "[batch] of the outputs' type", y);
  if (a.deltas.valid() &&
      (a.deltas.shape() != y.shape() || a.deltas.elementType() != y.elementType()))
    fail(api, "deltas", a.deltas, "of the same shape and type", y);
  for (const auto *scale : {&a.deltasScale, &a.modelOutputScaling})
    if (scale->valid() && (scale->numElements() != 1 || (scale->elementType() != poplar::FLOAT &&
                                                         scale->elementType() != poplar::HALF)))
      fail(api, scale == &a.deltasScale ? "deltasScale" : "modelOutputScaling", *scale,
           "one element, FLOAT or HALF", y);
  if (a.numCorrect.valid() &&
      (a.numCorrect.numElements() != 1 || !isLabel(a.numCorrect.elementType())))
    fail(api, "numCorrect", a.numCorrect, "one element, UNSIGNED_INT or INT", y);
}

poplar::program::Program build(poplar::Graph &graph, const Arguments &a, LossType type,
                               const poplar::DebugContext &context, const char *api) {
  check(a, api);
  std::vector<openipu::Used> uses;
  for (const auto *t : {&a.loss, &a.deltas})
    if (t->valid())
      uses.push_back(openipu::out(*t));
  if (a.numCorrect.valid())
    uses.push_back(openipu::inOut(a.numCorrect));
  LossOperands operands{unsigned(uses.size()), unsigned(uses.size()) + 1};
  uses.push_back(openipu::in(a.modelOutputs));
  uses.push_back(openipu::in(a.expected));
  for (const auto *t : {&a.deltasScale, &a.modelOutputScaling})
    if (t->valid())
      uses.push_back(openipu::in(*t));
  openipu::Plan plan;
  if (a.loss.valid())
    plan.append(lossPlan(graph, a.modelOutputs, a.loss, a.deltas, type, operands));
  if (a.numCorrect.valid())
    plan.append(accuracyPlan(graph, a.modelOutputs, a.numCorrect));
  openipu::AttributeWriter attributes;
  attributes.put(std::uint8_t(type))
      .put(a.loss.valid())
      .put(a.deltasScale.valid())
      .put(a.numCorrect.valid());
  return openipu::operation(
      graph, {"popnn.loss", std::move(uses), attributes.take(), std::move(plan), context});
}

} // namespace

poplar::program::Program calcLoss(poplar::Graph &graph, const Tensor &modelOutputs,
                                  const Tensor &expected, const Tensor &loss, const Tensor &deltas,
                                  const Tensor &deltasScale, const Tensor &modelOutputScaling,
                                  LossType lossType, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(modelOutputs, expected, loss, deltas,
                                                       deltasScale, modelOutputScaling, lossType));
  return build(graph,
               {modelOutputs, expected, loss, deltas, deltasScale, modelOutputScaling, Tensor()},
               lossType, {di, "calcLoss"}, "popnn::calcLoss");
}

poplar::program::Program calcLoss(poplar::Graph &graph, const Tensor &modelOutputs,
                                  const Tensor &expected, const Tensor &loss, const Tensor &deltas,
                                  LossType lossType, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(modelOutputs, expected, loss, deltas, lossType));
  return build(graph, {modelOutputs, expected, loss, deltas, Tensor(), Tensor(), Tensor()},
               lossType, {di, "calcLoss"}, "popnn::calcLoss");
}

poplar::program::Program calcLoss(poplar::Graph &graph, const Tensor &modelOutputs,
                                  const Tensor &expected, const Tensor &loss, const Tensor &deltas,
                                  const Tensor &deltasScale, const Tensor &modelOutputScaling,
                                  const Tensor &numCorrect, LossType lossType,
                                  const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(modelOutputs, expected, loss, deltas, deltasScale,
                                         modelOutputScaling, numCorrect, lossType));
  return build(graph,
               {modelOutputs, expected, loss, deltas, deltasScale, modelOutputScaling, numCorrect},
               lossType, {di, "calcLoss"}, "popnn::calcLoss");
}

poplar::program::Program calcLoss(poplar::Graph &graph, const Tensor &modelOutputs,
                                  const Tensor &expected, const Tensor &loss, const Tensor &deltas,
                                  const Tensor &numCorrect, LossType lossType,
                                  const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(modelOutputs, expected, loss, deltas, numCorrect, lossType));
  return build(graph, {modelOutputs, expected, loss, deltas, Tensor(), Tensor(), numCorrect},
               lossType, {di, "calcLoss"}, "popnn::calcLoss");
}

poplar::program::Program calcAccuracy(poplar::Graph &graph, const Tensor &modelOutputs,
                                      const Tensor &expected, const Tensor &numCorrect,
                                      const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(modelOutputs, expected, numCorrect));
  Arguments arguments;
  arguments.modelOutputs = modelOutputs;
  arguments.expected = expected;
  arguments.numCorrect = numCorrect;
  return build(graph, arguments, CROSS_ENTROPY_LOSS, {di, "calcAccuracy"}, "popnn::calcAccuracy");
}

} // namespace popnn
