// SPDX-License-Identifier: MIT
// Parameters of recurrent layers and the layout of their tensors.
#include "rnn/Layout.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include <algorithm>
#include <poplar/Program.hpp>

namespace popnn::rnn {

using poplar::Tensor;
using poputil::poplibs_error;

RnnParams::RnnParams(poplar::Type type, std::size_t batch, std::size_t steps,
                     std::vector<std::size_t> sizes)
    : dataType(type), batchSize(batch), maxTimeSteps(steps), timeSteps(steps),
      layerSizes(std::move(sizes)) {}

RnnParams::RnnParams(poplar::Type type, std::size_t batch, std::size_t maxSteps,
                     const Tensor &lengths, std::vector<std::size_t> sizes)
    : dataType(type), batchSize(batch), maxTimeSteps(maxSteps), timeSteps(maxSteps),
      varTimeSteps(lengths), layerSizes(std::move(sizes)) {}

bool RnnParams::variableTimeSteps() const { return varTimeSteps.valid(); }
bool RnnParams::batchVariableTimeSteps() const {
  return variableTimeSteps() && (varTimeSteps.numElements() > 1 || varTimeSteps.rank() == 1);
}

unsigned tilesOfStep(const poplar::Target &target, std::size_t elements, std::size_t shards) {
  const std::size_t available = std::max<std::size_t>(1, target.getNumTiles() / shards);
  return unsigned(std::clamp<std::size_t>(base::ceilDiv(elements, stepGrain), 1, available));
}

namespace {
std::size_t bytesPerTile(const poplar::Graph &graph, const RnnParams &p, std::size_t size) {
  const auto elements = p.batchSize * size;
  const auto tiles = tilesOfStep(graph.getTarget(), elements, 1);
  return base::ceilDiv(elements, tiles) * p.maxTimeSteps *
         graph.getTarget().getTypeSize(p.dataType);
}
} // namespace

std::size_t RnnParams::getMaxShards(const poplar::Graph &graph) const {
  const auto &target = graph.getTarget();
  const auto elements = batchSize * std::max(layerSizes.front(), layerSizes.back());
  const std::size_t bySpace = target.getNumTiles() / tilesOfStep(target, elements, 1);
  return std::max<std::size_t>(1, std::min(bySpace, maxTimeSteps));
}
std::size_t RnnParams::getInputBytesPerTile(const poplar::Graph &graph) const {
  return bytesPerTile(graph, *this, layerSizes.front());
}
std::size_t RnnParams::getOutputBytesPerTile(const poplar::Graph &graph) const {
  return bytesPerTile(graph, *this, layerSizes.back());
}

void mapSteps(poplar::Graph &graph, const Tensor &sequence, std::size_t shards) {
  const auto steps = sequence.dim(0);
  if (!sequence.numElements())
    return;
  const auto elements = sequence.numElements() / steps;
  const auto flat = sequence.reshape({steps, elements});
  const auto tiles = tilesOfStep(graph.getTarget(), elements, shards);
  const auto piece = base::roundUp(base::ceilDiv(elements, tiles), stepGrain);
  for (std::size_t s = 0; s < shards; ++s) {
    const auto part = flat.slice(s * steps / shards, (s + 1) * steps / shards, 0);
    if (!part.numElements())
      continue;
    unsigned tile = unsigned(s * tiles % graph.getTarget().getNumTiles());
    for (std::size_t begin = 0; begin < elements; begin += piece, ++tile)
      graph.setTileMapping(part.slice(begin, std::min(begin + piece, elements), 1), tile);
  }
}

Tensor createSequence(poplar::Graph &graph, const poplar::Type &type,
                      const std::vector<std::size_t> &shape, std::size_t shards,
                      const poplar::DebugContext &context) {
  auto t = graph.addVariable(type, shape, context);
  mapSteps(graph, t, shards);
  return t;
}

void checkParams(const char *layer, const RnnParams &p) {
  if (p.layerSizes.size() != 2)
    throw poplibs_error(base::str(layer, ": layerSizes ", base::list(p.layerSizes), " has ",
                                  p.layerSizes.size(),
                                  " entries but must be {input size, output size}."));
  if (p.dataType != poplar::FLOAT && p.dataType != poplar::HALF)
    throw poplibs_error(base::str(layer, ": the data type is ", p.dataType,
                                  " but recurrent layers compute in float or half."));
  if (p.variableTimeSteps())
    checkLengths(layer, p.varTimeSteps, p.batchSize);
}

void checkTensor(const char *function, const char *what, const Tensor &tensor,
                 const poplar::Type &type, const std::vector<std::size_t> &shape) {
  if (!tensor.valid())
    throw poplibs_error(base::str(function, ": there is no tensor for ", what, "; it must be ",
                                  type, " ", base::list(shape), "."));
  if (tensor.elementType() != type || tensor.shape() != shape)
    throw poplibs_error(base::str(function, ": ", what, " is ", tensor.elementType(), " ",
                                  base::list(tensor.shape()), " but the layer needs ", type, " ",
                                  base::list(shape), "."));
}

void checkLengths(const char *function, const Tensor &lengths, std::size_t batch) {
  const bool integer =
      lengths.elementType() == poplar::UNSIGNED_INT || lengths.elementType() == poplar::INT;
  const bool one = lengths.numElements() == 1 && lengths.rank() <= 1;
  if (!integer || !(one || lengths.shape() == std::vector<std::size_t>{batch}))
    throw poplibs_error(base::str(
        function, ": the time steps are ", lengths.elementType(), " ", base::list(lengths.shape()),
        " but must be one integer, or one per batch element [", batch, "]."));
}

Tensor createInitialState(poplar::Graph &graph, const RnnParams &params, bool isOutput,
                          unsigned multiple, unsigned /*numShards: a state has no steps*/,
                          const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(isOutput, multiple));
  checkParams("rnn::createInitialState", params);
  const auto size = isOutput ? params.layerSizes[1] : params.layerSizes[0];
  auto t = graph.addVariable(params.dataType, {multiple * params.batchSize, size}, {di, "state"});
  for (unsigned m = 0; m < multiple; ++m)
    poputil::mapTensorLinearly(graph, t.slice(m * params.batchSize, (m + 1) * params.batchSize),
                               unsigned(stepGrain), unsigned(stepGrain));
  return t;
}

Tensor createRecurrentTensor(poplar::Graph &graph, const RnnParams &params, unsigned size,
                             unsigned numShards, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(size, numShards));
  checkParams("rnn::createRecurrentTensor", params);
  return createSequence(graph, params.dataType, {params.maxTimeSteps, params.batchSize, size},
                        std::max(1u, numShards), {di, "sequence"});
}
Tensor createInputTensor(poplar::Graph &graph, const RnnParams &params, unsigned numShards,
                         const poplar::DebugContext &debugContext) {
  checkParams("rnn::createInputTensor", params);
  return createRecurrentTensor(graph, params, unsigned(params.layerSizes[0]), numShards,
                               debugContext);
}
Tensor createOutputTensor(poplar::Graph &graph, const RnnParams &params, unsigned numShards,
                          const poplar::DebugContext &debugContext) {
  checkParams("rnn::createOutputTensor", params);
  return createRecurrentTensor(graph, params, unsigned(params.layerSizes[1]), numShards,
                               debugContext);
}
Tensor createOutputTensor(poplar::Graph &graph, const RnnParams &params, unsigned multiple,
                          unsigned numShards, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(multiple, numShards));
  checkParams("rnn::createOutputTensor", params);
  std::vector<Tensor> parts;
  for (unsigned m = 0; m < multiple; ++m)
    parts.push_back(createOutputTensor(graph, params, numShards, {di, std::to_string(m)}));
  return poplar::concat(parts);
}

Tensor shiftRnnTensor(poplar::Graph &graph, const RnnParams &params, const Tensor &tBase,
                      const Tensor &tSingle, poplar::program::Sequence &prog, unsigned numShards,
                      const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(tBase, tSingle, numShards));
  checkParams("rnn::shiftRnnTensor", params);
  const std::size_t steps = params.maxTimeSteps, size = tBase.rank() == 3 ? tBase.dim(2) : 0;
  checkTensor("rnn::shiftRnnTensor", "tBase", tBase, params.dataType,
              {steps, params.batchSize, size});
  checkTensor("rnn::shiftRnnTensor", "tSingle", tSingle, params.dataType, {params.batchSize, size});
  auto shifted = createRecurrentTensor(graph, params, unsigned(size), numShards, {di, "shifted"});
  if (steps)
    prog.add(poplar::program::Copy(poplar::concat(tSingle.expand({0}), tBase.slice(0, steps - 1)),
                                   shifted, false, {di}));
  return shifted;
}

} // namespace popnn::rnn
