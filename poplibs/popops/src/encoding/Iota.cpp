// SPDX-License-Identifier: MIT
// iota: t[i] = start + i.
#include "popops/kernels/Iota.hpp"
#include "openipu/Operation.hpp"
#include "popops/Encoding.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include <base/Text.hpp>

namespace popops {

namespace {

void add(poplar::Graph &graph, const poplar::Tensor &t, std::uint32_t start,
         const poplar::Type &type, poplar::program::Sequence &prog,
         const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, start), "iota");
  if (t.rank() > 1)
    throw poputil::poplibs_error(base::str("popops::iota: the tensor has the shape ",
                                           t.shapeToString(), "; it must be a list. Flatten it."));
  if (t.elementType() != type)
    throw poputil::poplibs_error(base::str("popops::iota: a start of type ", type,
                                           " for a tensor of type ", t.elementType(),
                                           "; both must be the same."));
  if (t.numElements() == 0)
    return;
  openipu::Plan plan;
  const auto &chip = openipu::chipOf(graph);
  plan.add(poputil::whereItLies(graph, t, "Iota", "popops::Iota<" + type.toString() + ">",
                                [&](std::uint64_t n, std::uint32_t regions) {
                                  std::uint64_t vectors = (n / chip.workers + 1) / 2 + 1;
                                  return chip.onWorkers(10 + 4 * chip.workerShare(regions) +
                                                        3 * vectors);
                                }));
  prog.add(openipu::operation(graph, {kernels::iota,
                                      {openipu::out(t)},
                                      kernels::IotaStart{start}.write(),
                                      std::move(plan),
                                      {di, "iota"}}));
}

} // namespace

void iota(poplar::Graph &graph, const poplar::Tensor &t, unsigned startInteger,
          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  add(graph, t, startInteger, poplar::UNSIGNED_INT, prog, debugContext);
}

void iota(poplar::Graph &graph, const poplar::Tensor &t, int startInteger,
          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  add(graph, t, std::uint32_t(startInteger), poplar::INT, prog, debugContext);
}

} // namespace popops
