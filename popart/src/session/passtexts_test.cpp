// SPDX-License-Identifier: MIT
// Passes on text: a small model, the pass, and what the model is afterwards.
#include "model.hpp"
#include "opdef/validate.hpp"
#include "transforms/memory/recompute.hpp"
#include "transforms/memory/writeinplace.hpp"
#include "transforms/placing/insertipucopies.hpp"
#include "transforms/rewriting/bypass.hpp"
#include "transforms/rewriting/fuse.hpp"
#include "transforms/rewriting/joingelus.hpp"
#include "transforms/rewriting/mergeequalnodes.hpp"
#include "transforms/rewriting/movescales.hpp"
#include "transforms/rewriting/prune.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

struct Text : Model {
  Value x = input({4, 6}, Doubles(24, 1)), w = input({6, 3}, Doubles(18, 1));
  std::string now() const {
    ir::validate(graph);
    return ir::text(graph);
  }
};

} // namespace

TEST(PassTexts, PruneTakesWhatLeadsNowhere) {
  Text m;
  m.b.neg(m.b.exp(m.x));
  const Value y = m.b.sqrt(m.x);
  EXPECT_EQ(m.now(), R"(maingraph:
  Exp:0 = Exp(input)  FLOAT [4,6]
  Neg:0 = Neg(Exp:0)  FLOAT [4,6]
  Sqrt:0 = Sqrt(input)  FLOAT [4,6]
)");
  transforms::prune(m.graph, {y});
  EXPECT_EQ(m.now(), R"(maingraph:
  Sqrt:0 = Sqrt(input)  FLOAT [4,6]
)");
}

TEST(PassTexts, BypassTakesWhatChangesNothing) {
  Text m;
  const Value once = m.b.transpose(m.b.op("Identity", {m.x}), {1, 0});
  const Value y = m.b.exp(m.b.transpose(m.b.mul(once, 1.0), {1, 0}));
  transforms::bypass(m.graph, Patterns(PatternsLevel::Default), false, {y});
  EXPECT_EQ(m.now(), R"(maingraph:
  Transpose:0 = Transpose(input, perm=[1,0])  FLOAT [6,4]
  Exp:0 = Exp(input)  FLOAT [4,6]
)");
}

TEST(PassTexts, MergeEqualNodesComputesOnceWhatIsTheSame) {
  Text m;
  const Value y = m.b.add(m.b.matmul(m.x, m.w), m.b.exp(m.b.matmul(m.x, m.w)));
  EXPECT_EQ(transforms::mergeEqualNodes(m.graph, {y}), 1u);
  EXPECT_EQ(m.now(), R"(maingraph:
  MatMul:0 = MatMul(input, input/1)  FLOAT [4,3]
  Exp:0 = Exp(MatMul:0)  FLOAT [4,3]
  Add:0 = Add(MatMul:0, Exp:0)  FLOAT [4,3]
)");
}

TEST(PassTexts, JoinGelusFindsTheWrittenOutOne) {
  Text m;
  const Value y =
      m.b.mul(m.b.mul(m.x, 0.5), m.b.add(m.b.op("Erf", {m.b.div(m.x, std::sqrt(2.0))}), 1.0));
  EXPECT_EQ(transforms::joinGelus(m.graph), 1u);
  transforms::prune(m.graph, {y});
  EXPECT_EQ(m.now(), R"(maingraph:
  Mul:0/1 = GeluErf(input)  FLOAT [4,6]
)");
}

TEST(PassTexts, MoveScalesTakesTheSmallerOperand) {
  Text m;
  const Value y =
      m.b.mul(m.b.matmul(m.input({12, 2}, Doubles(24, 1)), m.input({2, 12}, Doubles(24, 1))), 0.25);
  EXPECT_EQ(transforms::moveScales(m.graph, {y}), 1u);
  EXPECT_EQ(m.now(), R"(maingraph:
  MatMul:0 = MatMul(input/3, input/2)  FLOAT [12,12]
  Mul:0/Mul:0 = Mul(input/3, Mul:0/constant)  FLOAT [12,2]
  Mul:0 = MatMul(Mul:0/Mul:0, input/2)  FLOAT [12,12]
)");
}

TEST(PassTexts, FuseThenWriteInPlace) {
  Text m;
  const Value p = m.b.matmul(m.x, m.w), y = m.b.op("Tanh", {m.b.neg(m.b.exp(p))});
  transforms::fuse(m.graph, {y});
  EXPECT_EQ(m.now(), R"(maingraph:
  MatMul:0 = MatMul(input, input/1)  FLOAT [4,3]
  Tanh:0 = FusedElementwise(MatMul:0)  FLOAT [4,3]
fused:
  Exp:0 = Exp(MatMul:0)  FLOAT [4,3]
  Neg:0 = Neg(Exp:0)  FLOAT [4,3]
  Tanh:0 = Tanh(Neg:0)  FLOAT [4,3]
)");
  transforms::writeInPlace(m.graph, {});
  EXPECT_EQ(m.now(), R"(maingraph:
  MatMul:0 = MatMul(input, input/1)  FLOAT [4,3]
  Tanh:0 = FusedElementwise(MatMul:0, inplace=[0])  FLOAT [4,3]
fused:
  Exp:0 = Exp(MatMul:0)  FLOAT [4,3]
  Neg:0 = Neg(Exp:0)  FLOAT [4,3]
  Tanh:0 = Tanh(Neg:0)  FLOAT [4,3]
)");
}

TEST(PassTexts, RecomputeAddsASecondComputation) {
  Text m;
  m.b.settings.recompute = ir::Recompute::Recompute;
  const Value h = m.b.op("Tanh", {m.b.matmul(m.x, m.w)});
  m.b.settings.recompute = ir::Recompute::Undefined;
  m.b.pass = ir::Pass::Backward;
  m.b.mul(h, h);
  transforms::recompute(m.graph);
  EXPECT_EQ(m.now(), R"(maingraph:
  MatMul:0 = MatMul(input, input/1)  FLOAT [4,3]  {recompute}
  Tanh:0 = Tanh(MatMul:0)  FLOAT [4,3]  {recompute}
  MatMul:0__re = MatMul(input, input/1)  FLOAT [4,3]  {backward, recompute}
  Tanh:0__re = Tanh(MatMul:0__re)  FLOAT [4,3]  {backward, recompute}
  Mul:0 = Mul(Tanh:0__re, Tanh:0__re)  FLOAT [4,3]  {backward}
)");
}

TEST(PassTexts, InsertIpuCopiesBringsInputsToTheirNodes) {
  Text m;
  m.b.settings.virtualGraph = 0;
  const Value h = m.b.matmul(m.x, m.w);
  m.b.settings.virtualGraph = 1;
  m.b.add(m.b.exp(h), h);
  transforms::insertIpuCopies(m.graph);
  EXPECT_EQ(m.now(), R"(maingraph:
  MatMul:0 = MatMul(input, input/1)  FLOAT [4,3]  {ipu 0}
  MatMul:0_c1/IpuCopy:0 = IpuCopy(MatMul:0, destination=1, source=0)  FLOAT [4,3]  {ipu 1}
  Exp:0 = Exp(MatMul:0_c1/IpuCopy:0)  FLOAT [4,3]  {ipu 1}
  Add:0 = Add(Exp:0, MatMul:0_c1/IpuCopy:0)  FLOAT [4,3]  {ipu 1}
)");
}

TEST(Validate, NamesTheNodeThatBreaksARule) {
  const auto complaint = [](auto spoil) -> std::string {
    Text m;
    m.b.neg(m.b.exp(m.x));
    spoil(m.graph);
    try {
      ir::validate(m.graph);
    } catch (const error &e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(complaint([](ir::Graph &) {}), "accepted");
  EXPECT_EQ(complaint([](ir::Graph &g) { std::swap(g.nodes[0], g.nodes[1]); }),
            "Node 0 of \"maingraph\", Neg, reads \"Exp:0\" before it is made.");
  EXPECT_EQ(complaint([](ir::Graph &g) { g.nodes.push_back(g.nodes[0]); }),
            "Node 2 of \"maingraph\", Exp, makes \"Exp:0\", which is there already.");
  EXPECT_EQ(complaint([](ir::Graph &g) { g.nodes[1].def = nullptr; }),
            "Node 1 of \"maingraph\", ?, has no operator.");
  EXPECT_EQ(complaint([](ir::Graph &g) { g.nodes[1].inputs[0] = Value{99}; }),
            "Node 1 of \"maingraph\", Neg, has value 99 of 4.");
}
