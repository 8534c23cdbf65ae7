// SPDX-License-Identifier: MIT
#include "popops/Encoding.hpp"
#include "popops/SelectScalarFromRows.hpp"
#include "popops/UpdateScalarInRows.hpp"
#include "Session.hpp"
#include <poputil/exceptions.hpp>

using namespace poplar;
using poputil::poplibs_error;

namespace {

TEST(Encoding, OneHotRowsHaveOneAtTheIndex) {
  Session s;
  const Doubles indices{3, 0, 6, 4294967295.0, 7, 2};
  std::vector<std::pair<std::size_t, Doubles>> cases;
  for (auto indexType : {UNSIGNED_INT, INT})
    for (auto type : {FLOAT, HALF, INT, UNSIGNED_INT})
      for (int custom = 0; custom < 2; ++custom) {
        auto in = s.input(indexType, {6}, indices);
        auto out = s.graph.addVariable(type, {7, 6}, VariableMappingMethod::LINEAR).transpose();
        double on = custom ? 5 : 1, off = custom ? 2 : 0;
        if (custom)
          popops::encodeOneHot(s.graph, in, out, s.prog, s.input(type, {1}, {on}),
                               s.input(type, {}, {off}));
        else
          popops::encodeOneHot(s.graph, in, out, s.prog);
        Doubles expected(42, off);
        for (std::size_t i = 0; i < 6; ++i)
          if (indices[i] < 7)
            expected[i * 7 + std::size_t(indices[i])] = on;
        cases.push_back({s.output(out), expected});
      }
  s.run();
  for (const auto &[output, expected] : cases)
    EXPECT_EQ(s.values(output), expected);
  auto in = s.graph.addVariable(UNSIGNED_INT, {6}, VariableMappingMethod::LINEAR);
  auto wrong = s.graph.addVariable(FLOAT, {5, 7}, VariableMappingMethod::LINEAR);
  EXPECT_THROW(popops::encodeOneHot(s.graph, in, wrong, s.prog), poplibs_error);
  EXPECT_THROW(popops::encodeOneHot(s.graph, wrong[0], wrong, s.prog), poplibs_error);
}

TEST(Encoding, IotaCounts) {
  Session s;
  auto u = s.graph.addVariable(UNSIGNED_INT, {1000}, VariableMappingMethod::LINEAR);
  auto i = s.graph.addVariable(INT, {10}, VariableMappingMethod::LINEAR);
  popops::iota(s.graph, u, 7u, s.prog);
  popops::iota(s.graph, i.slice(1, 9).reverse(0), -3, s.prog);
  auto a = s.output(u), b = s.output(i.slice(1, 9));
  s.run();
  for (std::size_t n = 0; n < 1000; ++n)
    ASSERT_EQ(s.values(a)[n], double(n + 7));
  EXPECT_EQ(s.values(b), (Doubles{4, 3, 2, 1, 0, -1, -2, -3}));
  EXPECT_THROW(popops::iota(s.graph, u, 7, s.prog), poplibs_error);
  EXPECT_THROW(popops::iota(s.graph, u.reshape({10, 100}), 7u, s.prog), poplibs_error);
}

TEST(Encoding, ScalarsAreSelectedAndChangedInRows) {
  Session s;
  for (auto type : {FLOAT, HALF}) {
    auto t = s.input(type, {4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    auto indices = s.input(UNSIGNED_INT, {4}, {2, 0, 9, 4294967295.0});
    auto picked = s.output(popops::selectScalarFromRows(s.graph, t, indices, s.prog));
    popops::updateScalarInRows(s.graph, t, indices, s.prog);
    auto changed = s.output(t);
    s.run();
    expectClose(s.values(picked), {3, 4, NAN, 0}, 0);
    expectClose(s.values(changed), {1, 2, 2, 3, 5, 6, NAN, NAN, NAN, 10, 11, 12}, 0);
    EXPECT_THROW(popops::selectScalarFromRows(s.graph, t, indices.slice(0, 3), s.prog),
                 poplibs_error);
    EXPECT_THROW(popops::updateScalarInRows(s.graph, t[0], indices, s.prog), poplibs_error);
  }
}

} // namespace
