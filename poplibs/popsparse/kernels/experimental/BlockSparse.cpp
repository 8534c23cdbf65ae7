// SPDX-License-Identifier: MIT
// Lines of blocks in parallel, each row in two passes.
#include "base/Threads.hpp"
#include "Multiply.hpp"
#include "popsparse/kernels/Static.hpp"
#include "poputil/exceptions.hpp"
#include "Vectors.hpp"
#include <cmath>

namespace popsparse::experimental {
namespace {

using kernels::Pattern;
using kernels::PatternAttributes;
using kernels::Triangle;
using openipu::KernelArgs;
using poputil::poplibs_error;

// Calls f(row of the group, slots' rows) for each row of each line.
struct Rows {
  PatternAttributes a;
  Lines lines;
  explicit Rows(std::string_view attributes) : a(PatternAttributes::read(attributes, 2)) {
    lines = group(a.placed(), a.pattern.lines, false);
    if (a.numbers[1] == 0) // lines of a group
      throw poplibs_error("The attributes of a sparse softmax are damaged.");
  }
  // visit(element, whether it is masked) along row r of a line.
  template <class Visit> void alongRow(std::size_t line, std::size_t r, const Visit &visit) const {
    const Pattern &p = a.pattern;
    const std::size_t row = line % a.numbers[1] * p.blockRows + r;
    const auto triangle = Triangle(a.numbers[0]);
    for (std::uint32_t b = lines.start[line]; b < lines.start[line + 1]; ++b)
      for (std::size_t c = 0; c < p.blockColumns; ++c) {
        const std::size_t column = lines.other[b] * p.blockColumns + c;
        const bool masked = (triangle == Triangle::ZeroUpper && column > row) ||
                            (triangle == Triangle::ZeroLower && column < row);
        visit(lines.slot[b] * p.area() + r * p.blockColumns + c, masked);
      }
  }
  template <class Row> void forRows(const Row &rowOf) const {
    base::parallelFor(a.pattern.lines, 4, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t line = begin; line < end; ++line)
        for (std::size_t r = 0; r < a.pattern.blockRows; ++r)
          rowOf(line, r);
    });
  }
};

struct Softmax {
  Rows rows;
  DenseRows x;
  explicit Softmax(const KernelArgs &args) : rows(args.attributes) {
    if (args.outputs[0].elements != rows.a.pattern.blocks.size() * rows.a.pattern.area())
      throw poplibs_error("The operands of popsparse.softmax do not fit its attributes.");
  }
  void run(const KernelArgs &args) {
    const dynamic::AsRow row(args.outputs[0]);
    const bool inPlace = args.inputs.empty();
    x.read(inPlace ? row.operand : dynamic::AsRow(args.inputs[0]).operand);
    const float *in = x.data();
    DenseResult y;
    float *out = y.begin(row.operand);
    rows.forRows([&](std::size_t line, std::size_t r) {
      float most = -INFINITY, sum = 0;
      rows.alongRow(line, r, [&](std::size_t i, bool masked) {
        if (!masked)
          most = std::max(most, in[i]);
      });
      rows.alongRow(line, r, [&](std::size_t i, bool masked) {
        sum += out[i] = masked ? 0.0f : std::exp(in[i] - most);
      });
      const float scale = sum > 0 ? 1 / sum : 0;
      rows.alongRow(line, r, [&](std::size_t i, bool) { out[i] *= scale; });
    });
    y.end(false);
  }
};
const openipu::Registered softmaxKernel{openipu::stateful<Softmax>(kernels::softmax)};

struct SoftmaxGrad {
  Rows rows;
  DenseRows y, dy;
  explicit SoftmaxGrad(const KernelArgs &args) : rows(args.attributes) {
    const std::size_t elements = rows.a.pattern.blocks.size() * rows.a.pattern.area();
    if (args.outputs[0].elements != elements || args.inputs[0].elements != elements ||
        args.inputs[1].elements != elements)
      throw poplibs_error("The operands of popsparse.softmaxGrad do not fit its attributes.");
  }
  void run(const KernelArgs &args) {
    const dynamic::AsRow row(args.outputs[0]);
    y.read(dynamic::AsRow(args.inputs[0]).operand);
    dy.read(dynamic::AsRow(args.inputs[1]).operand);
    DenseResult dx;
    float *out = dx.begin(row.operand);
    rows.forRows([&](std::size_t line, std::size_t r) {
      float sum = 0;
      rows.alongRow(line, r, [&](std::size_t i, bool) { sum += y.data()[i] * dy.data()[i]; });
      rows.alongRow(line, r,
                    [&](std::size_t i, bool) { out[i] = y.data()[i] * (dy.data()[i] - sum); });
    });
    dx.end(false);
  }
};
const openipu::Registered gradKernel{openipu::stateful<SoftmaxGrad>(kernels::softmaxGrad)};

} // namespace
} // namespace popsparse::experimental
