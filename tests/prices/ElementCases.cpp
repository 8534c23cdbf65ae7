// SPDX-License-Identifier: MIT
// Operators of popops, poprand and gcl.
#include "Prices.hpp"
#include <gcl/Collectives.hpp>
#include <poplar/MetadataCreation.hpp>
#include <popops/Cast.hpp>
#include <popops/CircBuf.hpp>
#include <popops/CumulativeSum.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Fill.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/Loop.hpp>
#include <popops/NaN.hpp>
#include <popops/NormaliseImage.hpp>
#include <popops/Rearrange.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/SequenceSlice.hpp>
#include <popops/Sort.hpp>
#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>
#include <popops/TopK.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <poprand/RandomGen.hpp>

using namespace poplar;

namespace prices {
namespace {

void elementWise(Build &b) {
  namespace pe = popops::expr;
  auto x = b.floats({40, 300}), y = b.floats({40, 300}), row = b.floats({300}),
       column = b.floats({40, 1}), one = b.floats({1}), flags = b.variable(BOOL, {40, 300});
  popops::add(b.graph, x, y, b.prog);
  popops::addInPlace(b.graph, x, y, b.prog);
  popops::add(b.graph, x, row, b.prog);
  popops::mulInPlace(b.graph, x, column, b.prog);
  popops::mul(b.graph, x, one, b.prog);
  popops::exp(b.graph, x, b.prog);
  popops::expInPlace(b.graph, b.halves({1000}), b.prog);
  popops::select(b.graph, x, y, flags, b.prog);
  popops::clamp(b.graph, x, y, x, b.prog);
  popops::map(b.graph, pe::Add(pe::Mul(pe::_1, pe::_2), pe::Const(2)), {x, y}, b.prog);
  popops::scaledAddTo(b.graph, x, y, 0.5f, b.prog);
  popops::scaledSubtractFrom(b.graph, x, 0.5f, y, 0.25f, b.prog);
  popops::fill(b.graph, x, b.prog, 3.0f);
  popops::cast(b.graph, x, HALF, b.prog);
  popops::normaliseImage(b.graph, b.prog, b.halves({8, 8, 3}), 1, b.halves({3}), b.halves({3}));
}

void eightBits(Build &b) {
  auto scale = b.variable(INT, {1});
  auto metadata =
      createVariableMetadataTensor(b.graph, QuarterMetadata::Format::F143, scale, b.prog, {});
  popops::cast(b.graph, b.halves({500}), QUARTER, metadata, b.prog);
}

void reductions(Build &b) {
  auto x = b.floats({64, 200}), all = b.variable(BOOL, {64});
  popops::reduce(b.graph, x, {0}, {popops::Operation::ADD}, b.prog);
  popops::reduce(b.graph, x, {1}, {popops::Operation::MAX}, b.prog);
  popops::reduce(b.graph, b.halves({6, 6, 6, 60}), {0, 2}, {popops::Operation::SQUARE_ADD}, b.prog);
  popops::reduce(b.graph, all, {0}, {popops::Operation::LOGICAL_AND}, b.prog);
  popops::hasNaN(b.graph, x, b.prog);
  popops::hasNaNOrInf(b.graph, x, b.prog);
  popops::cumulativeSum(b.graph, x, 1, b.prog);
  popops::histogram(b.graph, x, b.floats({3}), true, b.prog);
  popops::histogram(b.graph, x, b.floats({30}), false, b.prog);
}

void slices(Build &b) {
  auto x = b.floats({60, 90}), at = b.indices({1});
  popops::dynamicSlice(b.graph, x, at, {0}, {2}, b.prog);
  popops::dynamicUpdate(b.graph, x, b.floats({2, 90}), at, {0}, {2}, b.prog);
  const auto plan = popops::embedding::plan(b.graph, FLOAT, 5000, 40, {300}, {});
  auto table = popops::createSliceableTensor(b.graph, FLOAT, {5000, 40}, {0}, {1}, plan, {});
  auto offsets = popops::createIndicesTensor(b.graph, {0}, 300, plan, {});
  auto scale = b.floats({});
  b.graph.setTileMapping(scale, 0);
  auto rows = popops::multiSlice(b.graph, table, offsets, {0}, {1}, b.prog, plan, {});
  popops::multiUpdateAdd(b.graph, table, rows, offsets, scale, {0}, {1}, b.prog, plan, {});
  popops::multiUpdate(b.graph, table, rows, offsets, {0}, {1}, b.prog, plan, {});
  popops::selectScalarFromRows(b.graph, x, b.indices({60}), b.prog);
  popops::updateScalarInRows(b.graph, x, b.indices({60}), b.prog);
  popops::CircBuf buffer(b.graph, FLOAT, 7, {500});
  buffer.add(b.floats({500}), b.prog);
  buffer.prev(1, b.prog);
}

void sequences(Build &b) {
  auto x = b.floats({20, 30}), y = b.floats({20, 30}), n = b.indices({3}), from = b.indices({3}),
       to = b.indices({3});
  popops::sequenceSlice(b.graph, x, y, n, from, to, false, b.prog);
}

void encodings(Build &b) {
  popops::iota(b.graph, b.indices({900}), 0u, b.prog);
  popops::encodeOneHot(b.graph, b.indices({30}), b.halves({30, 100}), b.prog);
}

void sorting(Build &b) {
  popops::sort(b.graph, b.floats({900}), 0, b.prog);
  popops::topK(b.graph, b.prog, b.floats({8, 300}), {5, true, popops::SortOrder::DESCENDING});
}

void loops(Build &b) {
  auto x = b.floats({100}), limit = b.variable(INT, {1});
  program::Sequence body;
  popops::addInPlace(b.graph, x, x, body);
  b.prog.add(popops::countedForLoop(b.graph, 0, limit, 1, body));
  b.prog.add(popops::countedLoop(b.graph, 5, [&](const Tensor &) { return body; }));
}

void splines(Build &b) {
  auto basis = b.floats({50, 4}), pseudo = b.floats({50, 2});
  auto index = b.variable(INT, {50, 4}), size = b.variable(INT, {2});
  auto open = b.variable(UNSIGNED_CHAR, {2});
  popops::splineBasis(b.graph, pseudo, size, open, basis, index, 1, b.prog);
  popops::splineWeighting(b.graph, b.floats({50, 6}), b.floats({25, 6, 8}), basis, index, b.prog);
}

void rearranging(Build &b) {
  auto x = b.halves({64, 64});
  popops::rearrange::regroupIfBeneficial(b.graph, x, x.transpose(), b.prog);
}

void random(Build &b) {
  auto seed = b.indices({2}), x = b.floats({700}), mask = b.floats({1});
  poprand::setSeed(b.graph, seed, 1, b.prog);
  poprand::uniform(b.graph, &seed, 0, x, FLOAT, 0, 1, b.prog);
  poprand::uniform(b.graph, nullptr, 0, x, INT, 0, 9, b.prog);
  poprand::logUniform(b.graph, nullptr, 0, x, FLOAT, 1, 9, b.prog);
  poprand::bernoulli(b.graph, nullptr, 0, x, HALF, 0.5, b.prog);
  poprand::normal(b.graph, nullptr, 0, x, HALF, 0, 1, b.prog);
  poprand::truncatedNormal(b.graph, nullptr, 0, x, FLOAT, 0, 1, 1, b.prog);
  poprand::dropout(b.graph, nullptr, 0, x, x, 0.5, 2, b.prog);
  poprand::shapedDropout(b.graph, nullptr, 0, x, mask, 0.5, 2, b.prog);
}

void across(Build &b) {
  gcl::allReduceCrossReplica(b.graph, b.floats({4000}), gcl::CollectiveOperator::ADD, b.prog);
}
void within(Build &b) {
  gcl::allReduceWithinReplica(b.graph, b.floats({2, 4000}), gcl::CollectiveOperator::ADD, b.prog);
}

} // namespace

Cases elementCases() {
  return {{"element-wise", elementWise},
          {"8-bit floats", eightBits},
          {"reductions", reductions},
          {"slices", slices},
          {"sequences", sequences},
          {"encodings", encodings},
          {"sorting", sorting},
          {"loops", loops},
          {"splines", splines},
          {"rearranging", rearranging},
          {"random", random},
          {"across replicas", across, 2, 2},
          {"within replicas", within, 2}};
}

} // namespace prices
