// SPDX-License-Identifier: MIT
// sequenceSlice: runs of rows from one tensor to another.
#include "popops/SequenceSlice.hpp"
#include "base/Text.hpp"
#include "openipu/Operation.hpp"
#include "popops/kernels/SequenceSlice.hpp"
#include "popops/SliceCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"
#include <algorithm>
#include <vector>

namespace popops {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

void check(const Tensor &in, const Tensor &out, const Tensor &n, const Tensor &inOffset,
           const Tensor &outOffset) {
  const char *call = "popops::sequenceSlice";
  if (in.elementType() != out.elementType())
    throw poplibs_error(base::str(call, ": input of type ", in.elementType(),
                                  " and output of type ", out.elementType(),
                                  "; they must be equal."));
  bool ranks = in.rank() >= 2 && out.rank() >= 2;
  if (!ranks || in.flatten(1, in.rank()).dim(1) != out.flatten(1, out.rank()).dim(1))
    throw poplibs_error(base::str(call, ": input ", base::list(in.shape()), " and output ",
                                  base::list(out.shape()),
                                  " must have two dimensions or more, and as many elements in "
                                  "each outermost row."));
  for (const auto *t : {&n, &inOffset, &outOffset})
    if (t->rank() != 1 || t->numElements() != n.numElements() ||
        t->elementType() != poplar::UNSIGNED_INT)
      throw poplibs_error(base::str(call,
                                    ": lengths and offsets must be unsigned int vectors of "
                                    "one length; got ",
                                    t->elementType(), ' ', base::list(t->shape()), " beside ",
                                    n.numElements(), " lengths."));
}

// Every tile fetches its rows of the output: where from is known only when the program runs, so
// all of them may come from elsewhere.
openipu::Plan planOf(const Graph &graph, const Tensor &out, std::size_t sequences) {
  auto bytes = graph.getTarget().getTypeSize(out.elementType());
  auto step = poputil::whereItLies(graph, out, "Slice",
                                   "popops::SequenceSlice<" + out.elementType().toString() + ">",
                                   [&](std::uint64_t elements, std::uint32_t) {
                                     return sequenceSliceCycles(sequences, elements * bytes);
                                   });
  auto tiles = openipu::elementsByTile(graph, out);
  std::size_t widest = 0;
  for (const auto &at : tiles)
    widest = std::max<std::size_t>(widest, at.elements);
  for (auto &work : step.tiles) {
    work.vertices = 1;
    work.bytesIn = widest * bytes + 12 * sequences;
    work.bytesOut = widest * bytes;
    work.tempBytes = widest * bytes;
  }
  openipu::Plan plan;
  plan.add(std::move(step));
  return plan;
}

} // namespace

void sequenceSlice(Graph &graph, const Tensor &tIn, const Tensor &tOut, const Tensor &tN,
                   const Tensor &tInOffset, const Tensor &tOutOffset, bool zeroUnused,
                   Sequence &prog, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(tIn, tOut, tN, tInOffset, tOutOffset, zeroUnused));
  check(tIn, tOut, tN, tInOffset, tOutOffset);
  if (tOut.numElements() == 0)
    return;
  auto in = tIn.flatten(1, tIn.rank()), out = tOut.flatten(1, tOut.rank());
  prog.add(openipu::operation(
      graph, {kernels::sequenceSlice,
              {zeroUnused ? openipu::out(out) : openipu::inOut(out), openipu::in(in),
               openipu::in(tN), openipu::in(tInOffset), openipu::in(tOutOffset)},
              kernels::ZeroUnused{zeroUnused}.write(),
              planOf(graph, out, tN.numElements()),
              {di}}));
}

} // namespace popops
