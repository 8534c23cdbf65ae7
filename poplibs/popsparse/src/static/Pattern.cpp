// SPDX-License-Identifier: MIT
// Kernels of products with fixed patterns. The pattern is grouped once, when an engine is loaded.
#include "static/Pattern.hpp"
#include "dynamic/Planned.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Operation.hpp"
#include "poputil/exceptions.hpp"

namespace popsparse {

using openipu::KernelArgs;
using poplar::Tensor;
using poputil::poplibs_error;

std::size_t busiestPart(const Pattern &pattern, unsigned parts) {
  std::vector<std::size_t> counts(pattern.lines + 1, 0); // blocks before a line
  for (const BlockAt &block : pattern.blocks)
    ++counts[block.line + 1];
  for (std::size_t i = 0; i < pattern.lines; ++i)
    counts[i + 1] += counts[i];
  std::size_t most = 0;
  for (unsigned i = 0; i < parts; ++i)
    most =
        std::max(most, counts[(i + 1) * pattern.lines / parts] - counts[i * pattern.lines / parts]);
  return most;
}

std::string patternAttributes(const Pattern &pattern, std::vector<std::uint64_t> numbers) {
  std::vector<std::uint32_t> blocks;
  for (const BlockAt &block : pattern.blocks)
    blocks.insert(blocks.end(), {block.line, block.stack});
  return openipu::AttributeWriter()
      .put(std::uint64_t(pattern.lines))
      .put(std::uint64_t(pattern.stacks))
      .put(std::uint64_t(pattern.blockRows))
      .put(std::uint64_t(pattern.blockColumns))
      .put(blocks)
      .put(numbers)
      .take();
}

PatternAttributes readPattern(std::string_view attributes, std::size_t numbers) {
  openipu::AttributeReader reader(attributes);
  PatternAttributes out;
  out.pattern.lines = reader.get<std::uint64_t>();
  out.pattern.stacks = reader.get<std::uint64_t>();
  out.pattern.blockRows = reader.get<std::uint64_t>();
  out.pattern.blockColumns = reader.get<std::uint64_t>();
  const auto blocks = reader.getVector<std::uint32_t>();
  out.numbers = reader.getVector<std::uint64_t>();
  bool good = blocks.size() % 2 == 0 && out.numbers.size() == numbers;
  for (std::size_t i = 0; good && i < blocks.size(); i += 2) {
    out.pattern.blocks.push_back({blocks[i], blocks[i + 1]});
    good = blocks[i] < out.pattern.lines && blocks[i + 1] < out.pattern.stacks;
  }
  if (!good)
    throw poplibs_error("The pattern of a sparse operator is damaged. Compile the graph again.");
  return out;
}

std::vector<Placed> PatternAttributes::placed() const {
  std::vector<Placed> out;
  for (std::uint32_t i = 0; i < pattern.blocks.size(); ++i)
    out.push_back({pattern.blocks[i], i});
  return out;
}

namespace {

void require(bool fits, const char *kernel) {
  if (!fits)
    throw poplibs_error(std::string("The operands of ") + kernel + " do not fit its attributes.");
}

struct Multiply { // numbers: transposed, halfPartials
  PatternAttributes a;
  Lines lines;
  DenseRows x, values;
  DenseResult y;

  explicit Multiply(const KernelArgs &args) : a(readPattern(args.attributes, 2)) {
    const Pattern &p = a.pattern;
    const std::size_t rows = p.lines * p.blockRows, columns = p.stacks * p.blockColumns;
    const bool t = a.numbers[0];
    require(args.outputs[0].shape[0] == (t ? columns : rows) &&
                args.inputs[0].shape[0] == (t ? rows : columns) &&
                args.inputs[1].elements == p.blocks.size() * p.area(),
            "popsparse.static.multiply");
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
const openipu::Registered multiplyKernel{openipu::stateful<Multiply>("popsparse.static.multiply")};

struct Outer { // numbers: triangle, halfPartials
  PatternAttributes a;
  std::vector<Placed> placed;
  DenseRows g, x;

  explicit Outer(const KernelArgs &args) : a(readPattern(args.attributes, 2)), placed(a.placed()) {
    const Pattern &p = a.pattern;
    require(args.inputs[0].shape[0] == p.lines * p.blockRows &&
                args.inputs[1].shape[0] == p.stacks * p.blockColumns &&
                args.inputs[0].shape[1] == args.inputs[1].shape[1] &&
                args.outputs[0].elements == p.blocks.size() * p.area(),
            "popsparse.static.outer");
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
const openipu::Registered outerKernel{openipu::stateful<Outer>("popsparse.static.outer")};

} // namespace

void addPatternMultiply(poplar::Graph &graph, const Pattern &pattern, const Tensor &values,
                        const Tensor &x, const Tensor &y, bool transposed, bool halfPartials,
                        openipu::Plan plan, poplar::program::Sequence &prog,
                        const poplar::DebugContext &context) {
  prog.add(openipu::operation(graph, {"popsparse.static.multiply",
                                      {openipu::out(y), openipu::in(x), openipu::in(values)},
                                      patternAttributes(pattern, {transposed, halfPartials}),
                                      std::move(plan),
                                      context}));
}

void addPatternOuter(poplar::Graph &graph, const Pattern &pattern, const Tensor &g, const Tensor &x,
                     const Tensor &values, Triangle triangle, bool halfPartials, openipu::Plan plan,
                     poplar::program::Sequence &prog, const poplar::DebugContext &context) {
  prog.add(openipu::operation(graph,
                              {"popsparse.static.outer",
                               {openipu::out(values), openipu::in(g), openipu::in(x)},
                               patternAttributes(pattern, {std::uint64_t(triangle), halfPartials}),
                               std::move(plan),
                               context}));
}

} // namespace popsparse
