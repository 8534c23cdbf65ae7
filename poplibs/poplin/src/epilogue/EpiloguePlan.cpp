// SPDX-License-Identifier: MIT
#include "epilogue/EpiloguePlan.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "poplin/Steps.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/NonLinearityCycles.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <functional>
#include <numeric>

namespace poplin {
namespace {

using base::list;
using base::str;
using openipu::Activation;
using openipu::Superstep;
using popops::expr::BinaryOpType;
using popops::expr::UnaryOpType;
using Shape = std::vector<std::size_t>;

[[noreturn]] void refuse(const char *function, const char *what, const poplar::Tensor &t,
                         const Shape &shape, const poplar::Type &type) {
  throw poputil::poplibs_error(str("poplin::", function, ": the ", what, " of the epilogue is ",
                                   t.elementType(), " of shape ", list(t.shape()),
                                   ", the result asks for ", type, " of shape ", list(shape), "."));
}

poplar::Tensor broadcastTo(poplar::Tensor t, const Shape &shape) {
  for (unsigned d = 0; d < shape.size(); ++d)
    if (t.dim(d) != shape[d])
      t = t.broadcast(unsigned(shape[d]), d);
  return t;
}

struct Function {
  const char *name, *vertex;
  UnaryOpType op;
  unsigned flops;
};
Function functionOf(Activation activation) {
  switch (activation) {
  case Activation::Relu:
    return {"Relu", "RELU", UnaryOpType::RELU, 1};
  case Activation::GeluErf:
    return {"GeluErf", "GELU_ERF", UnaryOpType::GELU_ERF, 1};
  case Activation::Tanh:
    return {"Tanh", "TANH", UnaryOpType::TANH, 1};
  default:
    return {"Sigmoid", "SIGMOID", UnaryOpType::SIGMOID, 1};
  }
}

Superstep activationStep(const poplar::Graph &graph, const poplar::Tensor &out,
                         Activation activation) {
  const auto type = out.elementType();
  const auto &chip = openipu::chipOf(graph);
  const bool gelu = activation == Activation::Gelu;
  if (gelu || activation == Activation::Swish)
    return elementStep(graph, out, gelu ? "Gelu" : "Swish",
                       "popnn::NonLinearity1DInPlace<" + type.toString() +
                           ",popnn::NonLinearityType::" + (gelu ? "GELU>" : "SWISH>"),
                       [&](std::uint64_t n, std::uint32_t regions) {
                         return gelu ? popops::cost::geluCycles(chip, type, n, regions)
                                     : popops::cost::swishCycles(chip, type, n, regions);
                       },
                       {0, gelu ? 8u : 2u, {}});
  if (activation == Activation::Relu6) // a minimum of a maximum
    return elementStep(graph, out, "Relu6", binaryVertex("BinaryOp1DInPlace", "MAXIMUM", type),
                       [&](std::uint64_t n, std::uint32_t regions) {
                         return popops::cost::fusedCycles(chip, 2, 1, type, n, regions);
                       },
                       {0, 2, {}});
  const auto function = functionOf(activation);
  return elementStep(graph, out, function.name,
                     unaryVertex("UnaryOp1DInPlace", function.vertex, type),
                     [&](std::uint64_t n, std::uint32_t regions) {
                       return popops::cost::unaryCycles(chip, function.op, type, n, true, regions);
                     },
                     {0, function.flops, {}});
}

Superstep biasStep(const poplar::Graph &graph, const poplar::Tensor &out, std::size_t channels) {
  const auto type = out.elementType();
  const auto &chip = openipu::chipOf(graph);
  return elementStep(graph, out, "AddBias",
                     binaryVertex("BroadcastVectorInner1DInPlace", "ADD", type),
                     [&](std::uint64_t n, std::uint32_t) {
                       const auto length = std::min<std::uint64_t>(channels, n);
                       return popops::cost::vectorInnerCycles(chip, BinaryOpType::ADD, type, 1,
                                                              length, base::ceilDiv(n, length));
                     },
                     {0, 1, {}});
}

Superstep addendStep(const poplar::Graph &graph, const poplar::Tensor &out) {
  const auto type = out.elementType();
  const auto &chip = openipu::chipOf(graph);
  return elementStep(graph, out, "Add", binaryVertex("BinaryOp1DInPlace", "ADD", type),
                     [&](std::uint64_t n, std::uint32_t regions) {
                       return popops::cost::binaryCycles(chip, BinaryOpType::ADD, type, n, true,
                                                         regions);
                     },
                     {0, 1, {}});
}

bool exchanges(const Superstep &step) {
  return step.repeats == 1 &&
         std::any_of(step.tiles.begin(), step.tiles.end(),
                     [](const auto &work) { return work.bytesIn || work.bytesOut; });
}

} // namespace

Extras extrasOf(const char *function, const openipu::Epilogue &epilogue, const poplar::Tensor &out,
                const Shape &biasShape) {
  Extras extras;
  const auto type = out.elementType();
  extras.activation = epilogue.activation;
  if (epilogue.bias) {
    const Shape expected{
        std::accumulate(biasShape.begin(), biasShape.end(), std::size_t(1), std::multiplies<>())};
    if (epilogue.bias->shape() != expected || epilogue.bias->elementType() != type)
      refuse(function, "bias", *epilogue.bias, expected, type);
    extras.hasBias = true;
    extras.tensors.push_back(broadcastTo(epilogue.bias->reshape(biasShape), out.shape()));
  }
  if (epilogue.addend) {
    if (epilogue.addend->shape() != out.shape() || epilogue.addend->elementType() != type)
      refuse(function, "addend", *epilogue.addend, out.shape(), type);
    extras.tensors.push_back(*epilogue.addend);
  }
  return extras;
}

// What must come to the results' tiles comes with the last exchange of the product, if it has any:
// then there is no further sync.
void Extras::addTo(openipu::Plan &plan, const poplar::Graph &graph, const poplar::Tensor &out,
                   unsigned first, std::size_t channels) const {
  std::vector<Superstep> own;
  if (hasBias)
    own.push_back(biasStep(graph, out, channels));
  if (tensors.size() > (hasBias ? 1 : 0))
    own.push_back(addendStep(graph, out));
  if (activation != Activation::None)
    own.push_back(activationStep(graph, out, activation));
  auto last = std::find_if(plan.steps.rbegin(), plan.steps.rend(), exchanges);
  if (!own.empty()) {
    auto &carrier = last == plan.steps.rend() ? own.front() : *last;
    for (unsigned i = 0; i < tensors.size(); ++i)
      carrier.needs.push_back({first + i, 0});
  }
  for (auto &each : own)
    plan.add(std::move(each));
}

} // namespace poplin
