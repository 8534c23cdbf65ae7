// SPDX-License-Identifier: MIT
// Calls of the kernels of products with fixed patterns.
#include "static/Pattern.hpp"
#include "dynamic/Planned.hpp"
#include "openipu/Operation.hpp"

namespace popsparse {

using poplar::Tensor;

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

void addPatternMultiply(poplar::Graph &graph, const Pattern &pattern, const Tensor &values,
                        const Tensor &x, const Tensor &y, bool transposed, bool halfPartials,
                        openipu::Plan plan, poplar::program::Sequence &prog,
                        const poplar::DebugContext &context) {
  prog.add(openipu::operation(
      graph, {kernels::staticMultiply,
              {openipu::out(y), openipu::in(x), openipu::in(values)},
              kernels::PatternAttributes{pattern, {transposed, halfPartials}}.write(),
              std::move(plan),
              context}));
}

void addPatternOuter(poplar::Graph &graph, const Pattern &pattern, const Tensor &g, const Tensor &x,
                     const Tensor &values, Triangle triangle, bool halfPartials, openipu::Plan plan,
                     poplar::program::Sequence &prog, const poplar::DebugContext &context) {
  prog.add(openipu::operation(
      graph, {kernels::staticOuter,
              {openipu::out(values), openipu::in(g), openipu::in(x)},
              kernels::PatternAttributes{pattern, {std::uint64_t(triangle), halfPartials}}.write(),
              std::move(plan),
              context}));
}

} // namespace popsparse
