// SPDX-License-Identifier: MIT
// Rows that lie side by side are done one by one; if another dimension does, many rows are done at
// a time, as columns.
#include "popnn/kernels/Softmax.hpp"
#include "poplin/Rows.hpp"
#include "SoftmaxLoops.hpp"

namespace popnn {
namespace {

namespace rows = poplin::rows;
using openipu::KernelArgs;
using openipu::KernelOperand;

// Rows of the innermost dimension of several operands; or, where that is faster, blocks of columns.
struct RowLoop {
  rows::Nest outer;
  rows::Dim row;    // the innermost dimension
  rows::Dim across; // dimension whose elements are columns, if byColumn
  bool byColumn = false;
  unsigned operands;
  std::size_t width = 1, blocks = 1, units = 0, grain = 1;

  explicit RowLoop(std::initializer_list<const KernelOperand *> all) : operands(all.size()) {
    const auto &first = **all.begin();
    auto rank = first.shape.size();
    unsigned i = 0;
    row.size = first.shape[rank - 1];
    for (const auto *operand : all)
      row.strides[i++] = operand->strides[rank - 1];
    outer = rows::nestOf(all);
    if (row.size != 1)
      outer.pop_back();
    rows::sortByStride(outer);
    rows::join(outer, operands);
    if (row.strides[0] != 1 && row.size > 1 && !outer.empty() && outer.back().strides[0] == 1) {
      byColumn = true;
      across = outer.back();
      outer.pop_back();
      width =
          std::min<std::size_t>(across.size, std::max<std::size_t>(16, 16384 / row.size / 16 * 16));
      blocks = (across.size + width - 1) / width;
    }
    units = row.size ? rows::sizeOf(outer) * blocks : 0;
    if (first.elements == 0)
      units = 0;
    grain = std::max<std::size_t>(1, 4096 / std::max<std::size_t>(1, row.size * width));
  }

  // body(offsets, columns)
  template <class Body> void run(const Body &body) const {
    auto range = [&](std::size_t begin, std::size_t end, unsigned) {
      rows::Walk walk(outer, operands, begin / blocks);
      for (auto unit = begin; unit < end; ++unit) {
        auto first = unit % blocks * width;
        auto offset = walk.offset;
        for (unsigned i = 0; i < operands; ++i)
          offset[i] += std::int64_t(first) * across.strides[i];
        body(offset, byColumn ? std::min(width, across.size - first) : 1);
        if ((unit + 1) % blocks == 0)
          walk.next();
      }
    };
    base::parallelFor(units, grain, std::ref(range));
  }
};

// n rows of `columns` elements of one operand, as floats.
struct Panel {
  float *at;
  std::int64_t ld;
};
bool direct(const rows::Data &data, const RowLoop &loop, unsigned i) {
  return data.direct(loop.across.strides[i]);
}
Panel panel(const rows::Data &data, const RowLoop &loop, unsigned i, std::int64_t offset,
            std::size_t columns, unsigned slot, bool load) {
  if (direct(data, loop, i))
    return {data.floats() + offset, loop.row.strides[i]};
  float *to = rows::scratch(slot, loop.row.size * columns);
  for (std::size_t r = 0; load && r < loop.row.size; ++r)
    data.load(offset + std::int64_t(r) * loop.row.strides[i], loop.across.strides[i], columns,
              to + r * columns);
  return {to, std::int64_t(columns)};
}
void bringHome(const rows::Data &data, const RowLoop &loop, unsigned i, std::int64_t offset,
               std::size_t columns, const Panel &from) {
  if (direct(data, loop, i))
    return;
  for (std::size_t r = 0; r < loop.row.size; ++r)
    data.store(offset + std::int64_t(r) * loop.row.strides[i], loop.across.strides[i], columns,
               from.at + std::int64_t(r) * from.ld);
}

class SoftmaxKernel {
public:
  explicit SoftmaxKernel(const KernelArgs &args)
      : loop_({&args.outputs[0], args.inputs.empty() ? &args.outputs[0] : &args.inputs[0]}) {
    const auto form = kernels::SoftmaxForm::read(args.attributes);
    form_ = {form.stable, form.log, form.scaling};
  }

  void run(const KernelArgs &args) {
    rows::Data y(args.outputs[0]), x(args.inputs.empty() ? args.outputs[0] : args.inputs[0]);
    auto n = loop_.row.size;
    if (loop_.byColumn)
      return loop_.run([&](const auto &offset, std::size_t columns) {
        auto in = panel(x, loop_, 1, offset[1], columns, 0, true);
        auto out = panel(y, loop_, 0, offset[0], columns, 1, false);
        softmaxColumns(form_, in.at, out.at, {n, columns, in.ld, out.ld},
                       rows::scratch(2, 3 * columns));
        bringHome(y, loop_, 0, offset[0], columns, out);
      });
    loop_.run([&](const auto &offset, std::size_t) {
      const float *in = rows::read(x, offset[1], loop_.row.strides[1], n, 0);
      float *out = rows::target(y, offset[0], loop_.row.strides[0], n, 1);
      softmaxRow(form_, in, out, n);
      rows::write(y, offset[0], loop_.row.strides[0], n, out);
    });
  }

private:
  RowLoop loop_;
  RowForm form_;
};

class GradientKernel {
public:
  explicit GradientKernel(const KernelArgs &args)
      : loop_({&args.outputs[0], &args.inputs[0], &args.inputs[1]}) {}

  void run(const KernelArgs &args) {
    rows::Data dx(args.outputs[0]), y(args.inputs[0]), g(args.inputs[1]);
    auto n = loop_.row.size;
    if (loop_.byColumn)
      return loop_.run([&](const auto &offset, std::size_t columns) {
        auto a = panel(y, loop_, 1, offset[1], columns, 0, true);
        auto b = panel(g, loop_, 2, offset[2], columns, 1, true);
        auto out = panel(dx, loop_, 0, offset[0], columns, 2, false);
        softmaxGradientColumns(a.at, b.at, out.at, {n, columns, a.ld, b.ld, out.ld},
                               rows::scratch(3, 2 * columns));
        bringHome(dx, loop_, 0, offset[0], columns, out);
      });
    loop_.run([&](const auto &offset, std::size_t) {
      const float *a = rows::read(y, offset[1], loop_.row.strides[1], n, 0);
      const float *b = rows::read(g, offset[2], loop_.row.strides[2], n, 1);
      float *out = rows::target(dx, offset[0], loop_.row.strides[0], n, 2);
      softmaxGradientRow(a, b, out, n);
      rows::write(dx, offset[0], loop_.row.strides[0], n, out);
    });
  }

private:
  RowLoop loop_;
};

const openipu::Registered registered{
    openipu::stateful<SoftmaxKernel>(kernels::softmax, openipu::alwaysGivesFloats)};
const openipu::Registered registeredGradient{
    openipu::stateful<GradientKernel>(kernels::softmaxGradient, openipu::alwaysGivesFloats)};
const openipu::Overwriting inPlace{kernels::softmax, kernels::softmaxMayOverwrite};
const openipu::Overwriting gradientInPlace{kernels::softmaxGradient, kernels::softmaxMayOverwrite};

} // namespace
} // namespace popnn
