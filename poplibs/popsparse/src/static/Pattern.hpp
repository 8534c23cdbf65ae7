// SPDX-License-Identifier: MIT
// Products with a matrix whose pattern is part of the graph: block i of the values stands at
// pattern[i].
#pragma once
#include "Buckets.hpp"
#include "Plan.hpp"
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <vector>

namespace popsparse {

struct Pattern {
  std::size_t lines = 0, stacks = 0, blockRows = 1, blockColumns = 1;
  std::vector<BlockAt> blocks;
  std::size_t area() const { return blockRows * blockColumns; }
};

// The largest number of blocks in one of `parts` equal ranges of lines.
std::size_t busiestPart(const Pattern &pattern, unsigned parts);

// y = S x, or its transpose times x; x and y are rows [..][n], values [blocks * area].
void addPatternMultiply(poplar::Graph &graph, const Pattern &pattern, const poplar::Tensor &values,
                        const poplar::Tensor &x, const poplar::Tensor &y, bool transposed,
                        bool halfPartials, openipu::Plan plan, poplar::program::Sequence &prog,
                        const poplar::DebugContext &context);

// Elements of result blocks that are set to zero.
enum class Triangle : std::uint64_t { None, ZeroUpper, ZeroLower };
// values[i] = block pattern[i] of g x^T; g and x are rows [..][n].
void addPatternOuter(poplar::Graph &graph, const Pattern &pattern, const poplar::Tensor &g,
                     const poplar::Tensor &x, const poplar::Tensor &values, Triangle triangle,
                     bool halfPartials, openipu::Plan plan, poplar::program::Sequence &prog,
                     const poplar::DebugContext &context);

// Attributes of kernels that have a pattern.
std::string patternAttributes(const Pattern &pattern, std::vector<std::uint64_t> numbers);
struct PatternAttributes {
  Pattern pattern;
  std::vector<std::uint64_t> numbers;
  std::vector<Placed> placed() const;
};
PatternAttributes readPattern(std::string_view attributes, std::size_t numbers);

} // namespace popsparse
