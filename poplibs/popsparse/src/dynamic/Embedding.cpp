// SPDX-License-Identifier: MIT
// Sparse weights as a table of rows: slices out of it, and scaled additions to it.
// host: blocks by line, indices in parallel.   device: every tile looks for all indices in its
// bucket.
#include "popsparse/Embedding.hpp"
#include "base/Half.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "dynamic/Planned.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Chip.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/VertexTemplates.hpp"
#include <algorithm>

namespace popsparse {
namespace dynamic {

using openipu::KernelArgs;
using poplar::Tensor;
using poputil::poplibs_error;

Tensor createIndicesTensor(poplar::Graph &graph, const FullyConnectedParams &,
                           std::size_t numIndices, const poplar::OptionFlags &options,
                           const poplar::DebugContext &debugContext) {
  parseDynamicOptions(options); // refuses what the lookup would refuse
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(numIndices, options));
  const Tensor t = graph.addVariable(poplar::UNSIGNED_INT, {numIndices}, {di, "indices"});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

Tensor createSliceTensor(poplar::Graph &graph, const poplar::Type &dataType,
                         const FullyConnectedParams &params, std::size_t numIndices,
                         const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options, PlanningCache *) {
  parseDynamicOptions(options);
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(dataType, numIndices, options));
  const Tensor t =
      graph.addVariable(dataType, {numIndices, params.getInputChannelsPerGroup()}, {di, "slices"});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

namespace {

std::vector<std::uint32_t> indicesOf(const KernelOperand &operand) {
  std::vector<std::uint32_t> out(operand.elements);
  const std::int64_t stride =
      operand.contiguous || operand.strides.empty() ? 1 : operand.strides[0];
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = operand.as<const std::uint32_t>()[std::int64_t(i) * stride];
  return out;
}

void check(const BucketLayout &l, const KernelOperand &meta, const KernelOperand &values,
           const KernelOperand &slices, const KernelOperand &indices) {
  if (meta.elements < l.buckets * l.metaElements || values.elements != l.values() ||
      slices.shape.size() != 2 || slices.shape[0] != indices.elements ||
      slices.shape[1] != l.stacks * l.blockColumns)
    throw poplibs_error("The operands of a sparse embedding do not fit its attributes.");
}

struct Slice { // outputs: slices; inputs: metaInfo, values, indices
  BucketLayout layout;
  DenseRows values;
  DenseResult slices;

  explicit Slice(const KernelArgs &args)
      : layout(openipu::AttributeReader(args.attributes).get<BucketLayout>()) {
    check(layout, args.inputs[0], args.inputs[1], args.outputs[0], args.inputs[2]);
  }
  void run(const KernelArgs &args) {
    const Lines lines =
        group(decode(layout, wordsOf(args.inputs[0], 0, layout)), layout.lines, false);
    values.read(AsRow(args.inputs[1]).operand);
    const auto indices = indicesOf(args.inputs[2]);
    float *out = slices.begin(args.outputs[0]);
    base::parallelFor(indices.size(), 8, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t i = begin; i < end; ++i)
        row(lines, indices[i], out + i * slices.stride());
    });
    slices.end(false);
  }
  void row(const Lines &lines, std::size_t index, float *out) const {
    std::fill_n(out, layout.stacks * layout.blockColumns, 0.0f);
    const std::size_t line = index / layout.blockRows;
    if (line >= layout.lines)
      return;
    for (std::uint32_t b = lines.start[line]; b < lines.start[line + 1]; ++b)
      std::copy_n(values.data() + lines.slot[b] * layout.area() +
                      index % layout.blockRows * layout.blockColumns,
                  layout.blockColumns, out + lines.other[b] * layout.blockColumns);
  }
};
const openipu::Registered sliceKernel{openipu::stateful<Slice>("popsparse.dynamic.slice")};

struct UpdateAdd { // outputs: values; inputs: metaInfo, slices, indices, scale
  BucketLayout layout;
  DenseRows slices, before;
  DenseResult values;

  explicit UpdateAdd(const KernelArgs &args)
      : layout(openipu::AttributeReader(args.attributes).get<BucketLayout>()) {
    check(layout, args.inputs[0], args.outputs[0], args.inputs[1], args.inputs[2]);
  }
  void run(const KernelArgs &args) {
    const auto blocks = decode(layout, wordsOf(args.inputs[0], 0, layout));
    slices.read(args.inputs[1]);
    const auto updates = byLine(indicesOf(args.inputs[2]));
    const float scale = args.inputs[3].type == openipu::TypeId::Float
                            ? *args.in<float>(3)
                            : base::halfToFloat(*args.in<std::uint16_t>(3));
    const AsRow row(args.outputs[0]);
    before.read(row.operand);
    float *out = values.begin(row.operand);
    if (out != before.data())
      std::copy_n(before.data(), layout.values(), out);
    base::parallelFor(blocks.size(), 256, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t b = begin; b < end; ++b)
        for (const auto &[inLine, slice] : updates[blocks[b].at.line]) {
          float *to = out + blocks[b].slot * layout.area() + inLine * layout.blockColumns;
          const float *from =
              slices.data() + slice * slices.stride() + blocks[b].at.stack * layout.blockColumns;
          for (std::size_t c = 0; c < layout.blockColumns; ++c)
            to[c] += scale * from[c];
        }
    });
    values.end(false);
  }
  // Which slices change each line of blocks: (row within the line, slice), in order.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>
  byLine(const std::vector<std::uint32_t> &indices) const {
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> out(layout.lines);
    for (std::uint32_t i = 0; i < indices.size(); ++i)
      if (indices[i] / layout.blockRows < layout.lines)
        out[indices[i] / layout.blockRows].emplace_back(indices[i] % layout.blockRows, i);
    return out;
  }
};
const openipu::Registered updateKernel{openipu::stateful<UpdateAdd>("popsparse.dynamic.updateAdd")};

// Indices go to all tiles; rows of a part travel between their tile and the slices.
openipu::Plan lookupPlan(const arch::Chip &chip, const Planned &p, std::size_t numIndices,
                         const char *vertex) {
  const std::uint64_t size = p.problem.type == poplar::HALF ? 2 : 4;
  const std::uint64_t hits = // blocks of a tile that an average lookup finds
      numIndices * (p.problem.blocks / std::max<std::size_t>(1, p.problem.lines()) + 1) /
          std::max<std::size_t>(1, p.layout.buckets) +
      1;
  const std::uint64_t bytes =
      numIndices * p.problem.columns * size / std::max<std::uint64_t>(1, p.layout.buckets);
  openipu::TileWork work;
  work.count = unsigned(p.layout.buckets);
  work.cycles = 120 + chip.onWorkers(numIndices + hits * (4 + 2 * p.problem.blockColumns));
  work.bytesIn = 4 * numIndices + bytes;
  work.bytesOut = bytes;
  work.tempBytes = bytes;
  openipu::Superstep step;
  step.name = "lookup";
  step.vertex = poputil::templateVertex(vertex, p.problem.type);
  step.tiles.push_back(work);
  openipu::Plan plan;
  plan.add(std::move(step));
  return plan;
}

void checkIndices(const char *call, const Tensor &indices) {
  if (indices.rank() != 1 || indices.elementType() != poplar::UNSIGNED_INT)
    throw poplibs_error(base::str(call, ": the indices must be unsigned int and of rank 1, but ",
                                  indices.elementType(), base::list(indices.shape()),
                                  " is given."));
}

} // namespace

Tensor embeddingSlice(poplar::Graph &graph, const SparseTensor &t, const Tensor &indices,
                      poplar::program::Sequence &prog, const FullyConnectedParams &params,
                      const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                      PlanningCache *cache) {
  const poplar::Type type = t.getNzValuesTensor().elementType();
  const auto plan = planned(graph.getTarget(), problemOf(params, type), options, cache);
  checkSparse("embeddingSlice", plan, t);
  checkIndices("embeddingSlice", indices);
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(indices, options));
  const Tensor out =
      createSliceTensor(graph, type, params, indices.numElements(), {di, "out"}, options, cache);
  prog.add(
      openipu::operation(graph, {"popsparse.dynamic.slice",
                                 {openipu::out(out), openipu::in(t.getMetaInfoTensor()),
                                  openipu::in(t.getNzValuesTensor()), openipu::in(indices)},
                                 openipu::AttributeWriter().put(plan.layout).take(),
                                 lookupPlan(openipu::chipOf(graph), plan, indices.numElements(),
                                            "popsparse::SparseGatherElementWise"),
                                 {di, "embeddingSlice"}}));
  di.addOutput(out);
  return out;
}

void embeddingUpdateAdd(poplar::Graph &graph, const SparseTensor &t, const Tensor &slices,
                        const Tensor &indices, const Tensor &scale, poplar::program::Sequence &prog,
                        const FullyConnectedParams &params,
                        const poplar::DebugContext &debugContext,
                        const poplar::OptionFlags &options, PlanningCache *cache) {
  const poplar::Type type = t.getNzValuesTensor().elementType();
  const auto plan = planned(graph.getTarget(), problemOf(params, type), options, cache);
  checkSparse("embeddingUpdateAdd", plan, t);
  checkIndices("embeddingUpdateAdd", indices);
  checkDense("embeddingUpdateAdd", "slices", slices, type,
             {indices.numElements(), params.getInputChannelsPerGroup()});
  if (scale.numElements() != 1 ||
      (scale.elementType() != poplar::FLOAT && scale.elementType() != poplar::HALF))
    throw poplibs_error(base::str("embeddingUpdateAdd: the scale must be one float or half, but ",
                                  scale.elementType(), base::list(scale.shape()), " is given."));
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(slices, indices, scale, options));
  prog.add(openipu::operation(
      graph, {"popsparse.dynamic.updateAdd",
              {openipu::inOut(t.getNzValuesTensor()), openipu::in(t.getMetaInfoTensor()),
               openipu::in(slices), openipu::in(indices), openipu::in(scale)},
              openipu::AttributeWriter().put(plan.layout).take(),
              lookupPlan(openipu::chipOf(graph), plan, indices.numElements(),
                         "popsparse::SparseDenseMultiUpdateAdd"),
              {di, "embeddingUpdateAdd"}}));
}

} // namespace dynamic
} // namespace popsparse
