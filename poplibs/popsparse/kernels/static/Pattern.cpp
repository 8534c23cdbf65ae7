// SPDX-License-Identifier: MIT
// The pattern is grouped once, when an engine is loaded.
#include "Multiply.hpp"
#include "popsparse/kernels/Static.hpp"
#include "poputil/exceptions.hpp"
#include "Vectors.hpp"

namespace popsparse {
namespace {

using kernels::Pattern;
using kernels::PatternAttributes;
using kernels::Triangle;
using openipu::KernelArgs;
using poputil::poplibs_error;

void require(bool fits, const char *kernel) {
  if (!fits)
    throw poplibs_error(std::string("The operands of ") + kernel + " do not fit its attributes.");
}

struct Multiply {
  PatternAttributes a;
  Lines lines;
  DenseRows x, values;
  DenseResult y;

  explicit Multiply(const KernelArgs &args) : a(PatternAttributes::read(args.attributes, 2)) {
    const Pattern &p = a.pattern;
    const std::size_t rows = p.lines * p.blockRows, columns = p.stacks * p.blockColumns;
    const bool t = a.numbers[0];
    require(args.outputs[0].shape[0] == (t ? columns : rows) &&
                args.inputs[0].shape[0] == (t ? rows : columns) &&
                args.inputs[1].elements == p.blocks.size() * p.area(),
            kernels::staticMultiply);
    lines = group(a.placed(), t ? p.stacks : p.lines, t);
  }
  void run(const KernelArgs &args) {
    x.read(args.inputs[0]);
    values.read(dynamic::AsRow(args.inputs[1]).operand);
    float *out = y.begin(args.outputs[0]);
    multiply(lines, {a.pattern.blockRows, a.pattern.blockColumns, a.numbers[0] != 0}, values.data(),
             x.data(), x.stride(), out, y.stride(), args.outputs[0].shape[1]);
    y.end(a.numbers[1]);
  }
};
const openipu::Registered multiplyKernel{openipu::stateful<Multiply>(kernels::staticMultiply)};

struct Outer {
  PatternAttributes a;
  std::vector<Placed> placed;
  DenseRows g, x;

  explicit Outer(const KernelArgs &args)
      : a(PatternAttributes::read(args.attributes, 2)), placed(a.placed()) {
    const Pattern &p = a.pattern;
    require(args.inputs[0].shape[0] == p.lines * p.blockRows &&
                args.inputs[1].shape[0] == p.stacks * p.blockColumns &&
                args.inputs[0].shape[1] == args.inputs[1].shape[1] &&
                args.outputs[0].elements == p.blocks.size() * p.area(),
            kernels::staticOuter);
  }
  void run(const KernelArgs &args) {
    g.read(args.inputs[0]);
    x.read(args.inputs[1]);
    const dynamic::AsRow row(args.outputs[0]);
    DenseResult values;
    float *out = values.begin(row.operand);
    outerBlocks(placed, {a.pattern.blockRows, a.pattern.blockColumns, false}, g.data(), g.stride(),
                x.data(), x.stride(), args.inputs[0].shape[1], out);
    if (Triangle(a.numbers[0]) != Triangle::None)
      mask(out);
    values.end(a.numbers[1]);
  }
  void mask(float *out) const {
    const Pattern &p = a.pattern;
    const bool upper = Triangle(a.numbers[0]) == Triangle::ZeroUpper;
    for (const Placed &block : placed)
      for (std::size_t r = 0; r < p.blockRows; ++r)
        for (std::size_t c = 0; c < p.blockColumns; ++c) {
          const std::size_t row = block.at.line * p.blockRows + r,
                            column = block.at.stack * p.blockColumns + c;
          if (upper ? column > row : column < row)
            out[block.slot * p.area() + r * p.blockColumns + c] = 0;
        }
  }
};
const openipu::Registered outerKernel{openipu::stateful<Outer>(kernels::staticOuter)};

} // namespace
} // namespace popsparse
