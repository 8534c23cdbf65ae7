// SPDX-License-Identifier: MIT
// All operators of one input that are functions of one number: values in FLOAT and FLOAT16 against
// <cmath> in double precision, and gradients against differences.
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

struct Function {
  std::string type;
  double (*f)(double);
  double lo, hi;
  bool hasGradient = true;
  ir::Attributes attributes = {};
  std::string domain = "";
};
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
const double beta = std::sqrt(2 / M_PI);
const std::string gc = "ai.graphcore";

const std::vector<Function> functions{
    {"Abs", [](double x) { return std::fabs(x); }, -3, 3},
    {"Neg", [](double x) { return -x; }, -3, 3},
    {"Sqrt", [](double x) { return std::sqrt(x); }, 0.5, 9},
    {"Exp", [](double x) { return std::exp(x); }, -2, 2},
    {"Expm1", [](double x) { return std::expm1(x); }, -0.1, 0.1, true, {}, gc},
    {"Log", [](double x) { return std::log(x); }, 0.5, 9},
    {"Log1p", [](double x) { return std::log1p(x); }, -0.1, 0.1, true, {}, gc},
    {"Reciprocal", [](double x) { return 1 / x; }, 0.5, 4},
    {"Erf", [](double x) { return std::erf(x); }, -2, 2},
    {"Erfc", [](double x) { return std::erfc(x); }, -2, 2, true, {}, "openipu"},
    {"Sin", [](double x) { return std::sin(x); }, -3, 3},
    {"Cos", [](double x) { return std::cos(x); }, -3, 3},
    {"Tan", [](double x) { return std::tan(x); }, -1, 1},
    {"Asin", [](double x) { return std::asin(x); }, -0.9, 0.9},
    {"Acos", [](double x) { return std::acos(x); }, -0.9, 0.9},
    {"Atan", [](double x) { return std::atan(x); }, -4, 4},
    {"Sinh", [](double x) { return std::sinh(x); }, -2, 2},
    {"Cosh", [](double x) { return std::cosh(x); }, -2, 2},
    {"Tanh", [](double x) { return std::tanh(x); }, -2, 2},
    {"Asinh", [](double x) { return std::asinh(x); }, -4, 4},
    {"Acosh", [](double x) { return std::acosh(x); }, 1.2, 6},
    {"Atanh", [](double x) { return std::atanh(x); }, -0.8, 0.8},
    {"Floor", [](double x) { return std::floor(x); }, -4, 4, false},
    {"Ceil", [](double x) { return std::ceil(x); }, -4, 4, false},
    {"Sign", [](double x) { return double(x > 0) - double(x < 0); }, -4, 4, false},
    {"Relu", [](double x) { return std::max(x, 0.0); }, -2, 2},
    {"Sigmoid", sigmoid, -4, 4},
    {"HardSigmoid",
     [](double x) { return std::clamp(0.3 * x + 0.4, 0.0, 1.0); },
     -3,
     3,
     true,
     {{"alpha", 0.3f}, {"beta", 0.4f}}},
    {"HardSigmoid", [](double x) { return std::clamp(0.2 * x + 0.5, 0.0, 1.0); }, -4, 4},
    {"HardSwish", [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }, -5, 5},
    {"Softplus", [](double x) { return std::log1p(std::exp(x)); }, -5, 5},
    {"Softsign", [](double x) { return x / (1 + std::fabs(x)); }, -5, 5},
    {"Elu", [](double x) { return x > 0 ? x : std::expm1(x); }, -3, 3},
    {"Elu", [](double x) { return x > 0 ? x : 2 * std::expm1(x); }, -3, 3, true, {{"alpha", 2.0f}}},
    {"Selu",
     [](double x) {
       return 1.05070102214813232421875 * (x > 0 ? x : 1.67326319217681884765625 * std::expm1(x));
     },
     -3, 3},
    {"Celu",
     [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); },
     -3,
     3,
     true,
     {{"alpha", 2.0f}}},
    {"LeakyRelu", [](double x) { return x < 0 ? 0.01 * x : x; }, -3, 3},
    {"LeakyRelu", [](double x) { return x < 0 ? 0.25 * x : x; }, -3, 3, true, {{"alpha", 0.25f}}},
    {"ThresholdedRelu", [](double x) { return x > 1 ? x : 0; }, -3, 3},
    {"HardTanh",
     [](double x) { return std::clamp(x, 0.0, 2.0); },
     -3,
     3,
     true,
     {{"min", 0.f}, {"max", 2.f}},
     "openipu"},
    {"Shrink",
     [](double x) { return x < -1.5  ? x + 1
                           : x > 1.5 ? x - 1
                                     : 0; },
     -3,
     3,
     true,
     {{"lambd", 1.5f}, {"bias", 1.0f}}},
    {"Gelu",
     [](double x) { return x / 2 * (1 + std::tanh(beta * (x + 0.044715 * x * x * x))); },
     -3,
     3,
     true,
     {},
     gc},
    {"GeluErf", [](double x) { return x / 2 * std::erfc(-x * M_SQRT1_2); }, -3, 3, true, {}, gc},
    {"Swish", [](double x) { return x * sigmoid(x); }, -3, 3, true, {}, gc},
    {"Scale", [](double x) { return -1.5 * x; }, -3, 3, true, {{"scale", -1.5f}}, gc},
    {"Identity", [](double x) { return x; }, -3, 3}};

// Spread over the range, away from its middle and its quarters, where derivatives jump.
Doubles samples(const Function &f) {
  Doubles out;
  for (double t : {0.03, 0.17, 0.29, 0.41, 0.58, 0.71, 0.86, 0.97})
    out.push_back(f.lo + t * (f.hi - f.lo));
  return out;
}

Value call(Model &m, const Function &f, Value x, DataType type) {
  const Value y = m.imported(f.type, {x}, f.attributes, 17, 1, f.domain)[0];
  EXPECT_EQ(m.graph[y].info, TensorInfo(type, {2, 4})) << f.type;
  return y;
}

void checkValues(DataType type, double relative, double absolute) {
  Model m;
  Values inputs, outputs;
  for (const auto &f : functions) {
    inputs.push_back(m.input({2, 4}, samples(f), type));
    outputs.push_back(call(m, f, inputs.back(), type));
  }
  const auto results = m.run(outputs);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    SCOPED_TRACE(functions[i].type);
    Doubles want = m.fed(inputs[i]);
    for (auto &x : want)
      x = functions[i].f(x);
    expectNear(results[i], want, relative, absolute);
  }
}

} // namespace

TEST(UnaryOps, GiveTheFunctionsOfEveryElement) { checkValues(DataType::FLOAT, 2e-6, 1e-6); }
TEST(UnaryOps, KeepTheDigitsOfHalves) { checkValues(DataType::FLOAT16, 2e-3, 1e-3); }

TEST(UnaryOps, ErfcKeepsTheDigitsOfItsTail) {
  Model m;
  const Doubles x{0, -0.0, 1e-6, 3, 5, 9, 40, -9, -40, INFINITY, -INFINITY};
  const auto y = m.run(m.b.op("Erfc", {m.input({11}, x)}));
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(y[i], std::erfc(x[i]), 3e-5 * std::erfc(x[i])) << x[i];
}

TEST(UnaryOps, HaveTheGradientsOfTheirFunctions) {
  for (const auto &f : functions) {
    SCOPED_TRACE(f.type);
    Model m;
    const Value x = m.input({2, 4}, samples(f));
    m.checkGradients(call(m, f, x, DataType::FLOAT), {x}, 5e-3, 4e-3);
  }
}

TEST(UnaryOps, HaveGradientsInHalvesThatDoNotOverflow) {
  Model m;
  const Value x = m.input({4}, {-300, -1, 1, 300}, DataType::FLOAT16);
  Values outputs;
  for (const char *type : {"Gelu", "GeluErf", "Softsign", "Erf", "Swish"}) {
    const Value y = m.b.op(type, {x});
    const Value loss = m.b.reduceSum(y, {0}, false);
    outputs.push_back(autodiff::differentiate(m.graph, {loss, m.b.scalar(1, loss), {x}}).at(x));
    EXPECT_EQ(m.graph[outputs.back()].info, m.graph[x].info);
  }
  for (const auto &gradient : m.run(outputs))
    for (double v : gradient)
      EXPECT_TRUE(std::isfinite(v));
}

TEST(UnaryOps, FoldConstants) {
  const std::set<std::string> onDevice{
      // no shape is computed with them
      "Acos",        "Acosh",     "Asin",           "Asinh",     "Atan",     "Atanh",
      "Celu",        "Cos",       "Cosh",           "Elu",       "Gelu",     "GeluErf",
      "HardSigmoid", "HardSwish", "HardTanh",       "LeakyRelu", "Selu",     "Shrink",
      "Sigmoid",     "Sin",       "Sinh",           "Softplus",  "Softsign", "Swish",
      "Tan",         "Tanh",      "ThresholdedRelu"};
  for (const auto &f : functions) {
    SCOPED_TRACE(f.type);
    Model m;
    const Value y = call(m, f, m.constant({2, 4}, samples(f)), DataType::FLOAT);
    ASSERT_EQ(bool(m.graph[y].data), !onDevice.count(f.type));
    if (!m.graph[y].data)
      continue;
    Doubles want = samples(f);
    for (auto &x : want)
      x = f.f(float(x));
    expectNear(m.graph[y].data.doubles(), want);
  }
}

TEST(UnaryOps, AreExactAtTheEdges) {
  const double inf = INFINITY;
  Model m;
  const Value x = m.input({5}, {-inf, -100, 0, 100, inf});
  expectNear(m.run(m.b.op("Softplus", {x})), {0, 0, std::log(2), 100, inf});
  expectNear(m.run(m.b.op("Asinh", {m.input({2}, {1e-5, -1e-5})})), {1e-5, -1e-5}, 1e-6, 0);
  expectNear(m.run(m.b.op("Sinh", {m.input({2}, {1e-5, -1e-5})})), {1e-5, -1e-5}, 1e-6, 0);
  expectNear(m.run(m.b.op("Acos", {m.input({3}, {1, -1, 0.9999999})})),
             {0, M_PI, std::acos(double(0.9999999f))});
  expectNear(m.run(m.b.op("Elu", {x})), {-1, -1, 0, 100, inf});
}

TEST(UnaryOps, RoundHalvesAsTheirDomainSays) {
  Model m;
  const Value x = m.input({6}, {-2.5, -0.5, 0.5, 1.5, 2.5, 2.4});
  const Value even = m.imported("Round", {x}, {}, 11)[0],
              nearby = m.imported("NearbyInt", {x}, {}, 1, 1, gc)[0],
              away = m.imported("Round", {x}, {}, 1, 1, gc)[0];
  const auto y = m.run({even, nearby, away});
  expectNear(y[0], {-2, 0, 0, 2, 2, 2});
  expectNear(y[1], {-2, 0, 0, 2, 2, 2});
  expectNear(y[2], {-3, -1, 1, 2, 3, 2});
  const Value smooth = m.input({2}, {0.3, -1.2});
  m.checkGradients(m.imported("Round", {smooth}, {}, 1, 1, gc)[0], {smooth}); // zero, but there
}

TEST(UnaryOps, TakeIntegersOfEveryWidth) {
  for (DataType type : {DataType::INT8, DataType::INT16, DataType::INT32, DataType::INT64}) {
    Model m;
    const Value x = m.input({3}, {-100, 0, 90}, type);
    const auto y = m.run({m.b.op("Abs", {x}), m.b.neg(x), m.b.sign(x), m.b.op("Relu", {x})});
    expectNear(y[0], {100, 0, 90});
    expectNear(y[1], {100, 0, -90});
    expectNear(y[2], {-1, 0, 1});
    expectNear(y[3], {0, 0, 90});
  }
  for (DataType type : {DataType::UINT8, DataType::UINT16, DataType::UINT32}) {
    Model m;
    const Value x = m.input({2}, {0, 200}, type);
    const auto y = m.run({m.b.op("Abs", {x}), m.b.sign(x)});
    expectNear(y[0], {0, 200});
    expectNear(y[1], {0, 1});
  }
}

TEST(UnaryOps, TellWhichElementsAreNotNumbersOrInfinite) {
  const double inf = INFINITY;
  for (DataType type : {DataType::FLOAT, DataType::FLOAT16}) {
    Model m;
    const Value x = m.input({4}, {NAN, -inf, inf, 1}, type);
    const auto infinite = [&](std::int64_t negative, std::int64_t positive) {
      return m.b.op("IsInf", {x}, {{"detect_negative", negative}, {"detect_positive", positive}});
    };
    const auto y = m.run(
        {m.b.op("IsNaN", {x}), infinite(1, 1), infinite(0, 1), infinite(1, 0), infinite(0, 0)});
    expectNear(y[0], {1, 0, 0, 0});
    expectNear(y[1], {0, 1, 1, 0});
    expectNear(y[2], {0, 0, 1, 0});
    expectNear(y[3], {0, 1, 0, 0});
    expectNear(y[4], {0, 0, 0, 0});
  }
}

TEST(UnaryOps, TakeTensorsWithoutElements) {
  Model m;
  const Value y = m.b.op("Gelu", {m.input({0, 3}, {})});
  EXPECT_EQ(m.graph[y].info.shape(), Shape({0, 3}));
  EXPECT_TRUE(m.run(y).empty());
}

TEST(UnaryOps, RefuseIntegersWhereTheyMakeNoSense) {
  Model m;
  const Value x = m.input({2}, {1, 2}, DataType::INT32);
  try {
    m.b.op("Exp", {x});
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(),
                 "Exp: input 0 (\"input\") is INT32; it must be floating point. Add a Cast.");
  }
}

TEST(IdentityOps, DetachAndNopStopGradients) {
  Model m;
  const Value x = m.randomInput({3});
  for (const char *type : {"Detach", "Nop"}) {
    const Value loss = m.b.reduceSum(m.b.op(type, {x}), {0}, false);
    EXPECT_FALSE(autodiff::differentiate(m.graph, {loss, m.b.scalar(1, loss), {x}}).count(x))
        << type;
    expectNear(m.run(m.b.op(type, {x})), m.fed(x));
  }
}
