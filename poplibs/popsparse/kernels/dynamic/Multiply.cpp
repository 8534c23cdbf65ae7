// SPDX-License-Identifier: MIT
#include "Multiply.hpp"
#include "popsparse/kernels/Dynamic.hpp"
#include "poputil/exceptions.hpp"
#include "Vectors.hpp"

namespace popsparse::dynamic {
namespace {

using openipu::KernelArgs;
using poputil::poplibs_error;

struct Multiply {
  kernels::MultiplyOf a;
  DenseRows x, values;
  DenseResult y;

  explicit Multiply(const KernelArgs &args) : a(kernels::MultiplyOf::read(args.attributes)) {
    const auto &l = a.layout;
    const std::uint64_t rows = l.lines * l.blockRows, columns = l.stacks * l.blockColumns;
    if (args.inputs.size() != 3 || args.outputs[0].shape[0] != (a.transposed ? columns : rows) ||
        args.inputs[0].shape[0] != (a.transposed ? rows : columns) ||
        args.inputs[1].elements < a.metaBegin + l.buckets * l.metaElements ||
        args.inputs[2].elements != l.values())
      throw poplibs_error("The operands of popsparse.dynamic.multiply do not fit its attributes.");
  }
  void run(const KernelArgs &args) {
    const auto blocks = decode(a.layout, wordsOf(args.inputs[1], a.metaBegin, a.layout));
    const bool transposed = a.transposed;
    const Lines lines = group(blocks, transposed ? a.layout.stacks : a.layout.lines, transposed);
    x.read(args.inputs[0]);
    values.read(AsRow(args.inputs[2]).operand);
    float *out = y.begin(args.outputs[0]);
    multiply(lines, {a.layout.blockRows, a.layout.blockColumns, transposed}, values.data(),
             x.data(), x.stride(), out, y.stride(), args.outputs[0].shape[1]);
    y.end(a.halfPartials);
  }
};
const openipu::Registered registered{openipu::stateful<Multiply>(kernels::dynamicMultiply)};

} // namespace
} // namespace popsparse::dynamic
