// SPDX-License-Identifier: MIT
// Collectives over all replicas, called without a group but with a name. Included by
// gcl/Collectives.hpp.
#pragma once
#include "gcl/Collectives.hpp"

namespace gcl {

#define OPENIPU_CALL(name, result, parameters, arguments)                                          \
  inline result name##CrossReplica(                                                                \
      poplar::Graph &graph, OPENIPU_LIST parameters, poplar::program::Sequence &prog,              \
      const poplar::DebugContext &debugContext, const poplar::OptionFlags &options = {}) {         \
    return name##CrossReplica(graph, OPENIPU_LIST arguments, prog, CommGroup(), debugContext,      \
                              options);                                                            \
  }
#define OPENIPU_LIST(...) __VA_ARGS__
#define OPENIPU_CALLS(Data)                                                                        \
  OPENIPU_CALL(allReduce, Data, (const Data &data, CollectiveOperator op), (data, op))             \
  OPENIPU_CALL(allReduceInPlace, void, (Data & data, CollectiveOperator op), (data, op))           \
  OPENIPU_CALL(allReduceToDestination, void,                                                       \
               (const Data &data, Data &destination, CollectiveOperator op),                       \
               (data, destination, op))                                                            \
  OPENIPU_CALL(reduceScatter, Data, (const Data &data, CollectiveOperator op), (data, op))         \
  OPENIPU_CALL(allGather, Data, (const Data &data), (data))
OPENIPU_CALLS(poplar::Tensor)
OPENIPU_CALLS(std::vector<poplar::Tensor>)
OPENIPU_CALL(reduceScatterToDestination, void,
             (const std::vector<poplar::Tensor> &datas, std::vector<poplar::Tensor> &destinations,
              CollectiveOperator op),
             (datas, destinations, op))
OPENIPU_CALL(allGatherToDestination, void,
             (const std::vector<poplar::Tensor> &datas, std::vector<poplar::Tensor> &destinations),
             (datas, destinations))
OPENIPU_CALL(allToAll, poplar::Tensor, (const poplar::Tensor &data), (data))
OPENIPU_CALL(broadcast, poplar::Tensor, (const poplar::Tensor &data), (data))
#undef OPENIPU_CALLS
#undef OPENIPU_CALL
#undef OPENIPU_LIST

} // namespace gcl
