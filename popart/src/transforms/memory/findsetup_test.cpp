// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "sessions.hpp"
#include "transforms/memory/findsetup.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

std::vector<int> moved(const Model &m) { // 1: runs once
  const auto once = transforms::findSetup(m.graph);
  std::vector<int> out;
  for (const auto &node : m.graph.nodes)
    out.push_back(once.count(node.outputs[0]) != 0);
  return out;
}
Value variable(Model &m, const Shape &shape) {
  const auto values = m.random(ir::elementsOf(shape));
  const Value w =
      m.graph.addVariable("w", HostTensor::fromDoubles(TensorInfo(DataType::FLOAT, shape), values));
  m.feed(w, values);
  return w;
}

} // namespace

TEST(Setup, TakesWhatNeedsOnlyWeights) {
  Model m;
  const Value x = m.randomInput({4, 6}), w = variable(m, {3, 6}), scale = variable(m, {6, 1});
  const Value t = m.b.transpose(w, {1, 0});      // a view, but of use there
  const Value scaled = m.b.mul(t, scale);        // once
  const Value u = m.b.transpose(scaled, {1, 0}); // a view: stays
  const Value back = m.b.transpose(u, {1, 0});   // so does that
  m.b.exp(m.b.matmul(x, back));
  EXPECT_EQ(moved(m), (std::vector<int>{1, 1, 0, 0, 0, 0})) << ir::text(m.graph);
}

TEST(Setup, LeavesWhatMayChangeOrGrow) {
  Model m;
  const Value x = m.randomInput({2}), w = variable(m, {2}), v = variable(m, {2});
  m.b.neg(w); // read before it is written
  m.b.op("CopyVarUpdate", {w, x});
  m.b.op("Dropout", {v});                                    // draws
  m.b.op("Tile", {v}, {{"repeats", ir::Integers{1 << 20}}}); // large
  m.b.settings.virtualGraph = 0;
  const Value near = m.b.neg(v);
  m.b.settings.virtualGraph = 1;
  m.b.mul(near, x); // on another IPU
  EXPECT_TRUE(transforms::findSetup(m.graph).empty()) << ir::text(m.graph);
}

namespace {

// y = (2 w) x, and 2 w as an anchor if asked.
struct Doubled {
  std::unique_ptr<Builder> builder = Builder::create();
  TensorId x, w, twice, y;
  explicit Doubled(const Floats &weights) {
    const Shape shape{static_cast<std::int64_t>(weights.size())};
    x = builder->addInputTensor("FLOAT", shape, "x");
    w = addWeights(*builder, weights, shape, "w");
    twice = builder->aiOnnxOpset11().add({w, w});
    y = builder->aiOnnxOpset11().mul({x, twice});
  }
  std::unique_ptr<InferenceSession> session(const SessionOptions &options, bool anchored) const {
    std::map<TensorId, AnchorReturnType> anchors{{y, AnchorReturnType("All")}};
    if (anchored)
      anchors.emplace(twice, AnchorReturnType("All"));
    return InferenceSession::createFromOnnxModel(builder->getModelProto(), DataFlow(1, anchors),
                                                 modelDevice(), InputShapeInfo(), options);
  }
};

} // namespace

TEST(Setup, RunsAgainWhenWeightsCome) {
  const Doubled model({1, 2, 3}), other({10, 20, 30});
  SessionOptions options;
  options.constantWeights = false;
  options.updatableNamedBuffers = {"w"};
  auto session = model.session(options, false);
  session->prepareDevice();
  session->weightsFromHost();
  EXPECT_EQ(step(*session, "x", {1, 1, 2}, model.y, 3), (Floats{2, 4, 12}));
  session->resetHostWeights(other.builder->getModelProto());
  session->weightsFromHost();
  EXPECT_EQ(step(*session, "x", {1, 1, 2}, model.y, 3), (Floats{20, 40, 120}));
  Floats third{5, 6, 7};
  WeightsIO io;
  io.insert("w", MutableVoidData(third.data(), TensorInfo(DataType::FLOAT, {3})));
  session->writeWeights(io);
  session->buffersFromHost();
  EXPECT_EQ(step(*session, "x", {1, 1, 2}, model.y, 3), (Floats{10, 12, 28}));
  EXPECT_EQ(readWeight(*session, "w", 3), third);
}

TEST(Setup, ValuesMayBeAnchors) {
  const Doubled model({1, 2, 3});
  SessionOptions options;
  options.constantWeights = false;
  auto session = model.session(options, true);
  session->prepareDevice();
  session->weightsFromHost();
  Floats in{1, 1, 2}, y(3), twice(3);
  NDArrayWrapper<float> from(in.data(), {3}), toY(y.data(), {3}), toTwice(twice.data(), {3});
  StepIO io({{model.x, from}}, {{model.y, toY}, {model.twice, toTwice}});
  session->run(io);
  EXPECT_EQ(y, (Floats{2, 4, 12}));
  EXPECT_EQ(twice, (Floats{2, 4, 6}));
}
