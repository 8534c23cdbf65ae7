// SPDX-License-Identifier: MIT
// Operators of a sparse matrix S whose pattern is an attribute: block i of the values stands at
// pattern[i].
//   staticMultiply
//     outputs: y [rows, n] = S x, or its transpose times x
//     inputs:  x [columns, n], values
//     numbers: transposed, halfPartials
//   staticOuter
//     outputs: values[i] = block pattern[i] of g x^T
//     inputs:  g [rows, n], x [columns, n]
//     numbers: triangle, halfPartials
//   softmax, of rows
//     outputs: y, values; read too if there is no input
//     inputs:  x, values, or none: y is x
//     numbers: triangle, lines of a group
//   softmaxGrad
//     outputs: dx, values
//     inputs:  y, dy, values
//     numbers: 0, lines of a group
#pragma once
#include "openipu/Attributes.hpp"
#include "popsparse/Buckets.hpp"
#include "poputil/exceptions.hpp"

namespace popsparse::kernels {

inline constexpr char staticMultiply[] = "popsparse.static.multiply";
inline constexpr char staticOuter[] = "popsparse.static.outer";
inline constexpr char softmax[] = "popsparse.softmax";
inline constexpr char softmaxGrad[] = "popsparse.softmaxGrad";

struct Pattern {
  std::size_t lines = 0, stacks = 0, blockRows = 1, blockColumns = 1;
  std::vector<BlockAt> blocks;
  std::size_t area() const { return blockRows * blockColumns; }
};

// Elements of result blocks that are set to zero.
enum class Triangle : std::uint64_t { None, ZeroUpper, ZeroLower };

struct PatternAttributes {
  Pattern pattern;
  std::vector<std::uint64_t> numbers;

  std::vector<Placed> placed() const {
    std::vector<Placed> out;
    for (std::uint32_t i = 0; i < pattern.blocks.size(); ++i)
      out.push_back({pattern.blocks[i], i});
    return out;
  }
  std::string write() const {
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
  // With so many numbers.
  static PatternAttributes read(std::string_view bytes, std::size_t numbers) {
    openipu::AttributeReader reader(bytes);
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
      throw poputil::poplibs_error(
          "The pattern of a sparse operator is damaged. Compile the graph again.");
    return out;
  }
};

} // namespace popsparse::kernels
