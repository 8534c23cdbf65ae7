// SPDX-License-Identifier: MIT
// sequenceSlice: runs of rows from one tensor to another.
#include "popops/SequenceSlice.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Kernel.hpp"
#include "openipu/Operation.hpp"
#include "popops/CopyRun.hpp"
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

using openipu::KernelArgs;
using openipu::KernelOperand;

// The row of the input that each row of the output takes, or -1: of overlapping runs the last.
std::vector<std::int64_t> rowSources(const KernelArgs &args) {
  std::vector<std::int64_t> source(args.outputs[0].shape[0], -1);
  auto rowsIn = std::int64_t(args.inputs[0].shape[0]), rowsOut = std::int64_t(source.size());
  auto value = [&](std::size_t input, std::size_t i) {
    return std::int64_t(
        args.in<std::uint32_t>(input)[std::int64_t(i) * args.inputs[input].strides[0]]);
  };
  for (std::size_t i = 0; i != args.inputs[1].elements; ++i) {
    auto from = value(2, i), to = value(3, i);
    auto n = std::min({value(1, i), rowsIn - from, rowsOut - to});
    for (std::int64_t j = 0; j < n; ++j)
      source[to + j] = from + j;
  }
  return source;
}

void run(const KernelArgs &args) {
  const KernelOperand &out = args.outputs[0], &in = args.inputs[0];
  bool zeroUnused = openipu::AttributeReader(args.attributes).get<bool>();
  auto source = rowSources(args);
  auto columns = out.shape[1], bytes = sizeOf(out.type);
  const std::uint64_t nothing = 0;
  auto grain =
      std::max<std::size_t>(1, slice::bytesPerThread / std::max<std::size_t>(1, columns * bytes));
  base::parallelFor(source.size(), grain, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto row = std::int64_t(begin); row != std::int64_t(end); ++row) {
      auto *to = out.data + row * out.strides[0] * std::int64_t(bytes);
      if (source[row] >= 0)
        slice::copyRun(to, out.strides[1],
                       in.data + source[row] * in.strides[0] * std::int64_t(bytes), in.strides[1],
                       columns, bytes);
      else if (zeroUnused)
        slice::copyRun(to, out.strides[1], reinterpret_cast<const std::byte *>(&nothing), 0,
                       columns, bytes);
    }
  });
}

const openipu::Registered registered{openipu::Kernel{"popops.sequenceSlice", run, {}, {}, nullptr}};

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
      graph, {"popops.sequenceSlice",
              {zeroUnused ? openipu::out(out) : openipu::inOut(out), openipu::in(in),
               openipu::in(tN), openipu::in(tInOffset), openipu::in(tOutOffset)},
              openipu::AttributeWriter().put(zeroUnused).take(),
              planOf(graph, out, tN.numElements()),
              {di}}));
}

} // namespace popops
