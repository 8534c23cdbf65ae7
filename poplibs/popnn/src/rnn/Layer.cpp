// SPDX-License-Identifier: MIT
// What the calls of all recurrent layers share.
#include "rnn/Layer.hpp"
#include "popnn/NonLinearityDefUtil.hpp"
#include "poputil/TileMapping.hpp"

namespace popnn::rnn {

void LayerOptions::check() const {
  if (!shards)
    throw poplar::invalid_option("Invalid value '0' for option 'numShards': it must be at least 1");
  product("TRAINING_FWD"); // complains about bad values now
}

poplar::OptionFlags LayerOptions::productFlags(const char *pass) const {
  poplar::OptionFlags flags;
  if (!partialsType.empty())
    flags.set("partialsType", partialsType);
  if (!availableMemoryProportion.empty())
    flags.set("availableMemoryProportion", availableMemoryProportion);
  flags.set("fullyConnectedPass", inferenceOnly ? "INFERENCE_FWD" : pass);
  return flags;
}

void checkActivation(const char *function, const char *who, NonLinearityType type) {
  if (!kernels::isGateActivation(type))
    throw poputil::poplibs_error(
        base::str(function, ": ", who, " cannot use the activation ", asString(type),
                  "; use SIGMOID, HARD_SIGMOID, RELU, TANH, SOFTMAX or SOFTMAX_STABLE."));
}

poplar::Tensor createState(poplar::Graph &graph, const poplar::Type &type, const Dims &shape,
                           const poplar::DebugContext &context) {
  auto t = graph.addVariable(type, shape, context);
  poputil::mapTensorLinearly(graph, t, unsigned(stepGrain), unsigned(stepGrain));
  return t;
}

} // namespace popnn::rnn
