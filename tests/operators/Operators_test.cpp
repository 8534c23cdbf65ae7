// SPDX-License-Identifier: MIT
// Programs in the style that people write with the operator libraries, end to end: tutorials,
// custom operators, simulations. Each mixes several libraries and checks numbers against plain
// loops.
#include "Session.hpp"
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/AllTrue.hpp>
#include <popops/Cast.hpp>
#include <popops/codelets.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/ExprOpUtils.hpp>
#include <popops/Fill.hpp>
#include <popops/Loop.hpp>
#include <popops/Rearrange.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/VertexTemplates.hpp>
#include <pva/pva.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

TEST(OperatorPrograms, TwoProductsInARowAreNamedInTheSummary) {
  Session s(64);
  auto a = s.input(FLOAT, {9, 10}, s.random(90)), b = s.input(FLOAT, {10, 11}, s.random(110)),
       c = s.input(FLOAT, {11, 12}, s.random(132));
  auto m4 = poplin::matMul(s.graph, a, b, s.prog, "m4");
  auto m5 = poplin::matMul(s.graph, m4, c, s.prog, "m5");
  s.graph.createHostRead("m5", m5);
  Engine engine(s.graph, s.prog,
                {{"debug.instrument", "true"}, {"autoReport.outputExecutionProfile", "true"}});
  engine.load(s.device);
  engine.run();
  std::stringstream text;
  engine.printProfileSummary(text, {{"showExecutionSteps", "true"}});
  EXPECT_NE(text.str().find("m4/"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("m5/"), std::string::npos);
}

TEST(OperatorPrograms, ReductionThroughComputeSetsThatTheCallerExecutes) {
  Session s;
  auto values = s.random(6 * 40);
  auto in = s.input(FLOAT, {6, 40}, values);
  auto out = s.graph.addVariable(FLOAT, {40}, VariableMappingMethod::LINEAR);
  std::vector<ComputeSet> sets;
  popops::reduceWithOutput(s.graph, in, out, {0}, popops::ReduceParams(popops::Operation::ADD),
                           sets, "sum");
  ASSERT_FALSE(sets.empty());
  for (auto &cs : sets)
    s.prog.add(Execute(cs));
  Doubles expected(40);
  for (std::size_t i = 0; i < values.size(); ++i)
    expected[i % 40] += double(float(values[i]));
  expectClose(s.run(out), expected, 1e-6, 1e-6);
}

TEST(OperatorPrograms, LeakyReluAndRotationAsExpressions) {
  Session s;
  auto values = s.random(50), angles = s.random(50);
  auto x = s.input(HALF, {50}, values), c = s.input(HALF, {50}, angles);
  auto leaky = popops::map(
      s.graph,
      pe::Select(pe::Mul(pe::Const(0.1f), pe::_1), pe::_1, pe::Lt(pe::_1, pe::Const(0.0f))), {x},
      s.prog, "leaky");
  auto turned = popops::map(s.graph, (pe::_1 * pe::_4) - (pe::_2 * pe::_3), {x, c, x, c}, s.prog);
  auto i = s.output(leaky), j = s.output(turned);
  s.run();
  auto xs = Session::stored(HALF, values);
  Doubles expected;
  for (double v : xs)
    expected.push_back(v < 0 ? 0.1 * v : v);
  expectClose(s.values(i), expected, 2e-3);
  for (double v : s.values(j))
    EXPECT_EQ(v, 0);
}

TEST(OperatorPrograms, BestBoxesByMaximumAndSlice) {
  Session s;
  const std::size_t boxes = 37;
  auto scores = s.random(boxes), places = s.random(boxes * 4);
  auto score = s.input(FLOAT, {1, boxes}, scores), place = s.input(FLOAT, {boxes, 4}, places);
  auto best = popnn::maxAndArgMax(s.graph, score, s.prog, "best");
  auto box = popops::dynamicSlice(s.graph, place, best.second, {0}, {1}, s.prog, "box");
  auto least = popops::reduce(s.graph, score, {1}, popops::Operation::MIN, s.prog, "least");
  auto whole = popops::cast(s.graph, best.second, INT, s.prog, "cast");
  auto i = s.output(box), j = s.output(least), k = s.output(whole);
  s.run();
  auto at = std::max_element(scores.begin(), scores.end()) - scores.begin();
  EXPECT_EQ(s.values(k)[0], double(at));
  expectClose(s.values(i),
              {double(float(places[at * 4])), double(float(places[at * 4 + 1])),
               double(float(places[at * 4 + 2])), double(float(places[at * 4 + 3]))},
              0);
  EXPECT_EQ(s.values(j)[0], double(float(*std::min_element(scores.begin(), scores.end()))));
}

TEST(OperatorPrograms, GroupedGatherAndScatterOfAGraphNetwork) {
  Session s;
  const std::size_t groups = 2, nodes = 7, features = 5, edges = 9;
  OptionFlags options{
      {"usedForSlice", "true"}, {"usedForUpdate", "true"}, {"operationForUpdate", "add"}};
  auto plan = popops::embedding::plan(s.graph, FLOAT, groups, nodes, features, {edges}, options);
  auto x = popops::createGroupedSliceableTensor(s.graph, FLOAT, groups, {nodes, features}, {0}, {1},
                                                plan, options, "x");
  auto indices =
      popops::createGroupedIndicesTensor(s.graph, groups, {0}, edges, plan, options, "i");
  auto xs = s.random(groups * nodes * features);
  auto is = s.integers(groups * edges, 0, int(nodes) - 1);
  s.set(x, xs);
  s.set(indices, is);
  auto gathered =
      popops::groupedMultiSlice(s.graph, x, indices, {0}, {1}, s.prog, plan, options, "gather");
  auto sums = popops::createGroupedSliceableTensor(s.graph, FLOAT, groups, {nodes, features}, {0},
                                                   {1}, plan, options, "sums");
  popops::zero(s.graph, sums, s.prog, "zero");
  auto one = s.graph.addConstant<float>(FLOAT, {}, 1.0f);
  s.graph.setTileMapping(one, 0);
  popops::groupedMultiUpdateAdd(s.graph, sums, gathered, indices, one, {0}, {1}, s.prog, plan,
                                options, "scatter");
  Doubles expected(xs.size());
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t e = 0; e < edges; ++e)
      for (std::size_t f = 0; f < features; ++f) {
        auto at = (g * nodes + std::size_t(is[g * edges + e])) * features + f;
        expected[at] += double(float(xs[at]));
      }
  expectClose(s.run(sums), expected, 1e-6);
}

TEST(OperatorPrograms, RemappingKeepsValues) {
  Session s;
  auto values = s.random(24 * 32);
  auto x = s.input(HALF, {24, 32}, values);
  auto transposed = x.transpose();
  auto groupings = poputil::detectDimGroupings(s.graph, x);
  EXPECT_FALSE(groupings.empty());
  auto like = s.graph.addVariable(HALF, {32, 24}, VariableMappingMethod::LINEAR);
  auto y = popops::rearrange::regroupIfBeneficial(s.graph, transposed, like, s.prog, "regroup");
  auto result = s.run(y), xs = Session::stored(HALF, values);
  for (std::size_t i = 0; i < 32; ++i)
    for (std::size_t j = 0; j < 24; ++j)
      ASSERT_EQ(result[i * 24 + j], xs[j * 32 + i]);
}

TEST(OperatorPrograms, AverageVelocityOfALattice) {
  Session s;
  auto cells = s.random(4 * 5 * 9, 0, 1);
  auto lattice = s.input(FLOAT, {4, 5, 9}, cells);
  auto total =
      popops::reduce(s.graph, lattice, FLOAT, {2, 1, 0}, popops::Operation::ADD, s.prog, "total");
  auto counter = s.graph.addVariable(INT, {1}, VariableMappingMethod::LINEAR, "counter");
  popops::zero(s.graph, counter, s.prog, "zero");
  popops::addInPlace(s.graph, counter, 1, s.prog, "count");
  auto share = popops::div(s.graph, total, float(4 * 5), s.prog, "share");
  auto i = s.output(share), j = s.output(counter);
  s.run();
  double sum = 0;
  for (double c : cells)
    sum += double(float(c));
  expectClose(s.values(i), {sum / 20}, 1e-6);
  EXPECT_EQ(s.values(j)[0], 1);
}

TEST(OperatorPrograms, BlurAsAConvolutionOfSeparateChannels) {
  Session s(64);
  const std::size_t h = 9, w = 7, c = 4;
  poplin::ConvParams params(
      FLOAT, FLOAT, 1, {h, w}, {3, 3}, 1, 1, c,
      poplin::ConvParams::InputTransform({0, 0}, {0, 0}, {1, 1}, {1, 1}, {1, 1}, {false, false}),
      poplin::ConvParams::InputTransform(2), poplin::ConvParams::OutputTransform(2));
  OptionFlags options{{"pass", "INFERENCE_FWD"}, {"availableMemoryProportion", "0.4"}};
  auto in = poplin::createInput(s.graph, params, "in", options);
  auto weights = poplin::createWeights(s.graph, params, "w", options);
  auto image = s.random(c * h * w, 0, 1);
  const double stencil[3] = {0.25, 0.5, 0.25};
  Doubles ws;
  for (std::size_t i = 0; i < c * 9; ++i)
    ws.push_back(stencil[i / 3 % 3] * stencil[i % 3]);
  s.set(in, image);
  s.set(weights, ws);
  auto out = poplin::convolution(s.graph, in, weights, params, false, s.prog, "blur", options);
  Doubles expected(c * h * w);
  for (long ch = 0; ch < long(c); ++ch)
    for (long y = 0; y < long(h); ++y)
      for (long x = 0; x < long(w); ++x)
        for (long u = -1; u < 2; ++u)
          for (long v = -1; v < 2; ++v)
            if (y + u >= 0 && y + u < long(h) && x + v >= 0 && x + v < long(w))
              expected[(ch * h + y) * w + x] += stencil[u + 1] * stencil[v + 1] *
                                                double(float(image[(ch * h + y + u) * w + x + v]));
  expectClose(s.run(out), expected, 1e-5, 1e-6);
}

TEST(OperatorPrograms, LoopsUntilAllAreDone) {
  Session s;
  auto left = s.input(INT, {5}, {1, 4, 2, 7, 3});
  auto rounds = s.input(INT, {1}, {0});
  Sequence condition, body;
  auto done = popops::lteq(s.graph, left, 0, condition, "done");
  auto all = popops::allTrue(s.graph, done, condition, "all");
  popops::subInPlace(s.graph, left, 1, body, "count down");
  popops::addInPlace(s.graph, rounds, 1, body, "rounds");
  s.prog.add(RepeatWhileFalse(condition, all, body));
  EXPECT_EQ(s.run(rounds)[0], 7);
}

TEST(OperatorPrograms, CountedLoopGivesItsIndex) {
  Session s;
  auto sum = s.input(UNSIGNED_INT, {1}, {0});
  s.prog.add(popops::countedLoop(s.graph, 2, 11, 3, [&](const Tensor &i) {
    Sequence body;
    popops::addInPlace(s.graph, sum, i, body, "sum");
    return body;
  }));
  EXPECT_EQ(s.run(sum)[0], 2 + 5 + 8);
}

TEST(OperatorPrograms, LibraryVerticesByName) {
  Session s;
  popops::addCodelets(s.graph);
  auto xs = s.random(33), ys = s.random(33);
  auto x = s.input(FLOAT, {33}, xs), y = s.input(FLOAT, {33}, ys);
  auto e = s.graph.clone(x, "e"), sum = s.graph.clone(x, "sum"), seven = s.graph.clone(x, "seven");
  auto cs = s.graph.addComputeSet("by name");
  auto exp = s.graph.addVertex(
      cs, poputil::templateVertex("popops::UnaryOp1D", pe::UnaryOpType::EXPONENT, FLOAT),
      {{"in", x}, {"out", e}});
  auto add = s.graph.addVertex(
      cs, poputil::templateVertex("popops::BinaryOp1D", pe::BinaryOpType::ADD, FLOAT),
      {{"in1", x}, {"in2", y}, {"out", sum}});
  auto fill = s.graph.addVertex(cs, "popops::Fill<float>", {{"out", seven}});
  s.graph.setInitialValue(fill["in"], 7.0f);
  for (auto &vertex : {exp, add, fill})
    s.graph.setTileMapping(vertex, 1);
  s.prog.add(Execute(cs));
  auto i = s.output(e), j = s.output(sum), k = s.output(seven);
  s.run();
  for (std::size_t n = 0; n < 33; ++n) {
    EXPECT_NEAR(s.values(i)[n], std::exp(double(float(xs[n]))), 1e-5);
    EXPECT_EQ(s.values(j)[n], double(float(xs[n]) + float(ys[n])));
    EXPECT_EQ(s.values(k)[n], 7);
  }
}
