// SPDX-License-Identifier: MIT
#include "Multiply.hpp"
#include "popsparse/kernels/Dynamic.hpp"
#include "poputil/exceptions.hpp"
#include "Vectors.hpp"
#include <algorithm>

namespace popsparse::dynamic {
namespace {

using openipu::KernelArgs;
using poputil::poplibs_error;

struct GradW {
  kernels::GradWOf a;
  DenseRows g, x;

  explicit GradW(const KernelArgs &args) : a(kernels::GradWOf::read(args.attributes)) {
    const auto &l = a.layout;
    if (args.inputs.size() != 3 || args.inputs[0].shape[0] != l.lines * l.blockRows ||
        args.inputs[1].shape[0] != l.stacks * l.blockColumns ||
        args.inputs[0].shape[1] != args.inputs[1].shape[1] ||
        args.inputs[2].elements < a.metaBegin + l.buckets * l.metaElements ||
        args.outputs[0].elements != l.values())
      throw poplibs_error("The operands of popsparse.dynamic.gradW do not fit its attributes.");
  }
  void run(const KernelArgs &args) {
    const auto blocks = decode(a.layout, wordsOf(args.inputs[2], a.metaBegin, a.layout));
    g.read(args.inputs[0]);
    x.read(args.inputs[1]);
    const AsRow out(args.outputs[0]);
    DenseResult result;
    float *values = result.begin(out.operand);
    std::fill_n(values, a.layout.values(), 0.0f); // slots that hold no weight
    outerBlocks(blocks, {a.layout.blockRows, a.layout.blockColumns, false}, g.data(), g.stride(),
                x.data(), x.stride(), args.inputs[0].shape[1], values);
    result.end(a.halfPartials);
  }
};
const openipu::Registered registered{openipu::stateful<GradW>(kernels::dynamicGradW)};

} // namespace
} // namespace popsparse::dynamic
