// SPDX-License-Identifier: MIT
// Softmax of block-sparse rows: y = exp(x - max) / sum; gradient: dx = y * (dy - sum(y * dy)).
// Device: the dense softmax's steps (max, exp, sum, multiply) on the tiles that hold the blocks.
#include "popsparse/experimental/BlockSparse.hpp"
#include "base/Text.hpp"
#include "dynamic/Planned.hpp"
#include "experimental/Mask.hpp"
#include "openipu/Operation.hpp"
#include "popops/ElementWiseCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Plans.hpp"

namespace popsparse {
namespace experimental {

using poplar::Tensor;
using poputil::poplibs_error;

std::vector<Pattern> patternsOf(const char *call, const std::array<int, 2> &dim,
                                const std::array<int, 2> &blockSize,
                                const std::vector<unsigned char> &sparsity, unsigned numGroups) {
  if (dim[0] <= 0 || dim[1] <= 0 || blockSize[0] <= 0 || blockSize[1] <= 0 ||
      dim[0] % blockSize[0] || dim[1] % blockSize[1])
    throw poplibs_error(base::str(call, ": a matrix of ", dim[0], "x", dim[1],
                                  " is not a whole number of ", blockSize[0], "x", blockSize[1],
                                  " blocks."));
  Pattern empty{std::size_t(dim[0] / blockSize[0]),
                std::size_t(dim[1] / blockSize[1]),
                std::size_t(blockSize[0]),
                std::size_t(blockSize[1]),
                {}};
  const std::size_t all = empty.lines * empty.stacks;
  if (numGroups == 0 || sparsity.size() != all * numGroups)
    throw poplibs_error(base::str(call, ": ", numGroups, " groups of ", empty.lines, "x",
                                  empty.stacks, " blocks need ", all * numGroups,
                                  " bytes of sparsity, but ", sparsity.size(), " are given."));
  std::vector<Pattern> out(numGroups, empty);
  for (std::size_t i = 0; i < sparsity.size(); ++i)
    if (sparsity[i])
      out[i / all].blocks.push_back(
          {std::uint32_t(i % all / empty.stacks), std::uint32_t(i % all % empty.stacks)});
  return out;
}

std::size_t blocksOf(const std::vector<Pattern> &patterns) {
  std::size_t blocks = 0;
  for (const Pattern &pattern : patterns)
    blocks += pattern.blocks.size();
  return blocks;
}

Triangle triangleOf(SubBlockMask mask) {
  return mask == SubBlockMask::None                ? Triangle::None
         : mask == SubBlockMask::ZeroUpperTriangle ? Triangle::ZeroUpper
                                                   : Triangle::ZeroLower;
}

namespace {

// All groups as one matrix, one below the other.
Pattern stacked(const std::vector<Pattern> &patterns) {
  Pattern out = patterns[0];
  out.lines *= patterns.size();
  out.blocks.clear();
  for (std::size_t g = 0; g < patterns.size(); ++g)
    for (BlockAt block : patterns[g].blocks) {
      block.line += std::uint32_t(g * patterns[g].lines);
      out.blocks.push_back(block);
    }
  return out;
}

void checkTensor(const char *call, const Tensor &t, const Pattern &pattern) {
  if (t.elementType() != poplar::FLOAT && t.elementType() != poplar::HALF)
    throw poplibs_error(base::str(call, ": the tensor is of type ", t.elementType(),
                                  "; it must be float or half."));
  dynamic::checkDense(call, "sparse tensor", t, t.elementType(),
                      {pattern.blocks.size(), pattern.area()});
}

// Element-wise work where the blocks lie, and one value per row sent around between the steps.
openipu::Plan softmaxPlan(const poplar::Graph &graph, const Tensor &at, const Pattern &pattern,
                          bool gradient) {
  using popops::expr::BinaryOpType;
  using popops::expr::UnaryOpType;
  const poplar::Type type = at.elementType();
  const auto &chip = openipu::chipOf(graph);
  const auto step = [&](const char *name, const char *vertex, auto cycles) {
    return poputil::whereItLies(graph, at, name, vertex, cycles);
  };
  const auto rowsSent = [&](openipu::Superstep s) { // maxima or sums of the rows
    const std::uint64_t tiles = std::max<std::size_t>(1, s.tiles.size());
    for (auto &work : s.tiles)
      work.bytesIn = work.bytesOut = 4 * (pattern.lines * pattern.blockRows / tiles + 1);
    return s;
  };
  const auto binary = [&](BinaryOpType op) {
    return [&chip, op, type](std::uint64_t n, std::uint32_t regions) {
      return popops::cost::binaryCycles(chip, op, type, n, true, regions);
    };
  };
  openipu::Plan plan;
  if (gradient) {
    plan.add(step("multiply", "popops::BinaryOp1D", binary(BinaryOpType::MULTIPLY)));
    plan.add(rowsSent(step("sum", "popops::ContinuousReduce", binary(BinaryOpType::ADD))));
    plan.add(rowsSent(step("subtract", "popops::BinaryOp1D", binary(BinaryOpType::SUBTRACT))));
    plan.add(step("multiply", "popops::BinaryOp1DInPlace", binary(BinaryOpType::MULTIPLY)));
    return plan;
  }
  plan.add(step("max", "popops::ContinuousReduce", binary(BinaryOpType::MAXIMUM)));
  plan.add(rowsSent(
      step("exp", "popops::UnaryOp1D", [&chip, type](std::uint64_t n, std::uint32_t regions) {
        return popops::cost::unaryCycles(chip, UnaryOpType::EXPONENT, type, n, true, regions);
      })));
  plan.add(step("sum", "popops::ContinuousReduce", binary(BinaryOpType::ADD)));
  plan.add(rowsSent(step("multiply", "popops::BinaryOp1DInPlace", binary(BinaryOpType::MULTIPLY))));
  return plan;
}

void addSoftmax(const char *call, poplar::Graph &graph, const Tensor &in, const Tensor *out,
                const std::array<int, 2> &dim, const std::array<int, 2> &blockSize,
                const std::vector<unsigned char> &sparsity, SubBlockMask mask, unsigned groups,
                poplar::program::Sequence &prog, const poplar::DebugContext &context) {
  const auto patterns = patternsOf(call, dim, blockSize, sparsity, groups);
  const Pattern pattern = stacked(patterns);
  checkTensor(call, in, pattern);
  std::vector<openipu::Used> uses;
  if (out)
    uses = {openipu::out(out->flatten()), openipu::in(in.flatten())};
  else
    uses = {openipu::inOut(in.flatten())};
  prog.add(openipu::operation(
      graph,
      {kernels::softmax, uses,
       kernels::PatternAttributes{pattern, {std::uint64_t(triangleOf(mask)), patterns[0].lines}}
           .write(),
       softmaxPlan(graph, out ? *out : in, pattern, false), context}));
}

} // namespace

Tensor bsSoftmax(poplar::Graph &graph, Tensor sparseTensor, const std::array<int, 2> &dim,
                 const std::array<int, 2> &blockSize, const std::vector<unsigned char> &sparsity,
                 SubBlockMask subBlockMaskType, unsigned numGroups, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext) {
  const Pattern pattern = stacked(patternsOf("bsSoftmax", dim, blockSize, sparsity, numGroups));
  checkTensor("bsSoftmax", sparseTensor, pattern);
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(sparseTensor, dim, blockSize, numGroups));
  const Tensor out = graph.clone(sparseTensor, {di, "out"});
  addSoftmax("bsSoftmax", graph, sparseTensor, &out, dim, blockSize, sparsity, subBlockMaskType,
             numGroups, prog, {di, "bsSoftmax"});
  return out;
}
Tensor bsSoftmax(poplar::Graph &graph, Tensor sparseTensor, const std::array<int, 2> &dim,
                 const std::array<int, 2> &blockSize, const std::vector<unsigned char> &sparsity,
                 SubBlockMask subBlockMaskType, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext) {
  return bsSoftmax(graph, sparseTensor, dim, blockSize, sparsity, subBlockMaskType, 1, prog,
                   debugContext);
}

void bsSoftmaxInPlace(poplar::Graph &graph, Tensor sparseTensor, const std::array<int, 2> &dim,
                      const std::array<int, 2> &blockSize,
                      const std::vector<unsigned char> &sparsity, SubBlockMask subBlockMaskType,
                      unsigned numGroups, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(sparseTensor, dim, blockSize, numGroups));
  addSoftmax("bsSoftmaxInPlace", graph, sparseTensor, nullptr, dim, blockSize, sparsity,
             subBlockMaskType, numGroups, prog, {di, "bsSoftmaxInPlace"});
}
void bsSoftmaxInPlace(poplar::Graph &graph, Tensor sparseTensor, const std::array<int, 2> &dim,
                      const std::array<int, 2> &blockSize,
                      const std::vector<unsigned char> &sparsity, SubBlockMask subBlockMaskType,
                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  bsSoftmaxInPlace(graph, sparseTensor, dim, blockSize, sparsity, subBlockMaskType, 1, prog,
                   debugContext);
}

Tensor bsSoftmaxGrad(poplar::Graph &graph, Tensor sparseOut, Tensor sparseOutGrad,
                     const std::array<int, 2> &dim, const std::array<int, 2> &blockSize,
                     const std::vector<unsigned char> &sparsity, unsigned numGroups,
                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  const auto patterns = patternsOf("bsSoftmaxGrad", dim, blockSize, sparsity, numGroups);
  const Pattern pattern = stacked(patterns);
  checkTensor("bsSoftmaxGrad", sparseOut, pattern);
  dynamic::checkDense("bsSoftmaxGrad", "gradient", sparseOutGrad, sparseOut.elementType(),
                      sparseOut.shape());
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(sparseOut, sparseOutGrad, dim, blockSize));
  const Tensor out = graph.clone(sparseOut, {di, "out"});
  prog.add(openipu::operation(graph,
                              {kernels::softmaxGrad,
                               {openipu::out(out.flatten()), openipu::in(sparseOut.flatten()),
                                openipu::in(sparseOutGrad.flatten())},
                               kernels::PatternAttributes{pattern, {0, patterns[0].lines}}.write(),
                               softmaxPlan(graph, out, pattern, true),
                               {di, "bsSoftmaxGrad"}}));
  return out;
}
Tensor bsSoftmaxGrad(poplar::Graph &graph, Tensor sparseOut, Tensor sparseOutGrad,
                     const std::array<int, 2> &dim, const std::array<int, 2> &blockSize,
                     const std::vector<unsigned char> &sparsity, poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext) {
  return bsSoftmaxGrad(graph, sparseOut, sparseOutGrad, dim, blockSize, sparsity, 1, prog,
                       debugContext);
}

} // namespace experimental
} // namespace popsparse
