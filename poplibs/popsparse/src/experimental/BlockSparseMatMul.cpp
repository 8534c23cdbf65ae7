// SPDX-License-Identifier: MIT
// Block-sparse products by the kernels of static patterns (static/Pattern.cpp), one for each group.
#include "popsparse/experimental/BlockSparseMatMul.hpp"
#include "base/Text.hpp"
#include "dynamic/Planned.hpp"
#include "experimental/Mask.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/TileMapping.hpp"

namespace popsparse {
namespace experimental {

using poplar::Tensor;
using poplibs::OptionHandler;
using poputil::poplibs_error;

class BSMatMulImpl {
public:
  std::size_t m, k, n;
  bool sparseResult, stored; // stored: the sparse matrix is [n][k]
  std::vector<Pattern> patterns;
  poplar::Type in, out, partials;
  SubBlockMask mask;

  std::vector<std::size_t> grouped(std::size_t rows, std::size_t columns) const {
    return patterns.size() == 1 ? std::vector<std::size_t>{rows, columns}
                                : std::vector<std::size_t>{patterns.size(), rows, columns};
  }
  std::vector<std::size_t> sparse() const { return {blocksOf(patterns), patterns[0].area()}; }
};

namespace {

void checkTypes(poplar::Type in, poplar::Type out, poplar::Type partials) {
  for (const poplar::Type &type : {in, out, partials})
    if (type != poplar::FLOAT && type != poplar::HALF)
      throw poplibs_error(base::str("BSMatMulParams: types ", in, ", ", out, ", ", partials,
                                    " (input, output, partials) must be float or half."));
  if (in == poplar::FLOAT && partials == poplar::HALF)
    throw poplibs_error("BSMatMulParams: float inputs need float partials.");
}

std::size_t positive(int size, const char *what) {
  if (size <= 0)
    throw poplibs_error(
        base::str("BSMatMulParams: ", what, " is ", size, "; it must be positive."));
  return std::size_t(size);
}

void checkBlocks(const std::array<int, 3> &blockSize, poplar::Type in) {
  const int unit = in == poplar::HALF ? 8 : 4;
  for (int size : blockSize)
    if (size <= 0 || size % unit)
      throw poplibs_error(base::str("BSMatMulParams: blocks of ", base::list(blockSize),
                                    " (m, k, n) must be multiples of ", unit, " for inputs of ", in,
                                    "."));
}

struct BlockOptions : SparseOptions {
  unsigned passes = 1; // over the columns of the dense operand, one after the other
};

BlockOptions parse(const poplar::OptionFlags &flags) {
  double ratio = 0.2;
  BlockOptions out;
  // Strips are not split along the inner dimension; naive blocks are not balanced.
  bool strip = false, naive = false;
  const auto method = OptionHandler([&](const std::string &text) {
    const std::map<std::string, int> methods{
        {"block", 0}, {"block-naive", 1}, {"strip", 2}, {"stripv0", 3}};
    const int chosen = poplibs::parse::asEnum(text, methods);
    strip = chosen >= 2;
    naive = chosen % 2;
  });
  const poplibs::OptionSpec spec{
      {"memoryCycleRatio", OptionHandler::createWithDouble(ratio, 0., true, 1., true)},
      {"numberOfPass", OptionHandler([&](const std::string &text) {
         out.passes = poplibs::parse::asInteger<unsigned>(text);
         if (out.passes == 0)
           throw poplar::invalid_option("There is at least one pass, not 0");
       })},
      {"partitionMethod", method}};
  for (const auto &flag : flags)
    spec.parse(flag.first, flag.second);
  out.availableMemoryProportion = 1 - ratio;
  out.enablePreprocessing = !naive;
  out.y = strip ? 1 : 0;
  return out;
}

// The sparse matrix of one group times `dense` columns.
openipu::Plan planGroup(const poplar::Target &target, const BSMatMulImpl &p, const Pattern &pattern,
                        std::size_t dense, const poplar::OptionFlags &flags, Pass pass) {
  SparseOptions options = parse(flags);
  options.partialsType = p.partials;
  Problem problem;
  problem.rows = pattern.lines * pattern.blockRows;
  problem.columns = pattern.stacks * pattern.blockColumns;
  problem.dense = dense;
  problem.blocks = pattern.blocks.size();
  problem.blockRows = pattern.blockRows;
  problem.blockColumns = pattern.blockColumns;
  problem.type = p.in;
  const auto plan = planSparse(
      target, problem, SparseKind::Static, options,
      options.enablePreprocessing ? std::function<std::size_t(unsigned)>()
                                  : [&](unsigned x) { return busiestPart(pattern, x); });
  return supersteps(target, problem, SparseKind::Static, options, plan, pass);
}

Tensor sparseVariable(poplar::Graph &graph, const BSMatMulImpl &p, const poplar::Type &type,
                      const poplar::DebugContext &context) {
  const Tensor t = graph.addVariable(type, p.sparse(), context);
  poputil::mapTensorLinearly(graph, t, 0, unsigned(p.patterns[0].area()));
  return t;
}

} // namespace

BSMatMulParams::BSMatMulParams(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize,
                               const std::vector<unsigned char> &rhsSparsity, bool rhsNeedTranspose,
                               poplar::Type inDataType, poplar::Type outDataType,
                               poplar::Type partialDataType, unsigned numGroups) {
  checkTypes(inDataType, outDataType, partialDataType);
  checkBlocks(blockSize, inDataType);
  const auto order =
      rhsNeedTranspose ? std::array<unsigned, 2>{2, 1} : std::array<unsigned, 2>{1, 2};
  auto patterns = patternsOf("BSMatMulParams", {{dim[order[0]], dim[order[1]]}},
                             {{blockSize[order[0]], blockSize[order[1]]}}, rhsSparsity, numGroups);
  impl.reset(new BSMatMulImpl{positive(dim[0], "m"), positive(dim[1], "k"), positive(dim[2], "n"),
                              false, rhsNeedTranspose, std::move(patterns), inDataType, outDataType,
                              partialDataType, SubBlockMask::None});
}
BSMatMulParams::BSMatMulParams(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize,
                               const std::vector<unsigned char> &resSparsity,
                               poplar::Type inDataType, poplar::Type outDataType,
                               poplar::Type partialDataType, SubBlockMask subBlockMask,
                               unsigned numGroups) {
  checkTypes(inDataType, outDataType, partialDataType);
  checkBlocks(blockSize, inDataType);
  auto patterns = patternsOf("BSMatMulParams", {{dim[0], dim[2]}}, {{blockSize[0], blockSize[2]}},
                             resSparsity, numGroups);
  impl.reset(new BSMatMulImpl{positive(dim[0], "m"), positive(dim[1], "k"), positive(dim[2], "n"),
                              true, false, std::move(patterns), inDataType, outDataType,
                              partialDataType, subBlockMask});
}
BSMatMulParams::BSMatMulParams(BSMatMulParams &&other) = default;
BSMatMulParams::~BSMatMulParams() = default;

static Tensor denseVariable(poplar::Graph &graph, const BSMatMulImpl &p, std::size_t rows,
                            std::size_t columns, bool columnsOutermost,
                            const poplar::DebugContext &context) {
  std::vector<Tensor> groups;
  for (std::size_t g = 0; g < p.patterns.size(); ++g)
    groups.push_back(
        columnsOutermost
            ? dynamic::createDense(graph, p.in, columns, rows, context).transpose().expand({0})
            : dynamic::createDense(graph, p.in, rows, columns, context).expand({0}));
  return poplar::concat(groups).reshape(p.grouped(rows, columns));
}

Tensor createBSMatMulInputLHS(poplar::Graph &graph, const BSMatMulParams &bsMatMul,
                              const poplar::DebugContext &debugContext,
                              const poplar::OptionFlags &options) {
  parse(options);
  const BSMatMulImpl &p = *bsMatMul.impl;
  // Arithmetic runs along m for sparse operands and along k for sparse results.
  return denseVariable(graph, p, p.m, p.k, !p.sparseResult, debugContext);
}

Tensor createBSMatMulInputRHS(poplar::Graph &graph, const BSMatMulParams &bsMatMul,
                              const poplar::DebugContext &debugContext,
                              const poplar::OptionFlags &options) {
  parse(options);
  const BSMatMulImpl &p = *bsMatMul.impl;
  return p.sparseResult ? denseVariable(graph, p, p.k, p.n, true, debugContext)
                        : sparseVariable(graph, p, p.in, debugContext);
}

Tensor bsMatMul(poplar::Graph &graph, const BSMatMulParams &bsMatMulParams,
                poplar::program::Sequence &prog, const Tensor &lhsMatrix, const Tensor &rhsMatrix,
                const poplar::OptionFlags &options, const poplar::DebugContext &debugContext) {
  const BSMatMulImpl &p = *bsMatMulParams.impl;
  parse(options);
  dynamic::checkDense("bsMatMul", "left matrix", lhsMatrix, p.in, p.grouped(p.m, p.k));
  dynamic::checkDense("bsMatMul", "right matrix", rhsMatrix, p.in,
                      p.sparseResult ? p.grouped(p.k, p.n) : p.sparse());
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(lhsMatrix, rhsMatrix, options));
  const std::size_t groups = p.patterns.size();
  const bool halfPartials = p.partials == poplar::HALF;
  const Tensor lhs = lhsMatrix.reshape({groups, p.m, p.k});
  Tensor out;
  std::vector<Tensor> results;
  if (p.sparseResult && parse(options).passes > 1)
    throw poplar::invalid_option(
        "Option numberOfPass: a product whose result is sparse is computed "
        "in one pass; leave the option out, or give 1.");
  if (p.sparseResult)
    out = sparseVariable(graph, p, p.out, {di, "out"});
  std::size_t first = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    const Pattern &pattern = p.patterns[g];
    const std::size_t last = first + pattern.blocks.size();
    if (p.sparseResult) {
      const Tensor rhs = rhsMatrix.reshape({groups, p.k, p.n})[g];
      addPatternOuter(graph, pattern, lhs[g], rhs.transpose(), out.slice(first, last).flatten(),
                      triangleOf(p.mask), halfPartials,
                      planGroup(graph.getTarget(), p, pattern, p.k, options, Pass::GradW), prog,
                      {di, "bsMatMul"});
    } else {
      // (A S)^T = S^T A^T
      const Tensor y = dynamic::createDense(graph, p.out, p.n, p.m, {di, "out"});
      const std::size_t passes = std::min<std::size_t>(parse(options).passes, p.m);
      for (std::size_t pass = 0; pass < passes; ++pass) {
        const std::size_t begin = p.m * pass / passes, end = p.m * (pass + 1) / passes;
        addPatternMultiply(graph, pattern, rhsMatrix.slice(first, last).flatten(),
                           lhs[g].slice(begin, end).transpose(), y.slice(begin, end, 1), !p.stored,
                           halfPartials,
                           planGroup(graph.getTarget(), p, pattern, end - begin, options,
                                     p.stored ? Pass::Forward : Pass::GradA),
                           prog, {di, "bsMatMul"});
      }
      results.push_back(y.transpose().expand({0}));
    }
    first = last;
  }
  return p.sparseResult ? out : poplar::concat(results).reshape(p.grouped(p.m, p.n));
}

} // namespace experimental
} // namespace popsparse
