// SPDX-License-Identifier: MIT
// Static sparse products and their partitioner: values are kept in the order of compressed rows.
#include "popsparse/MatMul.hpp"
#include "base/Text.hpp"
#include "dynamic/Planned.hpp"
#include "popsparse/Convert.hpp"
#include "popsparse/SparsePartitioner.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include "static/Pattern.hpp"

namespace popsparse {
namespace static_ {

using poplar::Tensor;
using poputil::poplibs_error;

namespace {

struct Known : poputil::TensorMetaDataBase {
  MatMulParams params;
  Pattern pattern;
  poplar::Type type;
  Known(const MatMulParams &p, Pattern s, const poplar::Type &t)
      : params(p), pattern(std::move(s)), type(t) {}
  std::unique_ptr<TensorMetaDataBase> clone() const override {
    return std::unique_ptr<TensorMetaDataBase>(new Known(*this));
  }
};

// Rows and columns of the sparse operand.
std::array<std::size_t, 2> shapeOf(const MatMulParams &params) {
  if (params.isSparseDense())
    return {{params.getM(), params.getK()}};
  return {{params.getK(), params.getM()}};
}

// Checked against the parameters; matrices that do not say their shape take it from there.
template <class Matrix> Matrix shaped(const MatMulParams &params, Matrix matrix) {
  const auto [rows, columns] = shapeOf(params);
  if (matrix.numRows == 0 && matrix.numColumns == 0) {
    matrix.numRows = rows;
    matrix.numColumns = columns;
  }
  if (matrix.numRows != rows || matrix.numColumns != columns)
    throw poplibs_error(base::str("A sparse matrix of ", matrix.numRows, "x", matrix.numColumns,
                                  " is given, but the parameters say ", rows, "x", columns, "."));
  return matrix;
}

template <class T> Pattern patternOf(const COOMatrix<T> &m) {
  dynamic::SparsityParams blocks(dynamic::SparsityType::Block,
                                 dynamic::SparsityStructure::Unstructured, m.blockDimensions);
  dynamic::MatMulParams::createWithNumNonZeroValues(blocks, m.nzValues.size(), 1, m.numRows,
                                                    m.numColumns, 1); // refuses bad blocks
  Pattern out{m.numRows / m.blockDimensions[0],
              m.numColumns / m.blockDimensions[1],
              m.blockDimensions[0],
              m.blockDimensions[1],
              {}};
  for (std::size_t i = 0; i < m.rowIndices.size(); ++i)
    out.blocks.push_back({std::uint32_t(m.rowIndices[i] / m.blockDimensions[0]),
                          std::uint32_t(m.columnIndices[i] / m.blockDimensions[1])});
  return out;
}

void checkType(const poplar::Type &type) {
  if (type != poplar::FLOAT && type != poplar::HALF)
    throw poplibs_error(
        base::str("Sparse matrices are of type float or half, not ", type.toString(), "."));
}

template <class T>
SparseTensor create(poplar::Graph &graph, const poplar::Type &type, const MatMulParams &params,
                    const CSRMatrix<T> &matrix, const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options) {
  parseStaticOptions(options); // refuses what the product would refuse
  checkType(type);
  const Pattern pattern = patternOf(toCOO(shaped(params, matrix)));
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, options));
  const Tensor values =
      graph.addVariable(type, {pattern.blocks.size() * pattern.area()}, {di, "nzValues"});
  poputil::mapTensorLinearly(graph, values, 0, unsigned(pattern.area()));
  return SparseTensor(values, poputil::TensorMetaData(std::unique_ptr<poputil::TensorMetaDataBase>(
                                  new Known(params, pattern, type))));
}

// S x (or its transpose times x) for rows x [..][n].
Tensor product(const char *call, poplar::Graph &graph, const SparseTensor &sparse, const Tensor &x,
               bool transposed, poplar::program::Sequence &prog,
               const poplar::DebugContext &context, const poplar::OptionFlags &flags) {
  const auto &known = *dynamic_cast<const Known *>(sparse.getOpMetaData().getData());
  const Pattern &pattern = known.pattern;
  const SparseOptions options = parseStaticOptions(flags);
  Problem p;
  p.rows = pattern.lines * pattern.blockRows;
  p.columns = pattern.stacks * pattern.blockColumns;
  p.dense = x.dim(1);
  p.blocks = pattern.blocks.size();
  p.blockRows = pattern.blockRows;
  p.blockColumns = pattern.blockColumns;
  p.type = known.type;
  dynamic::checkDense(call, "tensor of non-zero values", sparse.getNzValuesTensor(), known.type,
                      {pattern.blocks.size() * pattern.area()});
  // Preprocessing orders rows so that parts are alike; without it the fullest part decides.
  const auto plan = planSparse(
      graph.getTarget(), p, SparseKind::Static, options,
      options.enablePreprocessing ? std::function<std::size_t(unsigned)>()
                                  : [&](unsigned n) { return busiestPart(pattern, n); });
  const Tensor y = dynamic::createDense(graph, known.type, transposed ? p.columns : p.rows, p.dense,
                                        {context, "out"});
  addPatternMultiply(graph, pattern, sparse.getNzValuesTensor(), x, y, transposed,
                     options.partialsType == poplar::HALF,
                     supersteps(graph.getTarget(), p, SparseKind::Static, options, plan,
                                transposed ? Pass::GradA : Pass::Forward),
                     prog, context);
  return y;
}

const Known &knownOf(const char *call, const SparseTensor &sparse) {
  const auto *known = dynamic_cast<const Known *>(sparse.getOpMetaData().getData());
  if (!known)
    throw poplibs_error(base::str(call, ": the sparse operand does not know its pattern. Make it "
                                        "with one of the create functions, or pass on its "
                                        "getOpMetaData()."));
  return *known;
}

} // namespace

template <class T>
SparseTensor createSparseDenseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                        const MatMulParams &params, const CSRMatrix<T> &matrix,
                                        const poplar::DebugContext &debugContext,
                                        const poplar::OptionFlags &options, PlanningCache *) {
  return create(graph, inputType, params, matrix, debugContext, options);
}
template <class T>
SparseTensor createDenseSparseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                        const MatMulParams &params, const CSRMatrix<T> &matrix,
                                        const poplar::DebugContext &debugContext,
                                        const poplar::OptionFlags &options, PlanningCache *) {
  return create(graph, inputType, params, matrix, debugContext, options);
}
template <class T>
Tensor createSparseDenseMatMulRHS(poplar::Graph &graph, const poplar::Type &inputType,
                                  const MatMulParams &params, const CSRMatrix<T> &,
                                  const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options, PlanningCache *) {
  parseStaticOptions(options);
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(inputType, options));
  return dynamic::createDense(graph, inputType, params.getK(), params.getN(), {di, "rhs"})
      .expand({0});
}
template <class T>
Tensor createDenseSparseMatMulLHS(poplar::Graph &graph, const poplar::Type &inputType,
                                  const MatMulParams &params, const CSRMatrix<T> &,
                                  const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options, PlanningCache *) {
  parseStaticOptions(options);
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(inputType, options));
  // Stored as [k][n]: the arithmetic runs along n.
  return dynamic::createDense(graph, inputType, params.getK(), params.getN(), {di, "lhs"})
      .transpose()
      .expand({0});
}

Tensor sparseDenseMatMul(poplar::Graph &graph, const SparseTensor &lhs, const Tensor &rhs,
                         poplar::program::Sequence &prog, bool transposeLHS, bool transposeRHS,
                         const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options, PlanningCache *) {
  const Known &known = knownOf("sparseDenseMatMul", lhs);
  const auto [rows, columns] = shapeOf(known.params);
  const std::size_t in = transposeLHS ? rows : columns, n = known.params.getN();
  dynamic::checkDense("sparseDenseMatMul", "dense operand", rhs, known.type,
                      transposeRHS ? std::vector<std::size_t>{1, n, in}
                                   : std::vector<std::size_t>{1, in, n});
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(rhs, transposeLHS, transposeRHS, options));
  return product("sparseDenseMatMul", graph, lhs, transposeRHS ? rhs[0].transpose() : rhs[0],
                 transposeLHS, prog, {di, "sparseDenseMatMul"}, options)
      .expand({0});
}

// A S = (S^T A^T)^T.
Tensor denseSparseMatMul(poplar::Graph &graph, const Tensor &lhs, const SparseTensor &rhs,
                         poplar::program::Sequence &prog, bool transposeLHS, bool transposeRHS,
                         const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options, PlanningCache *) {
  const Known &known = knownOf("denseSparseMatMul", rhs);
  const auto [rows, columns] = shapeOf(known.params);
  const std::size_t in = transposeRHS ? columns : rows, n = known.params.getN();
  dynamic::checkDense("denseSparseMatMul", "dense operand", lhs, known.type,
                      transposeLHS ? std::vector<std::size_t>{1, in, n}
                                   : std::vector<std::size_t>{1, n, in});
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(lhs, transposeLHS, transposeRHS, options));
  return product("denseSparseMatMul", graph, rhs, transposeLHS ? lhs[0] : lhs[0].transpose(),
                 !transposeRHS, prog, {di, "denseSparseMatMul"}, options)
      .transpose()
      .expand({0});
}

template <class T> struct Partitioner<T>::Impl {
  MatMulParams params;
  std::string name;
};

template <class T>
Partitioner<T>::Partitioner(const MatMulParams &params, const poplar::Type &dataType,
                            const poplar::Target &, const poplar::OptionFlags &options,
                            PlanningCache *, std::string name)
    : impl_(new Impl{params, std::move(name)}) {
  checkType(dataType);
  parseStaticOptions(options);
}
template <class T> Partitioner<T>::~Partitioner() = default;

template <class T>
SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const COOMatrix<T> &matrix) const {
  const COOMatrix<T> m = sorted(shaped(impl_->params, matrix));
  return {m.nzValues, m.columnIndices, m.rowIndices, m.blockDimensions};
}
template <class T>
SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const CSRMatrix<T> &matrix) const {
  return createSparsityDataImpl(toCOO(shaped(impl_->params, matrix)));
}
template <class T>
SparsityDataImpl<T> Partitioner<T>::createSparsityDataImpl(const CSCMatrix<T> &matrix) const {
  return createSparsityDataImpl(toCOO(shaped(impl_->params, matrix)));
}
template <class T>
COOMatrix<T> Partitioner<T>::sparsityDataImplToCOOMatrix(const SparsityDataImpl<T> &data) const {
  const auto [rows, columns] = shapeOf(impl_->params);
  return sorted(COOMatrix<T>(rows, columns, data.nzValues, data.columnIndices, data.rowIndices,
                             data.blockDimensions));
}
template <class T>
CSRMatrix<T> Partitioner<T>::sparsityDataImplToCSRMatrix(const SparsityDataImpl<T> &data) const {
  return toCSR(sparsityDataImplToCOOMatrix(data));
}
template <class T>
CSCMatrix<T> Partitioner<T>::sparsityDataImplToCSCMatrix(const SparsityDataImpl<T> &data) const {
  return toCSC(sparsityDataImplToCOOMatrix(data));
}

#define POPSPARSE_FOR(T)                                                                           \
  template class Partitioner<T>;                                                                   \
  template SparseTensor createSparseDenseMatMulLHS(                                                \
      poplar::Graph &, const poplar::Type &, const MatMulParams &, const CSRMatrix<T> &,           \
      const poplar::DebugContext &, const poplar::OptionFlags &, PlanningCache *);                 \
  template SparseTensor createDenseSparseMatMulRHS(                                                \
      poplar::Graph &, const poplar::Type &, const MatMulParams &, const CSRMatrix<T> &,           \
      const poplar::DebugContext &, const poplar::OptionFlags &, PlanningCache *);                 \
  template Tensor createSparseDenseMatMulRHS(                                                      \
      poplar::Graph &, const poplar::Type &, const MatMulParams &, const CSRMatrix<T> &,           \
      const poplar::DebugContext &, const poplar::OptionFlags &, PlanningCache *);                 \
  template Tensor createDenseSparseMatMulLHS(                                                      \
      poplar::Graph &, const poplar::Type &, const MatMulParams &, const CSRMatrix<T> &,           \
      const poplar::DebugContext &, const poplar::OptionFlags &, PlanningCache *);
POPSPARSE_FOR(float)
POPSPARSE_FOR(double)

} // namespace static_
} // namespace popsparse
