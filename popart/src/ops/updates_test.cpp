// SPDX-License-Identifier: MIT
// Operators that change variables, one by one, and collectives between two replicas.
#include "lowering/programs.hpp"
#include "model.hpp"
#include "optimizer/delayupdates.hpp"
#include "optimizer/statistics.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

std::string messageOf(const std::function<void()> &f) {
  try {
    f();
  } catch (const error &e) {
    return e.what();
  }
  return "nothing was thrown";
}

// What an operator on `x` gives on each of two replicas; replica r has x + r.
std::vector<Doubles> onReplicas(const std::string &type, const Doubles &x,
                                ir::Attributes attributes = {}) {
  lowering::Model model;
  const TensorInfo info(DataType::FLOAT, Shape{std::int64_t(x.size())});
  const Value in = model.graph.addStream("x", info);
  attributes.set("replicas", std::int64_t(2));
  const Value y = ops::GraphBuilder(model.graph).op(type, {in}, attributes);
  model.anchors["y"] = y;
  model.flow = DataFlow(1, {{"y", AnchorReturnType("All")}});
  model.replicas = 2;
  poplar::IPUModel ipu;
  ipu.numIPUs = 2;
  ipu.tilesPerIPU = 4;
  auto device = ipu.createDevice();
  lowering::Options options;
  auto lowered = lowering::lowerModel(model, device.getTarget(), options, SessionOptions());
  poplar::Engine engine(*lowered.graph, lowered.programs);
  engine.load(device);
  const auto &outInfo = model.graph[y].info;
  std::vector<Doubles> out(2);
  for (unsigned r = 0; r < 2; ++r) {
    engine.connectStreamToCallback(lowered.interface.inputs[0].toDevice, r, [&, r](void *p) {
      for (std::size_t i = 0; i < x.size(); ++i)
        static_cast<float *>(p)[i] = static_cast<float>(x[i] + r);
    });
    engine.connectStreamToCallback(lowered.interface.anchors[0].toHost, r, [&, r](void *p) {
      const auto *values = static_cast<const float *>(p);
      out[r].assign(values, values + outInfo.nelms());
    });
  }
  engine.run(lowering::Main);
  return out;
}

} // namespace

TEST(AccumulateOp, HasItsKinds) {
  const Doubles a{1, -2, 3}, x{0.5, 4, -1};
  const double f = 0.25;
  const std::vector<std::pair<std::string, Doubles>> kinds{
      {"Add", {1.125, -1, 2.75}},
      {"AddSquare", {1.0625, 2, 3.25}},
      {"Mean", {0.875, -0.5, 2}},
      {"MovingAverage", {0.625, 2.5, 0}},
      {"MovingAverageSquare", {0.4375, 11.5, 1.5}},
      {"Infinity", {0.5, 4, 1}}};
  for (const auto &[kind, want] : kinds)
    for (const DataType type : {DataType::FLOAT, DataType::FLOAT16}) {
      SCOPED_TRACE(kind);
      Model m;
      const auto va = m.input({3}, a), vx = m.input({3}, x, type);
      expectNear(m.run(m.b.op("Accumulate", {va, vx},
                              {{"kind", kind}, {"factor", static_cast<float>(f)}})),
                 want);
    }
  Model m;
  const auto va = m.input({3}, a), vx = m.input({3}, x), vf = m.input({}, {f});
  expectNear(
      m.run(m.b.op("Accumulate", {va, vx, vf}, {{"scalars", std::vector<std::string>{"factor"}}})),
      kinds[0].second);
}

TEST(AccumulateOp, RefusesTensorsThatDoNotBelongTogether) {
  Model m;
  const auto a = m.input({3}, {1, 2, 3}), x = m.input({2}, {1, 2});
  EXPECT_EQ(messageOf([&] {
              m.b.op("Accumulate", {a, x});
            }),
            "Accumulate: \"" + m.graph[x].name +
                "\" has the shape [2], but the tensor it belongs "
                "to, \"" +
                m.graph[a].name + "\", has [3].");
}

TEST(AccumulatorOps, ScaleAndClear) {
  Model m;
  const auto a = m.input({2, 1}, {1, 2}), b = m.input({2}, {3, 4});
  const auto scaled = m.b.op("AccumulatorScale", {a}, {{"factor", 0.5f}});
  const auto zero = m.b.op("AccumulatorZero", {b});
  const auto out = m.run({scaled, zero});
  expectNear(out[0], {0.5, 1});
  expectNear(out[1], {0, 0});
}

TEST(CopyVarUpdateOp, TakesPlaceAfterTheLastUseOfTheOldValue) {
  Model m;
  const auto v = m.input({2}, {1, 2}), x = m.input({2}, {5, 7});
  const auto updated = m.b.op("CopyVarUpdate", {v, x});
  const auto after = m.b.add(updated, 1); // of the new value
  const auto sum = m.b.add(v, x);         // of the old one
  optimizer::delayUpdates(m.graph);
  const auto out = m.run({sum, updated, after});
  expectNear(out[0], {6, 9});
  expectNear(out[1], {5, 7});
  expectNear(out[2], {6, 8});
}

TEST(CopyVarUpdateOp, TakesOtherVariablesAsTheyWere) {
  for (auto pass : {ir::Pass::Forward, ir::Pass::Update}) {
    Model m;
    m.b.pass = pass;
    const auto v = m.input({2}, {1, 2}), w = m.input({2}, {3, 4}), z = m.input({2}, {5, 6});
    const auto view = m.b.op("Reshape", {v}, {{"shape", ir::Integers{2}}});
    const auto x = m.b.op("CopyVarUpdate", {v, w}), y = m.b.op("CopyVarUpdate", {w, z});
    const auto other = m.b.op("CopyVarUpdate", {z, view});
    optimizer::delayUpdates(m.graph);
    const auto out = m.run({x, y, other});
    expectNear(out[0], {3, 4});
    expectNear(out[1], {5, 6});
    expectNear(out[2], {1, 2});
  }
}

TEST(CopyVarUpdateOp, TakesItsOwnVariableTurnedRound) {
  Model m;
  const auto v = m.input({3}, {1, 2, 3});
  const auto turned = m.b.op("Slice", {v},
                             {{"axes", ir::Integers{0}},
                              {"starts", ir::Integers{2}},
                              {"ends", ir::Integers{-4}},
                              {"steps", ir::Integers{-1}}});
  const auto updated = m.b.op("CopyVarUpdate", {v, turned});
  const auto both = m.b.add(updated, turned); // of the new value and of the old one
  optimizer::delayUpdates(m.graph);
  const auto out = m.run({updated, both});
  expectNear(out[0], {3, 2, 1});
  expectNear(out[1], {6, 4, 2});
}

TEST(CopyVarUpdateOp, LeavesViewsOfTheOldValueWhatTheyAre) {
  Model m;
  const auto v = m.input({2}, {1, 2}), x = m.input({2}, {5, 7});
  const auto view = m.b.reshape(v, {2, 1});
  const auto updated = m.b.op("CopyVarUpdate", {v, x});
  const auto sum = m.b.add(view, 1);
  optimizer::delayUpdates(m.graph);
  const auto out = m.run({sum, updated});
  expectNear(out[0], {2, 3});
  expectNear(out[1], {5, 7});
}

TEST(CopyVarUpdateOp, RefusesOtherShapesAndConstants) {
  Model m;
  const auto v = m.input({2}, {1, 2}), x = m.input({3}, {5, 7, 9});
  const auto c = m.constant({3}, {1, 2, 3});
  EXPECT_EQ(messageOf([&] {
              m.b.op("CopyVarUpdate", {c, x});
            }),
            "CopyVarUpdate: \"" + m.graph[c].name + "\" is a constant, which cannot be changed.");
  EXPECT_NE(messageOf([&] {
              m.b.op("CopyVarUpdate", {v, x});
            }).find("They must be alike."),
            std::string::npos);
}

TEST(CopyVarUpdateOp, KeepsRunningStatisticsInTheirVariables) {
  Model m;
  const auto one = HostTensor::of<float>({3}, {1, 1, 1});
  Values in{m.randomInput({2, 3, 4})};
  for (const char *name : {"scale", "bias", "mean", "variance"})
    in.push_back(m.graph.addVariable(name, one));
  const auto out = m.b.ops("BatchNormalization", in, 6, {{"training_mode", std::int64_t(1)}});
  optimizer::keepRunningStatistics(m.graph);
  optimizer::keepRunningStatistics(m.graph); // once is enough
  ASSERT_EQ(m.graph.nodes.size(), 3u);
  EXPECT_EQ(m.graph.nodes[1].inputs, (Values{in[3], out[1]}));
  EXPECT_EQ(m.graph.nodes[2].inputs, (Values{in[4], out[2]}));
}

TEST(ClipNormOps, GiveTheFactorOfACommonNorm) {
  Model m;
  const auto a = m.input({2}, {3, 0}), b = m.input({1, 1}, {4}, DataType::FLOAT16);
  const auto sum = m.b.op("SquaredNorm", {a, b});
  const auto factor = m.b.op("ClipFactor", {sum}, {{"maxNorm", 2.0f}, {"gradientScaling", 0.5f}});
  const auto none = m.b.op("ClipFactor", {sum}, {{"maxNorm", 6.0f}, {"gradientScaling", 1.0f}});
  const auto out = m.run({sum, factor, none});
  expectNear(out[0], {25});
  expectNear(out[1], {0.8});
  expectNear(out[2], {1});
}

TEST(ReplicatedOps, ReduceScatterAndGather) {
  const Doubles x{1, 2, 3};
  const std::vector<std::vector<Doubles>> reduced{
      {{3, 5, 7}}, {{1.5, 2.5, 3.5}}, {{2, 6, 12}}, {{1, 2, 3}}, {{2, 3, 4}}};
  for (std::size_t op = 0; op < reduced.size(); ++op) {
    SCOPED_TRACE(op);
    const auto out = onReplicas("ReplicatedAllReduce", x, {{"collectiveOp", std::int64_t(op)}});
    expectNear(out[0], reduced[op][0]);
    expectNear(out[1], reduced[op][0]);
  }
  const auto alone =
      onReplicas("ReplicatedAllReduce", x, {{"collectiveCommGroup", ir::Integers{3, 0}}});
  expectNear(alone[0], x);
  expectNear(alone[1], {2, 3, 4});
  const auto parts = onReplicas("ReplicatedReduceScatter", x);
  expectNear(parts[0], {3, 5});
  expectNear(parts[1], {7, 0});
  const auto all = onReplicas("ReplicatedAllGather", x);
  expectNear(all[0], {1, 2, 3, 2, 3, 4});
  expectNear(all[1], all[0]);
}

TEST(ReplicatedOps, RefuseUnknownOperatorsAndGroups) {
  Model m;
  const auto x = m.input({2}, {1, 2});
  EXPECT_EQ(messageOf([&] {
              m.b.op("ReplicatedAllReduce", {x}, {{"collectiveOp", std::int64_t(9)}});
            }),
            "ReplicatedAllReduce: collectiveOp is 9; it must be 0 (Add) to 8 (Local).");
  EXPECT_EQ(messageOf([&] {
              m.b.op("ReplicatedAllReduce", {x}, {{"collectiveCommGroup", ir::Integers{7, 0}}});
            }),
            "ReplicatedAllReduce: collectiveCommGroup is [7,0]; it must be {type, size of a "
            "group}.");
}
