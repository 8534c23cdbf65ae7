// SPDX-License-Identifier: MIT
#include "popops/SplineBasis.hpp"
#include "popops/SplineWeighting.hpp"
#include "Session.hpp"
#include <poputil/exceptions.hpp>

using namespace poplar;
using poputil::poplibs_error;

namespace {

// Basis function of degree m over knots at integers, by its recursion: 0 outside [0, m + 1).
double bSpline(unsigned m, double x) {
  if (m == 0)
    return x >= 0 && x < 1;
  return x / m * bSpline(m - 1, x) + (m + 1 - x) / m * bSpline(m - 1, x - 1);
}

TEST(Spline, BasisFollowsTheRecursionOfBSplines) {
  Session s;
  const std::size_t edges = 40;
  for (auto type : {FLOAT, HALF})
    for (unsigned degree = 1; degree <= 3; ++degree) {
      std::size_t products = (degree + 1) * (degree + 1);
      auto values = s.stored(type, s.random(edges * 2, 0, 0.999));
      auto pseudo = s.input(type, {edges, 2}, values);
      auto knots = s.input(INT, {2}, {5, 6}), open = s.input(UNSIGNED_CHAR, {2}, {1, 0});
      auto basis = s.graph.addVariable(type, {edges, products}, VariableMappingMethod::LINEAR);
      auto index = s.graph.addVariable(INT, {edges, products}, VariableMappingMethod::LINEAR);
      popops::splineBasis(s.graph, pseudo, knots, open, basis, index, degree, s.prog);
      auto b = s.output(basis), w = s.output(index);
      s.run();
      for (std::size_t e = 0; e < edges; ++e) {
        double v0 = double(float(values[2 * e]) * float(5 - int(degree)));
        double v1 = double(float(values[2 * e + 1]) * 6.0f);
        for (std::size_t p = 0; p < products; ++p) {
          unsigned k0 = p % (degree + 1), k1 = p / (degree + 1);
          // The k-th function that is not zero at u has had degree - k intervals behind it.
          double expected = bSpline(degree, v0 - std::floor(v0) + degree - k0) *
                            bSpline(degree, v1 - std::floor(v1) + degree - k1);
          double knot = (int(v0) + k0) % 5 + 5 * ((int(v1) + k1) % 6);
          ASSERT_NEAR(s.values(b)[e * products + p], expected, type == HALF ? 1e-3 : 2e-6);
          ASSERT_EQ(s.values(w)[e * products + p], knot);
        }
      }
      EXPECT_THROW(popops::splineBasis(s.graph, pseudo, knots, open, basis, index, 4, s.prog),
                   poplibs_error);
    }
}

TEST(Spline, WeightingSumsOverProductsAndChannels) {
  Session s;
  const std::size_t edges = 30, ins = 3, outs = 5, knots = 7, products = 4;
  auto x = s.stored(FLOAT, s.random(edges * ins)), w = s.random(knots * ins * outs),
       b = s.random(edges * products), k = s.integers(edges * products, 0, knots - 1);
  auto y = popops::splineWeighting(
      s.graph, s.input(FLOAT, {edges, ins}, x), s.input(FLOAT, {knots, ins, outs}, w),
      s.input(FLOAT, {edges, products}, b), s.input(INT, {edges, products}, k), s.prog);
  EXPECT_EQ(y.shape(), (Shape{edges, outs}));
  auto result = s.run(y);
  Doubles expected(edges * outs, 0);
  for (std::size_t e = 0; e < edges; ++e)
    for (std::size_t p = 0; p < products; ++p)
      for (std::size_t i = 0; i < ins; ++i)
        for (std::size_t o = 0; o < outs; ++o)
          expected[e * outs + o] += b[e * products + p] * x[e * ins + i] *
                                    w[(std::size_t(k[e * products + p]) * ins + i) * outs + o];
  expectClose(result, expected, 1e-5, 1e-5);
  auto wrong = s.graph.addVariable(FLOAT, {edges, 2}, VariableMappingMethod::LINEAR);
  auto index = s.graph.addVariable(INT, {edges, 2}, VariableMappingMethod::LINEAR);
  auto weight = s.graph.addVariable(FLOAT, {knots, ins, outs}, VariableMappingMethod::LINEAR);
  EXPECT_THROW(popops::splineWeighting(s.graph, wrong, weight, wrong, index, s.prog),
               poplibs_error);
}

} // namespace
