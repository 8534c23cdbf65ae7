// SPDX-License-Identifier: MIT
// Sequence slices against loops, and the layout of host tensors.
#include "popops/HostSliceTensor.hpp"
#include "popops/SequenceSlice.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"

using namespace poplar;
using popops::sequenceSlice;

namespace {

Doubles expectedRows(Doubles out, const Doubles &in, std::size_t columns, const Doubles &n,
                     const Doubles &from, const Doubles &to) {
  for (std::size_t i = 0; i != n.size(); ++i)
    for (std::size_t j = 0; j < std::size_t(n[i]); ++j) {
      auto f = std::size_t(from[i]) + j, t = std::size_t(to[i]) + j;
      if (f < in.size() / columns && t < out.size() / columns)
        std::copy_n(in.begin() + std::ptrdiff_t(f * columns), columns,
                    out.begin() + std::ptrdiff_t(t * columns));
    }
  return out;
}

} // namespace

TEST(SequenceSlice, CopiesRunsAndClearsTheRestIfAsked) {
  Session s;
  const Doubles n{3, 0, 2, 5, 9}, from{2, 1, 8, 0, 7}, to{0, 3, 4, 6, 18};
  auto tN = s.input(UNSIGNED_INT, {5}, n), tFrom = s.input(UNSIGNED_INT, {5}, from),
       tTo = s.input(UNSIGNED_INT, {5}, to);
  std::vector<std::size_t> outputs;
  std::vector<Doubles> expected;
  for (auto type : {FLOAT, HALF, INT, UNSIGNED_CHAR})
    for (bool zero : {false, true}) {
      auto in = s.integers(10 * 6, 0, 50), out = s.integers(20 * 6, 0, 50);
      auto tIn = s.input(type, {10, 2, 3}, in), tOut = s.input(type, {20, 6}, out);
      sequenceSlice(s.graph, tIn, tOut, tN, tFrom, tTo, zero, s.prog);
      outputs.push_back(s.output(tOut));
      expected.push_back(expectedRows(zero ? Doubles(out.size()) : out, in, 6, n, from, to));
    }
  auto in = s.random(10 * 6), out = s.random(20 * 6); // views
  auto tIn = s.input(FLOAT, {6, 10}, in), tOut = s.input(FLOAT, {6, 20}, out);
  sequenceSlice(s.graph, tIn.transpose(), tOut.transpose(), tN, tFrom, tTo, false, s.prog);
  auto inView = s.output(tIn.transpose()), outView = s.output(tOut.transpose());
  s.run();
  for (std::size_t i = 0; i != outputs.size(); ++i)
    EXPECT_EQ(s.values(outputs[i]), expected[i]) << "case " << i;
  const std::vector<float> stored(out.begin(), out.end());
  Doubles before(120);
  for (std::size_t r = 0; r != 20; ++r)
    for (std::size_t c = 0; c != 6; ++c)
      before[r * 6 + c] = stored[c * 20 + r];
  EXPECT_EQ(s.values(outView), expectedRows(before, s.values(inView), 6, n, from, to));
}

TEST(SequenceSlice, RefusesTensorsThatDoNotFit) {
  Session s;
  auto in = s.input(FLOAT, {4, 6}, Doubles(24)), out = s.input(FLOAT, {4, 5}, Doubles(20)),
       half = s.input(HALF, {4, 6}, Doubles(24)), n = s.input(UNSIGNED_INT, {2}, {1, 1}),
       one = s.input(UNSIGNED_INT, {1}, {1});
  using poputil::poplibs_error;
  EXPECT_THROW(sequenceSlice(s.graph, in, out, n, n, n, true, s.prog), poplibs_error);
  EXPECT_THROW(sequenceSlice(s.graph, in, half, n, n, n, true, s.prog), poplibs_error);
  EXPECT_THROW(sequenceSlice(s.graph, in, in[0], n, n, n, true, s.prog), poplibs_error);
  EXPECT_THROW(sequenceSlice(s.graph, in, in, n, one, n, true, s.prog), poplibs_error);
  EXPECT_THROW(sequenceSlice(s.graph, in, in, n, in[0], n, true, s.prog), poplibs_error);
}

TEST(HostSlice, RowsLieWholeOnTilesWithTheirIndices) {
  Session s(16);
  auto [indices, tensor] = popops::createHostSliceableTensor(s.graph, FLOAT, {20, 7}, true, 3);
  EXPECT_EQ(indices.shape(), Shape{20});
  EXPECT_EQ(tensor.shape(), (Shape{20, 7}));
  auto rows = s.graph.getTileMapping(indices), elements = s.graph.getTileMapping(tensor);
  for (std::size_t tile = 0; tile != 16; ++tile) {
    ASSERT_EQ(rows[tile].size(), 1u);
    EXPECT_EQ(elements[tile][0].begin(), rows[tile][0].begin() * 7);
    EXPECT_EQ(elements[tile][0].end(), rows[tile][0].end() * 7);
  }
  EXPECT_EQ(rows[3][0].begin(), 0u);
  auto t = popops::createHostTransferableTensor(s.graph, FLOAT, {10, 64}, false, 15);
  auto mapping = s.graph.getTileMapping(t);
  EXPECT_EQ(mapping[15], (std::vector<Interval>{{0, 64}}));
  EXPECT_EQ(mapping[0], (std::vector<Interval>{{64, 128}}));
  EXPECT_THROW(popops::createHostSliceableTensor(s.graph, FLOAT, {20}, true),
               poputil::poplibs_error);
  EXPECT_THROW(popops::createHostTransferableTensor(s.graph, FLOAT, {20}, true, 16),
               poputil::poplibs_error);
}
