// SPDX-License-Identifier: MIT
#include "popops/Rearrange.hpp"
#include "Session.hpp"
#include <poputil/exceptions.hpp>

using namespace poplar;
namespace rearrange = popops::rearrange;

namespace {

TEST(Rearrange, PartialTransposeExchangesTheLastTwoDimensions) {
  Session s;
  auto values = s.integers(2 * 37 * 70, -99, 99);
  auto in = s.input(HALF, {2, 37, 70}, values);
  auto cs = s.graph.addComputeSet("turn");
  auto out = rearrange::partialTranspose(s.graph, in, cs);
  EXPECT_EQ(out.shape(), (Shape{2, 70, 37}));
  EXPECT_TRUE(out.isContiguous());
  s.prog.add(program::Execute(cs));
  auto read = s.output(out.dimShuffle({0, 2, 1}));
  s.run();
  EXPECT_EQ(s.values(read), values);
}

TEST(Rearrange, RegroupingKeepsValuesAndChangesTheLayout) {
  Session s;
  auto values = s.integers(8 * 16 * 32, -99, 99);
  auto in = s.input(HALF, {8, 16, 32}, values);
  auto ref =
      s.graph.addVariable(HALF, {8, 32, 16}, VariableMappingMethod::LINEAR).dimShuffle({0, 2, 1});
  auto regrouped = rearrange::regroupIfBeneficial(s.graph, in, ref, s.prog);
  EXPECT_NE(regrouped, in);
  EXPECT_EQ(poputil::detectDimGroupings(s.graph, regrouped).at(0).first, 1u);
  EXPECT_EQ(rearrange::regroupIfBeneficial(s.graph, in, in, s.prog), in);
  auto cs = s.graph.addComputeSet("turn");
  std::vector<program::Copy> copies;
  auto other = rearrange::regroupTensor(s.graph, in, copies, cs, {2, 32}, {0, 8});
  for (const auto &copy : copies)
    s.prog.add(copy);
  s.prog.add(program::Execute(cs));
  auto possible = rearrange::regroupIfPossible(s.graph, in, s.prog, {1, 4});
  EXPECT_EQ(rearrange::regroupIfPossible(s.graph, in, s.prog, {1, 5}), in);
  auto preferred = rearrange::regroupIfBeneficial(s.graph, in.dimShuffle({0, 2, 1}), 8, s.prog);
  auto a = s.output(regrouped), b = s.output(other), c = s.output(possible),
       d = s.output(preferred.dimShuffle({0, 2, 1}));
  s.run();
  for (auto output : {a, b, c, d})
    EXPECT_EQ(s.values(output), values);
  EXPECT_THROW(rearrange::regroupTensor(s.graph, in, copies, cs, {2, 32}, {0, 3}),
               poputil::poplibs_error);
}

TEST(Rearrange, TransposesListsOfMatrices) {
  Session s;
  auto values = s.integers(6 * 12, -99, 99);
  auto in = s.input(FLOAT, {6, 12}, values);
  auto out = s.graph.addVariable(FLOAT, {6, 12}, VariableMappingMethod::LINEAR);
  auto cs = s.graph.addComputeSet("turn");
  Graph::TileToTensorMapping mapping(16);
  mapping[2] = {Interval(0, 2)};
  mapping[5] = {Interval(2, 6)};
  rearrange::addTransposeVertices(s.graph, cs, FLOAT, 3, 4, mapping, [&](std::size_t i) {
    return std::pair<const Tensor, const Tensor>(in[i], out[i]);
  });
  s.prog.add(program::Execute(cs));
  auto read = s.output(out);
  s.run();
  for (std::size_t m = 0; m < 6; ++m)
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 4; ++c)
        EXPECT_EQ(s.values(read)[m * 12 + c * 3 + r], values[m * 12 + r * 4 + c]);
  const auto &target = s.graph.getTarget();
  EXPECT_TRUE(rearrange::canUseFastTranspose(target, HALF, 16, 8, 3));
  EXPECT_FALSE(rearrange::canUseFastTranspose(target, FLOAT, 16, 8, 3));
  EXPECT_FALSE(rearrange::canUseFastTranspose(target, HALF, 15, 8, 3));
}

} // namespace
