// SPDX-License-Identifier: MIT
// Sparse products on Bow relative to dense ones of the same shape. The published number of columns
// is not known; 2048 is the largest of the dense rows that both types have.
#include "base/Text.hpp"
#include "Products.hpp"
#include "Row.hpp"
#include <popsparse/codelets.hpp>
#include <popsparse/MatMul.hpp>
#include <random>

namespace calibration {
namespace {

using namespace poplar;
constexpr std::size_t size = 4096, columns = 2048, inverseDensity = 16;

// The right number of blocks in every row of blocks, at random columns.
popsparse::CSRMatrix<float> matrixOf(std::size_t block) {
  std::minstd_rand random(1);
  const auto across = size / block, each = across / inverseDensity;
  std::vector<std::size_t> indices, starts{0};
  for (std::size_t row = 0; row < across; ++row) {
    std::vector<std::size_t> all(across);
    for (std::size_t i = 0; i < across; ++i)
      all[i] = i;
    for (std::size_t i = 0; i < each; ++i)
      std::swap(all[i], all[i + random() % (across - i)]);
    std::sort(all.begin(), all.begin() + std::ptrdiff_t(each));
    for (std::size_t i = 0; i < each; ++i)
      indices.push_back(all[i] * block);
    starts.push_back(indices.size() * block * block);
  }
  const std::vector<float> values(indices.size() * block * block, 1.0f);
  return popsparse::CSRMatrix<float>(size, size, values, indices, starts, {block, block});
}

double staticSeconds(const Type &type, std::size_t block) {
  namespace st = popsparse::static_;
  const auto device = deviceOf("bow");
  Graph graph(device.getTarget());
  popsparse::addCodelets(graph);
  const OptionFlags options{{"partialsType", type == HALF ? "half" : "float"}};
  const auto params = st::MatMulParams::createForSparseDense(1, size, size, columns);
  const auto matrix = matrixOf(block);
  const auto left = st::createSparseDenseMatMulLHS(graph, type, params, matrix, "a", options);
  const auto right = st::createSparseDenseMatMulRHS(graph, type, params, matrix, "b", options);
  program::Sequence program;
  st::sparseDenseMatMul(graph, left, right, program, false, false, "product", options);
  return compiledCycles(graph, program) / graph.getTarget().getTileClockFrequency();
}

double dynamicSeconds(const Type &type, std::size_t block) {
  namespace dy = popsparse::dynamic;
  const auto device = deviceOf("bow");
  Graph graph(device.getTarget());
  popsparse::addCodelets(graph);
  const OptionFlags options{{"partialsType", type == HALF ? "half" : "float"}};
  const dy::SparsityParams sparsity(block == 1 ? dy::SparsityType::Element
                                               : dy::SparsityType::Block,
                                    dy::SparsityStructure::Unstructured, {block, block});
  const auto params =
      dy::MatMulParams::createWithNzRatio(sparsity, 1.0 / inverseDensity, 1, size, size, columns);
  const auto left = dy::createSparseDenseMatMulLHS(graph, type, params, "a", options);
  const auto right = dy::createSparseDenseMatMulRHS(graph, type, params, "b", options);
  program::Sequence program;
  dy::sparseDenseMatMul(graph, left, right, program, false, false, "product", options);
  return compiledCycles(graph, program) / graph.getTarget().getTileClockFrequency();
}

} // namespace

void addSparseRows(Rows &rows) {
  const auto add = [&](const char *id, const Type &type, std::size_t block, auto seconds,
                       const char *how, double published) {
    rows.push_back(
        {id, "sparse", base::str(how, ", blocks of ", block, ", ", type, ", against dense, Bow"),
         published, Unit::TimesFaster, "PSP", [=] {
           return Figure{denseSeconds("bow", type, {size, size, columns}) / seconds(type, block),
                         ""};
         }});
    rows.back().setting("cycles per multiply");
  };
  add("G9", HALF, 16, staticSeconds, "static", 4.9);
  add("G10 static", HALF, 1, staticSeconds, "static", 0.7);
  add("G10 dynamic", HALF, 1, dynamicSeconds, "dynamic", 0.4);
  add("G11 block", FLOAT, 16, dynamicSeconds, "dynamic", 3.8);
  add("G11 static", FLOAT, 1, staticSeconds, "static", 1.4);
  add("G11 dynamic", FLOAT, 1, dynamicSeconds, "dynamic", 0.9);
}

} // namespace calibration
