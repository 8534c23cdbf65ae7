// SPDX-License-Identifier: MIT
// If, Loop, Scan and Call, made from ONNX's text form.
#include "model.hpp"
#include "onnx/import.hpp"
#include "onnx/testmodels.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

const std::string header = "<ir_version: 7, opset_import: [\"\" : 13, \"ai.graphcore\" : 1]>\n";

Model imported(const onnx::ModelProto &proto, const std::vector<Doubles> &inputs) {
  Model m;
  m.graph = onnxmodel::importModel(proto);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    m.feed(m.graph.inputs[i], inputs[i]);
  return m;
}
std::string problem(const onnx::ModelProto &proto) {
  try {
    onnxmodel::importModel(proto);
  } catch (const error &e) {
    return e.what();
  }
  return "accepted";
}

const std::string branches = header + R"(g (bool c, float[3] x, float[3] z) => (float[3] y) {
  y = If (c) <then_branch = a () => (float[3] t) { p = Mul(x, z)  t = Mul(p, x) },
              else_branch = b () => (float[3] e) { e = Mul(x, x) }> })";

} // namespace

TEST(IfOp, DifferentiatesTheBranchThatRan) {
  for (const double condition : {1.0, 0.0}) {
    Model m = imported(parsed(branches), {{condition}, {1, 2, 3}, {0.5, -1, 2}});
    const auto &in = m.graph.inputs;
    expectNear(m.run(m.graph.outputs[0]), condition ? Doubles{0.5, -4, 18} : Doubles{1, 4, 9});
    m.checkGradients(m.graph.outputs[0], {in[1], in[2]});
  }
}

TEST(IfOp, RefusesBranchesThatDisagree) {
  EXPECT_EQ(problem(parsed(header + R"(g (bool c, float[3] x) => (float[3] y) {
    y = If (c) <then_branch = a () => (float[3] t) { t = Relu(x) },
                else_branch = b () => (float[1] e) { e = ReduceSum(x) }> })")),
            "If: output 0 is FLOAT [3] in one branch and FLOAT [1] in the other. They must agree, "
            "unless the condition is a constant. (output \"y\")");
}

TEST(LoopOp, CarriesValuesAndStacksOthers) {
  // Fibonacci: the carried values swap places, so one must not overwrite the other.
  auto proto =
      parsed(header + R"(g (float[2] a, float[2] b) => (float[2] x, float[2] y, float[5,2] s) {
    x, y, s = Loop (n, , a, b) <body = l (int64 i, bool c, float[2] p, float[2] q) =>
        (bool d, float[2] u, float[2] v, float[2] w) {
      d = Identity(c)
      u = Identity(q)
      v = Add(p, q)
      w = Add(p, a)
    }> })");
  addIntegers(proto, "n", {5}, {});
  Model m = imported(proto, {{1, 2}, {1, 10}});
  const auto made = m.run(m.graph.outputs);
  expectNear(made[0], {8, 56});
  expectNear(made[1], {13, 90});
  expectNear(made[2], {2, 4, 2, 12, 3, 14, 4, 24, 6, 36});
}

TEST(LoopOp, StopsWhenItsConditionIsFalse) {
  auto proto = parsed(header + R"(g (float[1] x, bool go) => (float[1] y, float[6,1] s) {
    y, s = Loop (n, go, x) <body = l (int64 i, bool c, float[1] v) =>
        (bool d, float[1] w, float[1] u) {
      w = Add(v, v)
      ten = Constant <value = float[1] {10.0}> ()
      less = Less(w, ten)
      none = Constant <value = int64[1] {0}> ()
      d = Squeeze(less, none)
      u = Identity(w)
    }> })");
  addIntegers(proto, "n", {6}, {});
  struct Case {
    double start, go;
    Doubles end, stack;
  };
  for (const auto &[start, go, end, stack] : std::vector<Case>{{1, 1, {16}, {2, 4, 8, 16, 0, 0}},
                                                               {0, 1, {0}, {0, 0, 0, 0, 0, 0}},
                                                               {7, 1, {14}, {14, 0, 0, 0, 0, 0}},
                                                               {7, 0, {7}, {0, 0, 0, 0, 0, 0}}}) {
    Model m = imported(proto, {{start}, {go}});
    const auto made = m.run(m.graph.outputs);
    expectNear(made[0], end);
    expectNear(made[1], stack);
  }
}

TEST(LoopOp, RunsWithoutATripCountUntilTheConditionIsFalse) {
  auto proto = parsed(header + R"(g (float[1] x, bool go) => (float[1] y) {
    y = Loop (go, go, x) <body = l (int64 i, bool c, float[1] v) => (bool d, float[1] w) {
      w = Add(v, v)
      hundred = Constant <value = float[1] {100.0}> ()
      less = Less(w, hundred)
      none = Constant <value = int64[1] {0}> ()
      d = Squeeze(less, none)
    }> })");
  proto.mutable_graph()->mutable_node(0)->set_input(0, "");
  Model m = imported(proto, {{3}, {1}});
  expectNear(m.run(m.graph.outputs[0]), {192});
}

TEST(LoopOp, RefusesAnUnknownTripCountAndChangingShapes) {
  EXPECT_EQ(problem(parsed(header + R"(g (int64 n, float[1] x) => (float[1] y) {
    y = Loop (n, , x) <body = l (int64 i, bool c, float[1] v) => (bool d, float[1] w)
      { d = Identity(c)  w = Relu(v) }> })")),
            "Loop: its trip (input 0, \"n\") must be known when the model is compiled. Make it a "
            "constant or an initializer. (output \"y\")");
  auto proto = parsed(header + R"(g (float[1] x) => (float[1] y) {
    y = Loop (n, , x) <body = l (int64 i, bool c, float[1] v) => (bool d, float[1] w)
      { d = Identity(c)  w = Concat <axis = 0> (v, v) }> })");
  addIntegers(proto, "n", {2}, {});
  EXPECT_EQ(problem(proto),
            "Loop: carried value 0 enters an iteration as FLOAT [1] and leaves it as "
            "FLOAT [2]; it must stay the same. (output \"y\")");
}

TEST(ScanOp, ScansAlongAxesInBothDirections) {
  const std::string text = R"(g (float[2] s, float[2,3] x) => (float[2] t, float[2,3] y) {
    t, y = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [-1],
                 scan_input_directions = [DIR], scan_output_directions = [DIR],
                 body = l (float[2] a, float[2] b) => (float[2] c, float[2] d)
                   { c = Add(a, b)  d = Identity(c) }> (s, x) })";
  for (const bool back : {false, true}) {
    std::string own = text;
    for (auto at = own.find("DIR"); at != std::string::npos; at = own.find("DIR"))
      own.replace(at, 3, back ? "1" : "0");
    Model m = imported(parsed(header + own), {{100, 200}, {1, 2, 3, 4, 5, 6}});
    const auto made = m.run(m.graph.outputs);
    expectNear(made[0], {106, 215});
    expectNear(made[1], back ? Doubles{106, 105, 103, 215, 211, 206}
                             : Doubles{101, 103, 106, 204, 209, 215});
  }
}

TEST(LoopOp, DifferentiatesIterationsThatAllRun) {
  // The state, its square, a value from outside and the number of the iteration all take part.
  auto proto = parsed(header + R"(g (float[2] x, float[2] w) => (float[2] y, float[4,2] s) {
    y, s = Loop (n, , x) <body = l (int64 i, bool c, float[2] v) => (bool d, float[2] u, float[2] t) {
      d = Identity(c)
      k = Cast <to = 1> (i)
      p = Mul(v, w)
      q = Mul(p, v)
      u = Add(q, k)
      t = Mul(v, w)
    }> })");
  addIntegers(proto, "n", {4}, {});
  Model m = imported(proto, {{0.3, -0.2}, {0.2, 0.3}});
  const auto inputs = m.graph.inputs;
  Doubles want;
  for (const auto &[x, w] : {std::pair(0.3, 0.2), {-0.2, 0.3}}) {
    double v = x;
    for (int i = 0; i < 4; ++i)
      v = v * v * w + i;
    want.push_back(v);
  }
  expectNear(m.run(m.graph.outputs[0]), want);
  const Value both = m.b.add(m.b.reduceSum(m.graph.outputs[1], {0}, false), m.graph.outputs[0]);
  m.checkGradients(both, inputs, 1e-2, 1e-3);
}

TEST(LoopOp, RefusesToDifferentiateWhatMayEndEarly) {
  auto proto = parsed(header + R"(g (float[1] x, bool go) => (float[1] y) {
    y = Loop (n, go, x) <body = l (int64 i, bool c, float[1] v) => (bool d, float[1] w)
      { d = Identity(c)  w = Mul(v, v) }> })");
  addIntegers(proto, "n", {3}, {});
  Model m = imported(proto, {{1}, {1}});
  try {
    m.checkGradients(m.graph.outputs[0], {m.graph.inputs[0]});
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(),
                 "Loop (output \"y\"): it cannot be differentiated: its condition may end it "
                 "early, so how often it runs is known only when the program runs. Give it a trip "
                 "count and a condition that stays true.");
  }
}

TEST(ScanOp, DifferentiatesStatesSlicesAndOuterValues) {
  const std::string text = R"(g (float[2] s, float[2,3] x, float[2] w)
      => (float[2] t, int64 k, float[2,3] y) {
    zero = Constant <value = int64 {1}> ()
    t, k, y = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [AXIS],
                 scan_input_directions = [DIR], scan_output_directions = [DIR],
                 body = l (float[2] a, int64 n, float[2] b) => (float[2] c, int64 o, float[2] d) {
                   one = Constant <value = int64 {1}> ()
                   o = Add(n, one)
                   r = Cast <to = 1> (n)
                   q = Mul(a, w)
                   p = Mul(q, b)
                   u = Mul(p, r)
                   c = Add(u, a)
                   d = Identity(OUT)
                 }> (s, zero, x) })";
  for (const std::string out : {"c", "u"})
    for (const std::string back : {"0", "1"})
      for (const std::string axis : {"0", "1"}) {
        std::string own = text;
        for (const auto &[word, with] :
             {std::pair<std::string, std::string>{"OUT", out}, {"DIR", back}, {"AXIS", axis}})
          for (auto at = own.find(word); at != std::string::npos; at = own.find(word))
            own.replace(at, word.size(), with);
        if (axis == "0")
          own.replace(own.find("float[2,3] y"), 12, "float[3,2] y");
        Model m = imported(parsed(header + own),
                           {{0.5, -0.8}, {0.3, 0.7, -0.4, 0.9, -0.2, 0.6}, {1.2, 0.7}});
        const auto inputs = m.graph.inputs;
        SCOPED_TRACE(own);
        const Value all = m.b.add(m.b.reduceSum(m.graph.outputs[2], {axis == "0" ? 0 : 1}, false),
                                  m.graph.outputs[0]);
        m.checkGradients(all, inputs);
      }
}

TEST(ScanOp, OfVersion8StopsEveryElementOfABatchAtItsOwnLength) {
  auto proto =
      parsed("<ir_version: 7, opset_import: [\"\" : 8]>" +
             std::string(R"(g (float[2,1] s, float[2,3,1] x) => (float[2,1] t, float[2,3,1] y) {
    t, y = Scan <num_scan_inputs = 1, body = l (float[1] a, float[1] b) => (float[1] c, float[1] d)
        { c = Add(a, b)  d = Identity(c) }> (lengths, s, x) })"));
  addIntegers(proto, "lengths", {3, 2});
  Model m = imported(proto, {{0, 10}, {1, 2, 3, 4, 5, 6}});
  const auto made = m.run(m.graph.outputs);
  expectNear(made[0], {6, 19});
  expectNear(made[1], {1, 3, 6, 14, 19, 0});
}

TEST(CallOp, SharesOneFunctionAndDifferentiates) {
  const std::string callee =
      R"(ai.graphcore.Call <callee = f (float[3] a, float[3] b) => (float[3] c)
      { p = Mul(a, b)  c = Mul(p, a) }> )";
  Model m = imported(parsed(header + "g (float[3] x, float[3] w) => (float[3] y) { h = " + callee +
                            "(x, w)  y = " + callee + "(h, x) }"),
                     {{1, 2, 0.5}, {0.5, -1, 2}});
  ASSERT_EQ(m.graph.nodes.size(), 2u);
  EXPECT_EQ(m.graph.nodes[0].bodies[0], m.graph.nodes[1].bodies[0]);
  Doubles want;
  for (const auto &[x, w] : std::vector<std::pair<double, double>>{{1, 0.5}, {2, -1}, {0.5, 2}})
    want.push_back(x * x * w * x * x * w * x);
  expectNear(m.run(m.graph.outputs[0]), want);
  const ir::Values inputs = m.graph.inputs;
  m.checkGradients(m.graph.outputs[0], inputs, 2e-2, 1e-3);
}

TEST(CallOp, RefusesOtherNumbersOfArguments) {
  EXPECT_EQ(problem(parsed(header + R"(g (float[3] x) => (float[3] y) {
    y = ai.graphcore.Call <callee = f (float[3] a, float[3] b) => (float[3] c) { c = Add(a, b) }> (x) })")),
            "Body \"f\" has 2 inputs, 1 are given. (Call, output \"y\")");
}
