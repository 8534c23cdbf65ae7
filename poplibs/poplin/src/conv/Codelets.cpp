// SPDX-License-Identifier: MIT
// addCodelets: the operators of this library are whole-tensor kernels, found by name when an engine
// is loaded, so there is nothing to compile here. Programs that name its vertices themselves are
// told what to call instead: what stands in their work lists is not public.
#include "poplin/codelets.hpp"
#include "openipu/VertexProvider.hpp"
#include "popops/NamedVertices.hpp"

namespace poplin {

static std::string vertexSource(const std::string &name) {
  static const popops::named::Library library(
      "poplin", {},
      {{"ConvPartial*", "Call poplin::convolution or poplin::matMul."},
       {"Wgd*", "Call poplin::convolution."},
       {"OuterProduct", "Call poplin::matMul."},
       {"ReduceAdd", "Call popops::reduce."},
       {"InverseStdDeviation", "Call poplin::normStatistics."},
       {"Cholesky*", "Call poplin::cholesky."},
       {"Triangular*", "Call poplin::triangularSolve."},
       {"LUD*", "Call poplin::experimental::LUFactorization."},
       {"Householder", "Call poplin::experimental::QRFactorization."},
       {"PartialSquareElements", "Call poplin::experimental::QRFactorization."},
       {"RowCopy", "Call poplin::experimental::QRFactorization."},
       {"Update", "Call poplin::experimental::QRFactorization."}});
  return library.source(name);
}

void addCodelets(poplar::Graph &graph) { openipu::addVertexProvider(graph, vertexSource); }

} // namespace poplin
