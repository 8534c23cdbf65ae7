// SPDX-License-Identifier: MIT
// Collectives between replicas: checks, results, and one operation per call however many tensors it
// has.
#include "gcl/Collectives.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "Exchange.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <functional>

namespace gcl {

using base::list;
using base::str;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;
using poputil::PoplibsOpDebugInfo;
using Tensors = std::vector<Tensor>;

namespace {

Collective describe(const Graph &graph, const std::string &call, Kind kind, CollectiveOperator op,
                    const CommGroup &group, const OptionFlags &options) {
  return {kind, op, resolve(call, group, graph.getReplicationFactor()), parseOptions(options)};
}

void checkOperators(const std::string &call, CollectiveOperator op, const Tensors &datas) {
  for (const auto &t : datas)
    checkOperator(call, op, t.elementType());
}

void checkDestinations(const std::string &call, const Tensors &datas, const Tensors &destinations,
                       const std::function<std::vector<std::size_t>(const Tensor &)> &shapeOf) {
  if (datas.size() != destinations.size())
    throw poplibs_error(str(call, ": ", datas.size(), " tensors but ", destinations.size(),
                            " destinations; give one for each."));
  for (std::size_t i = 0; i != datas.size(); ++i) {
    auto expected = shapeOf(datas[i]);
    const auto &d = destinations[i];
    if (d.shape() != expected || d.elementType() != datas[i].elementType())
      throw poplibs_error(str(call, ": destination ", i, " is ", d.elementType(), ' ',
                              list(d.shape()), "; ", datas[i].elementType(), ' ', list(expected),
                              " is needed."));
  }
}

// Adds the operation for the pairs that have elements.
void add(Graph &graph, const Collective &what, const Tensors &to, const Tensors &from,
         Sequence &prog, const DebugContext &context) {
  Tensors sinks, sources;
  for (std::size_t i = 0; i != to.size(); ++i)
    if (to[i].numElements()) {
      sinks.push_back(to[i]);
      if (!from.empty())
        sources.push_back(from[i]);
    }
  if (!sinks.empty())
    prog.add(crossReplica(graph, what, sinks, sources, context));
}

Tensors clones(Graph &graph, const Tensors &datas, const DebugContext &context) {
  Tensors out;
  for (const auto &t : datas)
    out.push_back(graph.clone(t, context));
  return out;
}

} // namespace

// ---- all-reduce

Tensors allReduceCrossReplica(Graph &graph, const Tensors &datas, CollectiveOperator op,
                              Sequence &prog, const CommGroup &group,
                              const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(datas, options));
  const std::string call = "gcl::allReduceCrossReplica";
  auto what = describe(graph, call, Kind::AllReduce, op, group, options);
  checkOperators(call, op, datas);
  auto out = clones(graph, datas, {di, "reduced"});
  add(graph, what, out, datas, prog, {di});
  return out;
}
Tensor allReduceCrossReplica(Graph &graph, const Tensor &data, CollectiveOperator op,
                             Sequence &prog, const CommGroup &group,
                             const DebugContext &debugContext, const OptionFlags &options) {
  return allReduceCrossReplica(graph, Tensors{data}, op, prog, group, debugContext, options)[0];
}

void allReduceInPlaceCrossReplica(Graph &graph, Tensors &datas, CollectiveOperator op,
                                  Sequence &prog, const CommGroup &group,
                                  const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(datas, options));
  const std::string call = "gcl::allReduceInPlaceCrossReplica";
  auto what = describe(graph, call, Kind::AllReduce, op, group, options);
  checkOperators(call, op, datas);
  if (op != CollectiveOperator::LOCAL) // else everything stays as it is
    add(graph, what, datas, {}, prog, {di});
}
void allReduceInPlaceCrossReplica(Graph &graph, Tensor &data, CollectiveOperator op, Sequence &prog,
                                  const CommGroup &group, const DebugContext &debugContext,
                                  const OptionFlags &options) {
  Tensors datas{data};
  allReduceInPlaceCrossReplica(graph, datas, op, prog, group, debugContext, options);
}

void allReduceToDestinationCrossReplica(Graph &graph, const Tensors &datas, Tensors &destinations,
                                        CollectiveOperator op, Sequence &prog,
                                        const CommGroup &group, const DebugContext &debugContext,
                                        const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(datas, destinations, options));
  const std::string call = "gcl::allReduceToDestinationCrossReplica";
  auto what = describe(graph, call, Kind::AllReduce, op, group, options);
  checkOperators(call, op, datas);
  checkDestinations(call, datas, destinations, [](const Tensor &t) { return t.shape(); });
  add(graph, what, destinations, datas, prog, {di});
}
void allReduceToDestinationCrossReplica(Graph &graph, const Tensor &data, Tensor &destination,
                                        CollectiveOperator op, Sequence &prog,
                                        const CommGroup &group, const DebugContext &debugContext,
                                        const OptionFlags &options) {
  Tensors destinations{destination};
  allReduceToDestinationCrossReplica(graph, Tensors{data}, destinations, op, prog, group,
                                     debugContext, options);
}

// ---- reduce-scatter

namespace {

// The elements of each IPU of a replica, in order, as vectors.
Tensors byIpu(const Graph &graph, const Tensor &data) {
  auto flat = data.flatten();
  const auto &target = graph.getTarget();
  if (target.getNumIPUs() == 1)
    return {flat};
  auto mapping = graph.getTileMapping(flat);
  auto perIpu = target.getTilesPerIPU();
  Tensors out;
  for (unsigned ipu = 0; ipu != target.getNumIPUs(); ++ipu) {
    std::vector<poplar::Interval> regions;
    for (auto tile = ipu * perIpu; tile != (ipu + 1) * perIpu; ++tile)
      regions.insert(regions.end(), mapping[tile].begin(), mapping[tile].end());
    std::sort(regions.begin(), regions.end());
    if (!regions.empty())
      out.push_back(concat(flat.slices(regions)));
  }
  return out.empty() ? Tensors{flat} : out;
}

std::size_t partSize(const Tensor &t, const Group &group) {
  return base::ceilDiv(t.numElements(), group.size);
}

struct Parts {
  Tensors from, to;
  Tensor result; // of one tensor, all parts
};

// A part on the tiles of its source, as much of it on each: what is done with parts is done by all
// these tiles.
Tensor newPart(Graph &graph, const Tensor &source, const Group &group,
               const DebugContext &context) {
  const auto scaled = [&](std::size_t i) { return base::ceilDiv(i, group.size); };
  auto part = graph.addVariable(source.elementType(), {partSize(source, group)}, context);
  auto mapping = graph.getTileMapping(source);
  for (auto &regions : mapping) {
    std::vector<poplar::Interval> own;
    for (const auto &region : regions)
      if (scaled(region.begin()) < scaled(region.end()))
        own.emplace_back(scaled(region.begin()), scaled(region.end()));
    regions = std::move(own);
  }
  graph.setTileMapping(part, mapping);
  return part;
}

Parts newParts(Graph &graph, const Tensor &data, const Group &group, const DebugContext &context) {
  Parts parts;
  parts.from = byIpu(graph, data);
  for (const auto &source : parts.from)
    parts.to.push_back(newPart(graph, source, group, context));
  parts.result = parts.to.size() == 1 ? parts.to[0] : concat(parts.to);
  return parts;
}

void append(Tensors &to, const Tensors &from) { to.insert(to.end(), from.begin(), from.end()); }

} // namespace

Tensors reduceScatterCrossReplica(Graph &graph, const Tensors &datas, CollectiveOperator op,
                                  Sequence &prog, const CommGroup &group,
                                  const DebugContext &debugContext, const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(datas, options));
  const std::string call = "gcl::reduceScatterCrossReplica";
  auto what = describe(graph, call, Kind::ReduceScatter, op, group, options);
  checkOperators(call, op, datas);
  Tensors to, from, out;
  for (const auto &data : datas) {
    auto parts = newParts(graph, data, what.group, {di, "part"});
    append(to, parts.to);
    append(from, parts.from);
    out.push_back(parts.result);
  }
  add(graph, what, to, from, prog, {di});
  return out;
}
Tensor reduceScatterCrossReplica(Graph &graph, const Tensor &data, CollectiveOperator op,
                                 Sequence &prog, const CommGroup &group,
                                 const DebugContext &debugContext, const OptionFlags &options) {
  return reduceScatterCrossReplica(graph, Tensors{data}, op, prog, group, debugContext, options)[0];
}

void reduceScatterToDestinationCrossReplica(Graph &graph, const Tensors &datas,
                                            Tensors &destinations, CollectiveOperator op,
                                            Sequence &prog, const CommGroup &group,
                                            const DebugContext &debugContext,
                                            const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(datas, destinations, options));
  const std::string call = "gcl::reduceScatterToDestinationCrossReplica";
  auto what = describe(graph, call, Kind::ReduceScatter, op, group, options);
  checkOperators(call, op, datas);
  checkDestinations(call, datas, destinations, [&](const Tensor &t) {
    std::size_t n = 0;
    for (const auto &source : byIpu(graph, t))
      n += partSize(source, what.group);
    return std::vector<std::size_t>{n};
  });
  Tensors to, from;
  for (std::size_t i = 0; i != datas.size(); ++i) {
    std::size_t begin = 0;
    for (const auto &source : byIpu(graph, datas[i])) {
      auto end = begin + partSize(source, what.group);
      to.push_back(destinations[i].slice(begin, end));
      from.push_back(source);
      begin = end;
    }
  }
  add(graph, what, to, from, prog, {di});
}

// ---- all-gather, all-to-all, broadcast

Tensors allGatherCrossReplica(Graph &graph, const Tensors &datas, Sequence &prog,
                              const CommGroup &group, const DebugContext &debugContext,
                              const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(datas, options));
  auto what = describe(graph, "gcl::allGatherCrossReplica", Kind::AllGather,
                       CollectiveOperator::LOCAL, group, options);
  Tensors out;
  for (const auto &data : datas)
    out.push_back(graph.cloneN(data, what.group.size, {di, "gathered"}));
  add(graph, what, out, datas, prog, {di});
  return out;
}
Tensor allGatherCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                             const CommGroup &group, const DebugContext &debugContext,
                             const OptionFlags &options) {
  return allGatherCrossReplica(graph, Tensors{data}, prog, group, debugContext, options)[0];
}

void allGatherToDestinationCrossReplica(Graph &graph, const Tensors &datas, Tensors &destinations,
                                        Sequence &prog, const CommGroup &group,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(datas, destinations, options));
  const std::string call = "gcl::allGatherToDestinationCrossReplica";
  auto what = describe(graph, call, Kind::AllGather, CollectiveOperator::LOCAL, group, options);
  checkDestinations(call, datas, destinations, [&](const Tensor &t) {
    auto shape = t.shape();
    shape.insert(shape.begin(), what.group.size);
    return shape;
  });
  add(graph, what, destinations, datas, prog, {di});
}

Tensor allToAllCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                            const CommGroup &group, const DebugContext &debugContext,
                            const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(data, options));
  const std::string call = "gcl::allToAllCrossReplica";
  auto what = describe(graph, call, Kind::AllToAll, CollectiveOperator::LOCAL, group, options);
  if (data.rank() == 0 || data.dim(0) != what.group.size)
    throw poplibs_error(str(call, ": shape ", list(data.shape()), "; the first dimension must be ",
                            what.group.size, ", the number of replicas that exchange."));
  auto out = graph.clone(data, {di, "exchanged"});
  add(graph, what, {out}, {data}, prog, {di});
  di.addOutput(out);
  return out;
}

Tensor broadcastCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                             const CommGroup &group, const DebugContext &debugContext,
                             const OptionFlags &options) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(data, options));
  auto what = describe(graph, "gcl::broadcastCrossReplica", Kind::Broadcast,
                       CollectiveOperator::LOCAL, group, options);
  auto out = graph.clone(data, {di, "received"});
  add(graph, what, {out}, {data}, prog, {di});
  di.addOutput(out);
  return out;
}

} // namespace gcl
