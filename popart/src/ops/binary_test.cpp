// SPDX-License-Identifier: MIT
// Operators of two or more inputs that work element by element.
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

const std::string gc = "ai.graphcore";

struct Function {
  std::string type;
  double (*f)(double, double);
  bool hasGradient = true;
  ir::Attributes attributes = {};
};
double pythonRemainder(double a, double b) { return a - b * std::floor(a / b); }

const std::vector<Function> functions{
    {"Add", [](double a, double b) { return a + b; }},
    {"Sub", [](double a, double b) { return a - b; }},
    {"Mul", [](double a, double b) { return a * b; }},
    {"Div", [](double a, double b) { return a / b; }},
    {"Max", [](double a, double b) { return std::max(a, b); }},
    {"Min", [](double a, double b) { return std::min(a, b); }},
    {"Sum", [](double a, double b) { return a + b; }},
    {"Mean", [](double a, double b) { return (a + b) / 2; }},
    {"Atan2", [](double a, double b) { return std::atan2(a, b); }},
    {"ScaledAdd",
     [](double a, double b) { return 2 * a - 3 * b; },
     true,
     {{"scale0", 2.0f}, {"scale1", -3.0f}}},
    {"Fmod", [](double a, double b) { return std::fmod(a, b); }, false},
    {"Remainder", pythonRemainder, false},
    {"Mod", [](double a, double b) { return std::fmod(a, b); }, false, {{"fmod", std::int64_t(1)}}},
    {"Mod", pythonRemainder, false}};

Doubles spreadBoth(const Doubles &a, const Doubles &b, double (*f)(double, double)) {
  Doubles out; // [2,1,3] and [2,1]
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k)
        out.push_back(f(a[std::size_t(i * 3 + k)], b[std::size_t(j)]));
  return out;
}

std::string messageOf(const std::function<void()> &f) {
  try {
    f();
  } catch (const error &e) {
    return e.what();
  }
  return "no error";
}

} // namespace

TEST(BinaryOps, GiveTheFunctionsOfPairsWithBroadcasting) {
  for (DataType type : {DataType::FLOAT, DataType::FLOAT16}) {
    Model m;
    const Value a = m.input({2, 1, 3}, {-3.1, 2.7, 0.4, -0.6, 1.9, 5.3}, type),
                b = m.input({2, 1}, {-1.25, 2.5}, type);
    Values outputs;
    for (const auto &f : functions) {
      outputs.push_back(m.b.op(f.type, {a, b}, f.attributes));
      EXPECT_EQ(m.graph[outputs.back()].info, TensorInfo(type, {2, 2, 3}));
    }
    const auto results = m.run(outputs);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      SCOPED_TRACE(functions[i].type);
      const double digits = type == DataType::FLOAT ? 2e-6 : 3e-3;
      expectNear(results[i], spreadBoth(m.fed(a), m.fed(b), functions[i].f), digits, digits);
    }
  }
}

TEST(BinaryOps, HaveTheGradientsOfTheirFunctions) {
  for (const auto &f : functions) {
    SCOPED_TRACE(f.type);
    Model m;
    const Value a = m.input({2, 1, 3}, {-3.1, 2.7, 0.4, -0.6, 1.9, 5.3}),
                b = m.input({2, 1}, {-1.25, 2.5});
    const Value y = m.b.op(f.type, {a, b}, f.attributes);
    m.checkGradients(y, f.hasGradient ? Values{a, b} : Values{a});
  }
}

TEST(BinaryOps, FoldConstants) {
  const std::set<std::string> onDevice{"Atan2", "ScaledAdd"}; // no shape is computed with them
  for (const auto &f : functions) {
    SCOPED_TRACE(f.type);
    Model m;
    const Doubles av{-3.5, 2.75, 0.5, -0.625, 1.875, 5.25}, bv{-1.25, 2.5};
    const Value a = m.constant({2, 1, 3}, av), b = m.constant({2, 1}, bv);
    const Value y = m.b.op(f.type, {a, b}, f.attributes);
    ASSERT_EQ(bool(m.graph[y].data), !onDevice.count(f.type));
    if (m.graph[y].data)
      expectNear(m.graph[y].data.doubles(), spreadBoth(av, bv, f.f));
  }
}

// The processor has no quotient for it, and stops.
TEST(BinaryOps, FoldTheSmallestIntegerByMinusOne) {
  Model m;
  constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
  const Value a = m.b.constant(HostTensor::of<std::int64_t>({2}, {smallest, 7})),
              b = m.b.constant(HostTensor::of<std::int64_t>({2}, {-1, -1}));
  const auto folded = [&](const std::string &type, const ir::Attributes &attributes = {}) {
    return m.graph[m.b.op(type, {a, b}, attributes)].data.integers();
  };
  EXPECT_EQ(folded("Div"), (ir::Integers{smallest, -7}));
  EXPECT_EQ(folded("Mod"), (ir::Integers{0, 0}));
  EXPECT_EQ(folded("Mod", {{"fmod", std::int64_t(1)}}), (ir::Integers{0, 0}));
}

TEST(BinaryOps, CombineManyInputs) {
  Model m;
  Values all;
  double sum = 0;
  for (int i = 0; i < 100; ++i) {
    all.push_back(m.input({2}, {double(i % 17), double(-i)}));
    sum -= i;
  }
  expectNear(m.run(m.b.op("Sum", all)), {785, sum});
  expectNear(m.run(m.b.op("Max", all)), {16, 0});
  expectNear(m.run(m.b.op("Min", all)), {0, -99});
}

TEST(BinaryOps, ComputeIntegersOfEveryWidthAndWrapAround) {
  struct Case {
    DataType type;
    double a, b, sum, product, quotient;
  };
  for (const auto &c :
       {Case{DataType::UINT8, 200, 100, 44, 32, 2}, Case{DataType::INT8, 100, 60, -96, 112, 1},
        Case{DataType::INT16, 30000, 10000, -25536, -23808, 3},
        Case{DataType::UINT16, 60000, 10000, 4464, 17920, 6},
        Case{DataType::INT32, -7, 2, -5, -14, -3},
        Case{DataType::UINT32, 3e9, 2, 3000000002, 1705032704, 1.5e9},
        Case{DataType::INT64, 7, -2, 5, -14, -3}}) {
    SCOPED_TRACE(nameOf(c.type));
    Model m;
    const Value a = m.input({1}, {c.a}, c.type), b = m.input({1}, {c.b}, c.type);
    const auto y = m.run({m.b.add(a, b), m.b.mul(a, b), m.b.div(a, b), m.b.op("Max", {a, b}),
                          m.b.op("Min", {a, b}), m.b.op("Less", {a, b}), m.b.op("Equal", {a, a})});
    EXPECT_EQ(y[0][0], c.sum);
    EXPECT_EQ(y[1][0], c.product);
    EXPECT_EQ(y[2][0], c.quotient);
    EXPECT_EQ(y[3][0], std::max(c.a, c.b));
    EXPECT_EQ(y[4][0], std::min(c.a, c.b));
    EXPECT_EQ(y[5][0], c.a < c.b);
    EXPECT_EQ(y[6][0], 1);
  }
}

TEST(BinaryOps, ModulosOfIntegersHaveTheSignTheyPromise) {
  for (DataType type : {DataType::INT8, DataType::INT32, DataType::INT64}) {
    Model m;
    const Doubles av{-4, 7, 5, 4, -7, 8}, bv{2, -3, 8, -2, 3, 5};
    const Value a = m.input({6}, av, type), b = m.input({6}, bv, type);
    const ir::Attributes c{{"fmod", std::int64_t(1)}};
    const auto y = m.run({m.b.op("Mod", {a, b}), m.b.op("Mod", {a, b}, c)});
    expectNear(y[0], {0, -2, 5, 0, 2, 3});
    expectNear(y[1], {0, 1, 5, 0, -1, 3});
    const Value folded = m.b.op("Mod", {m.constant({6}, av, type), m.constant({6}, bv, type)});
    expectNear(m.graph[folded].data.doubles(), {0, -2, 5, 0, 2, 3});
  }
  Model m;
  const Value x = m.input({3}, {0, 4, 5}, DataType::UINT32);
  expectNear(m.run(m.b.op("IncrementMod", {x}, {{"increment", 2.0f}, {"modulus", 6.0f}})),
             {2, 0, 1});
}

TEST(BinaryOps, MaximaShareTheGradientOfEqualInputs) {
  Model m;
  const Value a = m.input({3}, {1, 2, 3}), b = m.input({3}, {1, 5, 0}), c = m.input({3}, {1, 5, 1});
  const Value y = m.b.op("Max", {a, b, c});
  const Value loss = m.b.reduceSum(y, {0}, false);
  const auto g = autodiff::differentiate(m.graph, {loss, m.b.scalar(1, loss), {a, b, c}});
  const auto got = m.run({y, g.at(a), g.at(b), g.at(c)});
  expectNear(got[0], {1, 5, 3});
  expectNear(got[1], {1.0 / 3, 0, 1});
  expectNear(got[2], {1.0 / 3, 0.5, 0});
  expectNear(got[3], {1.0 / 3, 0.5, 0});
}

TEST(BinaryOps, MaximaGiveTheGradientToTheFirstOfEqualInputsIfToldSo) {
  Model m;
  const Value a = m.input({3}, {1, 2, 3}), b = m.input({3}, {1, 5, 0}), c = m.input({3}, {1, 5, 1});
  const Value y = m.b.op("Max", {a, b, c}, {{"first_of_ties", std::int64_t(1)}});
  const Value loss = m.b.reduceSum(y, {0}, false);
  const auto g = autodiff::differentiate(m.graph, {loss, m.b.scalar(1, loss), {a, b, c}});
  const auto got = m.run({g.at(a), g.at(b), g.at(c)});
  expectNear(got[0], {1, 0, 1});
  expectNear(got[1], {0, 1, 0});
  expectNear(got[2], {0, 0, 0});
}

TEST(PowOp, RaisesToPowersOfOtherTypes) {
  Model m;
  const Value f = m.input({3}, {1, 2, 3}), h = m.input({3}, {1, 2, 3}, DataType::FLOAT16),
              i = m.input({3}, {4, 5, 6}, DataType::INT64),
              i32 = m.input({3}, {1, 2, 3}, DataType::INT32),
              u = m.input({3}, {1, 2, 3}, DataType::UINT32), e = m.input({3}, {4, 0.5, 2}),
              s = m.input({3}, {2, 2, 2}, DataType::INT8);
  const auto y = m.run({m.b.op("Pow", {f, i}), m.b.op("Pow", {i32, i}), m.b.op("Pow", {i32, e}),
                        m.b.op("Pow", {i, f}), m.b.op("Pow", {u, u}), m.b.op("Pow", {h, i}),
                        m.b.op("Pow", {s, i32})});
  expectNear(y[0], {1, 32, 729});
  expectNear(y[1], {1, 32, 729});
  expectNear(y[2], {1, 1, 9});
  expectNear(y[3], {4, 25, 216});
  expectNear(y[4], {1, 4, 27});
  expectNear(y[5], {1, 32, 729});
  expectNear(y[6], {2, 4, 8});
  const Value folded = m.b.op("Pow", {m.constant({2}, {2, -3}, DataType::INT64),
                                      m.constant({2}, {10, 3}, DataType::INT64)});
  expectNear(m.graph[folded].data.doubles(), {1024, -27});
}

TEST(PowOp, HasGradientsAlsoWhereBaseOrExponentIsZero) {
  Model m;
  const Value a = m.input({2, 3}, {0.5, 1.5, 2, 0.3, 1.1, 0.7}), b = m.input({3}, {2, -1.5, 0.5});
  m.checkGradients(m.b.op("Pow", {a, b}), {a, b});
  Model edge;
  const Value x = edge.input({4}, {0, 0, -2, 3}), y = edge.input({4}, {0, 2, 2, 0});
  const Value loss = edge.b.reduceSum(edge.b.op("Pow", {x, y}), {0}, false);
  const auto g = autodiff::differentiate(edge.graph, {loss, edge.b.scalar(1, loss), {x, y}});
  const auto got = edge.run({g.at(x), g.at(y)});
  expectNear(got[0], {0, 0, -4, 0});
  EXPECT_EQ(got[1][0], 0);
  EXPECT_EQ(got[1][1], 0);
  EXPECT_NEAR(got[1][3], std::log(3), 1e-6);
}

TEST(BinaryOps, BringTheAxisOfOpsetSixIntoPlace) {
  for (const char *type : {"Add", "Sub", "Mul", "Div", "Pow"}) {
    Model m;
    const Value a = m.randomInput({2, 3, 4}, 0.5, 2), b = m.randomInput({3}, 0.5, 2);
    const Value old =
        m.imported(type, {a, b}, {{"broadcast", std::int64_t(1)}, {"axis", std::int64_t(1)}}, 6)[0];
    const Value now = m.b.op(type, {a, m.b.reshape(b, {3, 1})});
    const auto y = m.run({old, now});
    EXPECT_EQ(y[0], y[1]) << type;
  }
  Model m;
  const Value a = m.randomInput({2, 3}), b = m.randomInput({2});
  const Value old = m.imported("Greater", {a, b},
                               {{"broadcast", std::int64_t(1)}, {"axis", std::int64_t(0)}}, 6)[0];
  EXPECT_EQ(m.run(old), m.run(m.b.op("Greater", {a, m.b.reshape(b, {2, 1})})));
  EXPECT_EQ(
      messageOf([&] {
        m.imported("Add", {a, b}, {{"broadcast", std::int64_t(1)}, {"axis", std::int64_t(2)}}, 6);
      }),
      "Add: axis 2 does not place [2] within [2,3].");
}

TEST(BinaryOps, CompareAndCombineTruths) {
  Model m;
  const Value a = m.input({4}, {1, 2, 3, NAN}), b = m.input({4}, {2, 2, 2, NAN});
  const Value p = m.input({4}, {0, 0, 1, 1}, DataType::BOOL),
              q = m.input({4}, {0, 1, 0, 1}, DataType::BOOL);
  const auto y = m.run(
      {m.b.op("Equal", {a, b}), m.b.op("Less", {a, b}), m.b.op("LessOrEqual", {a, b}),
       m.b.op("Greater", {a, b}), m.b.op("GreaterOrEqual", {a, b}), m.b.op("And", {p, q}),
       m.b.op("Or", {p, q}), m.b.op("Xor", {p, q}), m.b.op("Not", {p}), m.b.op("Equal", {p, q})});
  expectNear(y[0], {0, 1, 0, 0});
  expectNear(y[1], {1, 0, 0, 0});
  expectNear(y[2], {1, 1, 0, 0});
  expectNear(y[3], {0, 0, 1, 0});
  expectNear(y[4], {0, 1, 1, 0});
  expectNear(y[5], {0, 0, 0, 1});
  expectNear(y[6], {0, 1, 1, 1});
  expectNear(y[7], {0, 1, 1, 0});
  expectNear(y[8], {1, 1, 0, 0});
  expectNear(y[9], {1, 0, 0, 1});
  const Value t = m.constant({}, {1}, DataType::BOOL), f = m.constant({}, {0}, DataType::BOOL);
  EXPECT_EQ(m.graph[m.b.op("Xor", {t, f})].data.integers()[0], 1);
  EXPECT_EQ(m.graph[m.b.op("And", {t, f})].data.integers()[0], 0);
  EXPECT_EQ(m.graph[m.b.op("Not", {f})].data.integers()[0], 1);
  EXPECT_EQ(messageOf([&] {
              m.b.op("And", {p, a});
            }),
            "And: input 1 (\"input\") is FLOAT; it must be BOOL. Add a Cast.");
  const Value loss = m.b.reduceSum(m.b.cast(m.b.op("Less", {a, b}), DataType::FLOAT), {0}, false);
  autodiff::differentiate(m.graph, {loss, m.b.scalar(1, loss), {a}}); // the Cast ends the chain
}

TEST(BitwiseOps, WorkOnTheBitsOfEveryInteger) {
  for (DataType type : {DataType::UINT8, DataType::INT16, DataType::INT32, DataType::UINT32}) {
    SCOPED_TRACE(nameOf(type));
    Model m;
    const Value a = m.input({2}, {12, 3}, type), b = m.input({2}, {10, 5}, type);
    const auto y =
        m.run({m.b.op("BitwiseAnd", {a, b}), m.b.op("BitwiseOr", {a, b}),
               m.b.op("BitwiseXor", {a, b}), m.b.op("BitwiseNot", {m.b.op("BitwiseXnor", {a, b})}),
               m.b.op("BitwiseNot", {m.b.op("BitwiseNot", {a})})});
    expectNear(y[0], {8, 1});
    expectNear(y[1], {14, 7});
    expectNear(y[2], {6, 6});
    expectNear(y[3], {6, 6});
    expectNear(y[4], {12, 3});
  }
  for (DataType type : {DataType::UINT8, DataType::UINT16, DataType::UINT32}) {
    Model m;
    const Value a = m.input({3}, {16, 4, 200}, type), b = m.input({3}, {1, 2, 3}, type);
    const auto y = m.run({m.b.op("BitShift", {a, b}, {{"direction", std::string("RIGHT")}}),
                          m.b.op("BitShift", {a, b}, {{"direction", std::string("LEFT")}})});
    expectNear(y[0], {8, 1, 25});
    expectNear(y[1], {32, 16, type == DataType::UINT8 ? 64.0 : 1600.0});
  }
  Model m;
  const Value a = m.input({1}, {1}, DataType::UINT8);
  EXPECT_EQ(messageOf([&] {
              m.b.op("BitShift", {a, a}, {{"direction", std::string("UP")}});
            }),
            "BitShift: direction is \"UP\"; it must be \"LEFT\" or \"RIGHT\".");
}

TEST(ScaledAddOp, TakesItsScalesAsInputs) {
  Model m;
  const Value a = m.randomInput({3}), b = m.randomInput({3}), s = m.input({}, {2}),
              t = m.input({1}, {-1});
  const Value y = m.b.op("ScaledAdd", {a, b, s, t});
  Doubles want;
  for (std::size_t i = 0; i < 3; ++i)
    want.push_back(2 * m.fed(a)[i] - m.fed(b)[i]);
  expectNear(m.run(y), want);
  m.checkGradients(y, {a, b});
}

TEST(PReluOp, BroadcastsItsSlope) {
  Model m;
  const Value x = m.randomInput({2, 3, 2}), slope = m.randomInput({3, 1}),
              channels = m.randomInput({3});
  m.checkGradients(m.b.op("PRelu", {x, slope}), {x, slope});
  EXPECT_EQ(m.run(m.imported("PRelu", {x, channels}, {}, 6)[0]),
            m.run(m.b.op("PRelu", {x, m.b.reshape(channels, {3, 1})})));
  EXPECT_EQ(messageOf([&] {
              m.b.op("PRelu", {slope, x});
            }),
            "PRelu: the slope of shape [2,3,2] does not broadcast to [3,1].");
}

TEST(ClipOp, CutsOffAtBoundsThatAreConstantOrComputed) {
  Model m;
  const Value x = m.input({4}, {-2, -0.5, 0.5, 2}), lo = m.input({}, {-1}),
              hi = m.input({4}, {1, 1, 0, 1});
  const auto y = m.run({m.b.op("Clip", {x, lo, hi}), m.b.op("Clip", {x, ir::none, hi}),
                        m.b.op("Clip", {x, lo}), m.b.op("Clip", {x}),
                        m.imported("Clip", {x}, {{"max", 1.0f}}, 6)[0],
                        m.imported("Clip", {x, m.constant({1}, {0})}, {}, 11)[0]});
  expectNear(y[0], {-1, -0.5, 0, 1});
  expectNear(y[1], {-2, -0.5, 0, 1});
  expectNear(y[2], {-1, -0.5, 0.5, 2});
  expectNear(y[3], {-2, -0.5, 0.5, 2});
  expectNear(y[4], {-2, -0.5, 0.5, 1});
  expectNear(y[5], {0, 0, 0.5, 2});
  m.checkGradients(m.b.op("Clip", {x, lo, hi}), {x, lo, hi});
  const Value i = m.input({3}, {-100, 5, 100}, DataType::INT8);
  expectNear(m.run(m.b.op("Clip", {i, m.constant({}, {-10}, DataType::INT8),
                                   m.constant({}, {20}, DataType::INT8)})),
             {-10, 5, 20});
  const Value folded = m.b.op(
      "Clip", {m.constant({2}, {-5, 9}, DataType::INT64), m.constant({}, {0}, DataType::INT64)});
  expectNear(m.graph[folded].data.doubles(), {0, 9});
}

TEST(ClipOp, ACrossedMaximumTakesTheGradient) {
  Model m;
  const Value x = m.input({2}, {0, 9}), lo = m.input({}, {4}), hi = m.input({}, {1});
  const Value y = m.b.op("Clip", {x, lo, hi});
  const Value loss = m.b.reduceSum(y, {0}, false);
  const auto g = autodiff::differentiate(m.graph, {loss, m.b.scalar(1, loss), {x, lo, hi}});
  const auto got = m.run({y, g.at(x), g.at(lo), g.at(hi)});
  expectNear(got[0], {1, 1});
  expectNear(got[1], {0, 0});
  expectNear(got[2], {0});
  expectNear(got[3], {2});
}

TEST(CastOp, ConvertsBetweenAllTypes) {
  Model m;
  const Value x = m.input({4}, {-1.75, 0, 1.5, 300.25});
  const auto to = [&](DataType type, Value v) { return m.b.cast(v, type); };
  const Value i = to(DataType::INT32, x);
  const auto y = m.run({i, to(DataType::BOOL, x), to(DataType::FLOAT16, x), to(DataType::INT8, i),
                        to(DataType::UINT8, i), to(DataType::INT16, i), to(DataType::FLOAT, i),
                        to(DataType::FLOAT, to(DataType::UINT8, i)),
                        m.imported("Cast", {x}, {{"to", std::int64_t(7)}}, 9)[0],
                        m.b.op("CastLike", {x, i}), to(DataType::INT32, to(DataType::BOOL, x))});
  expectNear(y[0], {-1, 0, 1, 300});
  expectNear(y[1], {1, 0, 1, 1});
  expectNear(y[2], {-1.75, 0, 1.5, 300.25});
  expectNear(y[3], {-1, 0, 1, 44});
  expectNear(y[4], {255, 0, 1, 44});
  expectNear(y[5], {-1, 0, 1, 300});
  expectNear(y[6], {-1, 0, 1, 300});
  expectNear(y[7], {255, 0, 1, 44});
  expectNear(y[8], {-1, 0, 1, 300});
  expectNear(y[9], {-1, 0, 1, 300});
  expectNear(y[10], {1, 0, 1, 1});
  m.checkGradients(m.b.cast(m.b.cast(x, DataType::DOUBLE), DataType::FLOAT), {x});
}

TEST(CastOp, FoldsAsTheDeviceWould) {
  Model m;
  const Value big = m.constant({3}, {-1, 300, 70000}, DataType::INT64);
  expectNear(m.graph[m.b.cast(big, DataType::UINT8)].data.doubles(), {255, 44, 112});
  expectNear(m.graph[m.b.cast(big, DataType::INT16)].data.doubles(), {-1, 300, 4464});
  const Value real = m.constant({3}, {-1.75, 0, NAN});
  expectNear(m.graph[m.b.cast(real, DataType::INT64)].data.doubles(), {-1, 0, 0});
  expectNear(m.graph[m.b.cast(real, DataType::BOOL)].data.doubles(), {1, 0, 1});
  EXPECT_EQ(messageOf([&] {
              m.imported("Cast", {real}, {{"to", std::int64_t(8)}}, 9);
            }),
            "Cast: attribute \"to\" is STRING: tensors of this type cannot be held on the device.");
}

TEST(BinaryOps, RefuseMixedTypesAndShapesThatDoNotFit) {
  Model m;
  const Value a = m.randomInput({2, 3}), b = m.randomInput({2, 3}, -1, 1, DataType::FLOAT16),
              c = m.randomInput({4});
  EXPECT_EQ(messageOf([&] { m.b.sub(a, b); }),
            "Sub: its inputs have the types FLOAT (\"input\") and FLOAT16 (\"input/1\"). Nothing "
            "is promoted: add a Cast.");
  EXPECT_EQ(messageOf([&] {
              m.b.op("Max", {a, c});
            }),
            "Max: shapes [2,3] and [4] do not broadcast: dimension 1 is 3 and 4. Make them equal, "
            "or one of them 1.");
}
