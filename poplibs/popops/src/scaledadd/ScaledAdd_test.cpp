// SPDX-License-Identifier: MIT
#include "popops/ScaledAdd.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"

using namespace poplar;
using popops::scaledAddTo;
using popops::scaledSubtractFrom;

namespace {
struct Data {
  Tensor tensor;
  Doubles values;
};
Data make(Session &s, const Type &type, const Shape &shape) {
  const bool integer = type == INT || type == UNSIGNED_INT;
  auto values = integer ? s.integers(count(shape), 0, 90) : s.random(count(shape), -4, 4);
  return {s.input(type, shape, values), Session::stored(type, values)};
}
} // namespace

TEST(ScaledAdd, AllTypesFormsAndScalesMatchDoublePrecision) {
  Session s;
  struct Case {
    std::size_t output;
    Doubles expected;
    double relative, absolute;
    std::string what;
  };
  std::vector<Case> cases;
  struct Types {
    Type a, b, scale;
  };
  const Types types[] = {
      {FLOAT, FLOAT, FLOAT}, {HALF, HALF, HALF},   {HALF, HALF, FLOAT},
      {FLOAT, HALF, HALF},   {FLOAT, HALF, FLOAT}, {HALF, FLOAT, HALF},
      {HALF, FLOAT, FLOAT},  {INT, INT, INT},      {UNSIGNED_INT, UNSIGNED_INT, UNSIGNED_INT}};
  for (const auto &[ta, tb, ts] : types)
    for (const Shape &shape : {Shape{1}, Shape{13, 7}})
      for (bool tensors : {true, false})
        for (bool both : {true, false})
          for (bool subtract : {true, false}) {
            const bool integer = ta == INT || ta == UNSIGNED_INT;
            const auto a = make(s, ta, shape), b = make(s, tb, shape);
            const float scaleA = integer ? 3 : 0.75f, scaleB = integer ? 2 : 1.5f;
            auto &g = s.graph;
            if (tensors) {
              const auto sa = s.input(ts, {}, {scaleA}), sb = s.input(ts, {1}, {scaleB});
              if (both)
                subtract ? scaledSubtractFrom(g, a.tensor, sa, b.tensor, sb, s.prog)
                         : scaledAddTo(g, a.tensor, sa, b.tensor, sb, s.prog);
              else
                subtract ? scaledSubtractFrom(g, a.tensor, b.tensor, sb, s.prog)
                         : scaledAddTo(g, a.tensor, b.tensor, sb, s.prog);
            } else if (both)
              subtract ? scaledSubtractFrom(g, a.tensor, scaleA, b.tensor, scaleB, s.prog)
                       : scaledAddTo(g, a.tensor, scaleA, b.tensor, scaleB, s.prog);
            else
              subtract ? scaledSubtractFrom(g, a.tensor, b.tensor, scaleB, s.prog)
                       : scaledAddTo(g, a.tensor, b.tensor, scaleB, s.prog);
            Doubles expected;
            for (std::size_t i = 0; i < a.values.size(); ++i) {
              double y = (both ? scaleA : 1) * a.values[i] +
                         (subtract ? -1 : 1) * double(scaleB) * b.values[i];
              if (ta == UNSIGNED_INT && y < 0)
                y += 4294967296.0;
              expected.push_back(y);
            }
            cases.push_back({s.output(a.tensor), expected,
                             integer      ? 0
                             : ta == HALF ? 5e-4
                                          : 1e-6,
                             integer      ? 0
                             : ta == HALF ? 1e-4
                                          : 2e-6,
                             ta.toString() + " " + tb.toString() + " " + ts.toString()});
          }
  s.run();
  for (const auto &c : cases) {
    SCOPED_TRACE(c.what);
    expectClose(s.values(c.output), c.expected, c.relative, c.absolute);
  }
}

TEST(ScaledAdd, TheScaleIsRoundedToHalfOnlyWithinTheTolerance) {
  Session s;
  const float scale = 1.00048f; // as half: 1
  const auto a = s.input(HALF, {1}, {0}), b = s.input(HALF, {1}, {2047});
  const auto c = s.input(HALF, {1}, {0});
  scaledAddTo(s.graph, a, b, scale, s.prog);
  scaledAddTo(s.graph, c, b, scale, s.prog, {}, {{"scaleFloatToHalfTolerance", "0.01"}});
  // A tensor's value is looked at when the program runs.
  const auto tensor = s.input(FLOAT, {1}, {scale}), d = s.input(HALF, {1}, {0}),
             e = s.input(HALF, {1}, {0}), f = s.input(HALF, {1}, {0});
  scaledAddTo(s.graph, d, b, tensor, s.prog);
  scaledAddTo(s.graph, e, b, tensor, s.prog, {}, {{"scaleFloatToHalfTolerance", "0.01"}});
  scaledAddTo(s.graph, f, tensor, b, tensor, s.prog, "both",
              {{"scaleFloatToHalfTolerance", "0.01"}});
  const auto exact = s.output(a), rounded = s.output(c), exactToo = s.output(d),
             roundedToo = s.output(e), both = s.output(f);
  EXPECT_THROW(scaledAddTo(s.graph, a, b, scale, s.prog, {}, {{"tolerance", "1"}}), invalid_option);
  s.run();
  EXPECT_EQ(s.values(exact), (Doubles{2048}));
  EXPECT_EQ(s.values(rounded), (Doubles{2047}));
  EXPECT_EQ(s.values(exactToo), s.values(exact));
  EXPECT_EQ(s.values(roundedToo), s.values(rounded));
  EXPECT_EQ(s.values(both), s.values(rounded));
}

TEST(ScaledAdd, SpecialFormSubtractsTheScaledTensorFromItself) {
  Session s;
  const auto a = make(s, HALF, {40}), b = make(s, HALF, {40});
  scaledAddTo(s.graph, a.tensor, 0.25f, b.tensor, 0.5f, s.prog,
              popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY);
  Doubles expected;
  for (std::size_t i = 0; i < 40; ++i)
    expected.push_back(0.75 * a.values[i] + 0.5 * b.values[i]);
  const auto f = s.input(FLOAT, {4}, Doubles(4));
  EXPECT_THROW(scaledAddTo(s.graph, f, 0.25f, f, 0.5f, s.prog,
                           popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY),
               poputil::poplibs_error);
  expectClose(s.run(a.tensor), expected, 5e-4, 1e-4);
}

TEST(ScaledAdd, ViewsAndOverlapsKeepTheOldValues) {
  Session s;
  const auto a = make(s, FLOAT, {5, 5});
  scaledAddTo(s.graph, a.tensor, a.tensor.transpose(), 2.0f, s.prog);
  const auto b = make(s, FLOAT, {8}), c = make(s, FLOAT, {16});
  scaledSubtractFrom(s.graph, b.tensor.reverse(0), c.tensor.subSample(2, 0), 0.5f, s.prog);
  const auto first = s.output(a.tensor), second = s.output(b.tensor);
  s.run();
  Doubles expected, other;
  for (std::size_t i = 0; i < 25; ++i)
    expected.push_back(a.values[i] + 2 * a.values[i % 5 * 5 + i / 5]);
  for (std::size_t i = 0; i < 8; ++i)
    other.push_back(b.values[i] - 0.5 * c.values[2 * (7 - i)]);
  expectClose(s.values(first), expected, 1e-6, 1e-6);
  expectClose(s.values(second), other, 1e-6, 1e-6);
}

TEST(ScaledAdd, MistakesAreRefused) {
  Session s;
  const auto f = s.input(FLOAT, {4}, Doubles(4)), h = s.input(HALF, {4}, Doubles(4));
  const auto i = s.input(INT, {4}, Doubles(4)), longer = s.input(FLOAT, {5}, Doubles(5));
  using poputil::poplibs_error;
  EXPECT_THROW(scaledAddTo(s.graph, f, longer, 1.0f, s.prog), poplibs_error);
  EXPECT_THROW(scaledAddTo(s.graph, f, i, 1.0f, s.prog), poplibs_error);
  EXPECT_THROW(scaledAddTo(s.graph, f, f, f, s.prog), poplibs_error);             // scale of four
  EXPECT_THROW(scaledAddTo(s.graph, f, f, h.slice(0, 1), s.prog), poplibs_error); // half scale
  EXPECT_THROW(scaledAddTo(s.graph, h, h.slice(0, 1), h, f.slice(0, 1), s.prog), poplibs_error);
  EXPECT_THROW(scaledAddTo(s.graph, f.slice(0, 1).broadcast(4, 0), f, 1.0f, s.prog), poplibs_error);
}
