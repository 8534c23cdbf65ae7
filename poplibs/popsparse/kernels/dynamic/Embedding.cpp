// SPDX-License-Identifier: MIT
// Blocks by line, indices in parallel.
#include "base/Half.hpp"
#include "base/Threads.hpp"
#include "Multiply.hpp"
#include "popsparse/kernels/Dynamic.hpp"
#include "poputil/exceptions.hpp"
#include "Vectors.hpp"
#include <algorithm>

namespace popsparse::dynamic {
namespace {

using openipu::KernelArgs;
using poputil::poplibs_error;

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

struct Slice {
  BucketLayout layout;
  DenseRows values;
  DenseResult slices;

  explicit Slice(const KernelArgs &args) : layout(kernels::RowsOf::read(args.attributes).layout) {
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
const openipu::Registered sliceKernel{
    openipu::stateful<Slice>(kernels::dynamicSlice, nullptr, openipu::movedNans)};

struct UpdateAdd {
  BucketLayout layout;
  DenseRows slices, before;
  DenseResult values;

  explicit UpdateAdd(const KernelArgs &args)
      : layout(kernels::RowsOf::read(args.attributes).layout) {
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
const openipu::Registered updateKernel{
    // keeps most of what was there
    openipu::stateful<UpdateAdd>(kernels::dynamicUpdateAdd, nullptr, openipu::movedNans)};

} // namespace
} // namespace popsparse::dynamic
