// SPDX-License-Identifier: MIT
// Collectives between the IPUs of one replica.
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "Exchange.hpp"
#include "gcl/Collectives.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>

namespace poputil {

template <> poplar::ProfileValue toProfileValue(const gcl::Chunks &chunks) {
  return poplar::ProfileValue::Map{{"chunks", toProfileValue(chunks.getChunks().size())},
                                   {"of", toProfileValue(chunks.getOriginalInput())}};
}

} // namespace poputil

namespace gcl {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;
using poputil::PoplibsOpDebugInfo;

static Collective describe(Kind kind, CollectiveOperator op, unsigned ipus,
                           const OptionFlags &options) {
  return {kind, op, {CommGroupType::ALL, ipus, 1}, parseOptions(options)};
}

static void checkRows(const std::string &call, CollectiveOperator op, const Tensor &t) {
  if (t.rank() != 2 || t.dim(0) == 0)
    throw poplibs_error(base::str(call, ": shape ", base::list(t.shape()),
                                  "; [IPUs, elements] is needed, row i on IPU i."));
  checkOperator(call, op, t.elementType());
}

Tensor allReduceWithinReplica(Graph &graph, const Tensor &toReduce, CollectiveOperator op,
                              Sequence &prog, const DebugContext &debugContext,
                              const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(toReduce, options));
  checkRows("gcl::allReduceWithinReplica", op, toReduce);
  auto what = describe(Kind::AllReduce, op, unsigned(toReduce.dim(0)), options);
  auto out = graph.clone(toReduce, {di, "reduced"});
  if (out.numElements())
    prog.add(withinReplica(graph, what, {out}, {toReduce}, {di}));
  di.addOutput(out);
  return out;
}

Chunks reduceScatterWithinReplica(Graph &graph, const Tensor &toReduce, CollectiveOperator op,
                                  Sequence &prog, const DebugContext &debugContext,
                                  const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(toReduce, options));
  checkRows("gcl::reduceScatterWithinReplica", op, toReduce);
  auto ipus = toReduce.dim(0), n = toReduce.dim(1), part = base::ceilDiv(n, ipus);
  auto what = describe(Kind::ReduceScatter, op, unsigned(ipus), options);
  std::vector<Chunk> chunks;
  std::vector<Tensor> parts;
  for (unsigned i = 0; i != ipus; ++i) { // on IPU i, where its row begins
    parts.push_back(graph.clone(toReduce[i].slice(0, part), {di, "chunk"}));
    chunks.push_back({parts.back(), i, i});
  }
  if (n)
    prog.add(withinReplica(graph, what, parts, {toReduce}, {di}));
  Chunks out;
  out.setChunks(std::move(chunks));
  out.setOriginalInput(toReduce);
  return out;
}

Tensor allGatherWithinReplica(Graph &graph, const Chunks &toGather, Sequence &prog,
                              const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(toGather, options));
  const std::string call = "gcl::allGatherWithinReplica";
  auto chunks = toGather.getChunks();
  const auto &like = toGather.getOriginalInput();
  if (chunks.empty() || !like.valid() || like.rank() != 2)
    throw poplibs_error(call + ": the chunks have no tensors or no original input; take them from "
                               "gcl::reduceScatterWithinReplica.");
  std::sort(chunks.begin(), chunks.end(),
            [](const Chunk &a, const Chunk &b) { return a.offset < b.offset; });
  std::vector<Tensor> parts;
  std::size_t elements = 0;
  for (const auto &chunk : chunks) {
    parts.push_back(chunk.tensor.flatten());
    elements += parts.back().numElements();
  }
  if (elements < like.dim(1))
    throw poplibs_error(base::str(call, ": ", chunks.size(), " chunks of ", elements,
                                  " elements are less than the original ", like.dim(1), '.'));
  auto what = describe(Kind::AllGather, CollectiveOperator::LOCAL, unsigned(like.dim(0)), options);
  auto out = graph.clone(parts[0].elementType(), like, {di, "gathered"});
  if (out.numElements())
    prog.add(withinReplica(graph, what, {out}, parts, {di}));
  di.addOutput(out);
  return out;
}

} // namespace gcl
