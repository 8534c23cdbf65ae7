// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "sessions.hpp"
#include "transforms/memory/findsetup.hpp"
#include "transforms/rewriting/foldbatchnorms.hpp"
#include "transforms/rewriting/prune.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

struct Layer {
  std::string type = "Conv";
  Shape input = {2, 4, 5, 6}, weights = {6, 4, 3, 3};
  std::int64_t group = 1;
  bool bias = true;
  DataType data = DataType::FLOAT;
  std::int64_t channels() const {
    return type == "ConvTranspose" ? weights[1] * group
           : type == "MatMul"      ? weights[1]
                                   : weights[0];
  }
};

Value variable(Model &m, const Shape &shape, DataType type, double lo = -1, double hi = 1) {
  const auto values = m.random(ir::elementsOf(shape), lo, hi);
  const Value w =
      m.graph.addVariable("w", HostTensor::fromDoubles(TensorInfo(type, shape), values));
  m.feed(w, values);
  return w;
}
Value fixed(Model &m, const Shape &shape, DataType type, double lo = -1, double hi = 1) {
  return m.constant(shape, m.random(ir::elementsOf(shape), lo, hi), type);
}
using Parameter = Value(Model &, const Shape &, DataType, double, double);
Value linear(Model &m, const Layer &l, Value w, Parameter parameter = variable) {
  const Value x = m.randomInput(l.input, -1, 1, l.data);
  const Value bias = l.bias ? parameter(m, {l.channels()}, l.data, -1, 1) : ir::none;
  if (l.type == "MatMul") {
    const Value y = m.b.matmul(x, w);
    return l.bias ? m.b.add(bias, y) : y;
  }
  return m.b.op(l.type, {x, w, bias}, {{"group", l.group}});
}
Value normalised(Model &m, Value v, Parameter parameter = variable) {
  const Shape channels{m.graph[v].info.shape()[1]};
  const auto f = DataType::FLOAT;
  return m.b.op("BatchNormalization",
                {v, parameter(m, channels, f, -1, 1), parameter(m, channels, f, -1, 1),
                 parameter(m, channels, f, -1, 1), parameter(m, channels, f, 0.1, 2)},
                {{"epsilon", 1e-3f}});
}

} // namespace

TEST(FoldBatchNorm, KeepsNumbers) {
  for (const auto &l :
       std::vector<Layer>{{},
                          {"Conv", {2, 4, 5, 6}, {6, 2, 3, 3}, 2, false},
                          {"Conv", {2, 4, 5}, {6, 4, 3}, 1, true, DataType::FLOAT16},
                          {"ConvTranspose", {2, 4, 5, 6}, {4, 3, 3, 3}, 1, true},
                          {"ConvTranspose", {2, 4, 5, 6}, {4, 3, 3, 3}, 2, false},
                          {"MatMul", {5, 7}, {7, 6}, 1, true},
                          {"MatMul", {5, 7}, {7, 6}, 1, false}}) {
    SCOPED_TRACE(l.type);
    Model m;
    const Value y = normalised(m, linear(m, l, variable(m, l.weights, l.data)));
    const auto before = m.run(y);
    EXPECT_EQ(transforms::foldBatchNorms(m.graph, {y}), 1u);
    transforms::prune(m.graph, {y});
    EXPECT_EQ(m.count("BatchNormalization"), 0u);
    EXPECT_EQ(m.count("Conv") + m.count("ConvDataGrad") + m.count("MatMul"), 1u);
    const double rounding = l.data == DataType::FLOAT16 ? 1e-2 : 1e-5;
    expectNear(m.run(y), before, rounding, rounding);
    const auto once = transforms::findSetup(m.graph); // all but the layer itself
    unsigned left = 0;
    for (const auto &node : m.graph.nodes)
      left += !once.count(node.outputs[0]) && !node.def->unwind;
    EXPECT_EQ(left, l.type == "MatMul" ? 2u : 1u) << ir::text(m.graph);
  }
}

// The device has the layer alone; the host makes its weights of the variables.
TEST(FoldBatchNorm, LeavesVariablesToTheHost) {
  for (const auto &l :
       std::vector<Layer>{{},
                          {"Conv", {2, 4, 5, 6}, {6, 2, 3, 3}, 2, false},
                          {"Conv", {2, 4, 5}, {6, 4, 3}, 1, true, DataType::FLOAT16},
                          {"ConvTranspose", {2, 4, 5, 6}, {4, 3, 3, 3}, 2, true},
                          {"MatMul", {5, 7}, {7, 6}, 1, true}}) {
    SCOPED_TRACE(l.type);
    Model m;
    const Value y = normalised(m, linear(m, l, variable(m, l.weights, l.data)));
    const auto before = m.run(y);
    std::vector<ir::FoldedNorm> norms;
    EXPECT_EQ(transforms::foldBatchNorms(m.graph, {y}, &norms), 1u);
    transforms::prune(m.graph, {y});
    ASSERT_EQ(norms.size(), 1u);
    EXPECT_EQ(m.graph.nodes.size(), l.type == "MatMul" ? 2u : 1u) << ir::text(m.graph);
    const auto made = transforms::foldOnHost(
        norms[0], l.data, [&](const TensorId &id) { return m.graph[m.graph.find(id)].data; });
    m.feed(m.graph.find(norms[0].weights), made.weights.doubles());
    m.feed(m.graph.find(norms[0].bias), made.bias.doubles());
    const double rounding = l.data == DataType::FLOAT16 ? 1e-2 : 1e-5;
    expectNear(m.run(y), before, rounding, rounding);
  }
}

// Of any size: nothing is left for the tiles to do but the layer.
TEST(FoldBatchNorm, FoldsConstantsOnTheHost) {
  for (const auto &l :
       std::vector<Layer>{{"Conv", {2, 4, 5, 6}, {6, 2, 3, 3}, 2, false},
                          {"Conv", {1, 1024, 1, 1}, {1040, 1024, 1, 1}, 1, true},
                          {"ConvTranspose", {2, 4, 5, 6}, {4, 3, 3, 3}, 2, false},
                          {"MatMul", {5, 7}, {7, 6}, 1, false, DataType::FLOAT16}}) {
    SCOPED_TRACE(l.type);
    Model m;
    const auto values = m.random(ir::elementsOf(l.weights));
    const Value v = linear(m, l, m.constant(l.weights, values, l.data), fixed);
    const Value y = normalised(m, v, fixed);
    const auto before = m.run(y);
    EXPECT_EQ(transforms::foldBatchNorms(m.graph, {y}), 1u);
    transforms::prune(m.graph, {y});
    unsigned left = 0;
    for (const auto &node : m.graph.nodes)
      left += !node.def->unwind;
    EXPECT_EQ(left, l.type == "MatMul" ? 2u : 1u) << ir::text(m.graph);
    const double rounding = l.data == DataType::FLOAT16 ? 1e-2 : 1e-4;
    expectNear(m.run(y), before, rounding, rounding);
  }
}

// In front of a layer: one product and one sum with parameters that are made once.
TEST(FoldBatchNorm, BecomesAProductAndASum) {
  Model m;
  const Value y = m.b.op("Relu", {normalised(m, m.randomInput({2, 3, 4, 5}))});
  const auto before = m.run(y);
  EXPECT_EQ(transforms::foldBatchNorms(m.graph, {y}), 0u);
  const auto once = transforms::findSetup(m.graph);
  std::string left;
  for (const auto &node : m.graph.nodes)
    if (!once.count(node.outputs[0]) && !node.def->unwind)
      left += node.def->type + " ";
  EXPECT_EQ(left, "Mul Add Relu ");
  expectNear(m.run(y), before);
}

TEST(FoldBatchNorm, LeavesWhatOthersSeeOrChange) {
  for (int what : {0, 1, 2, 3, 4, 5}) {
    SCOPED_TRACE(what);
    Model m;
    const Layer l;
    const Value w = what == 1 ? m.randomInput(l.weights) : variable(m, l.weights, l.data);
    const Value v = linear(m, l, w);
    if (what == 2)
      m.b.settings.virtualGraph = 1;
    if (what == 3)
      m.b.neg(v); // another user
    const Value y = normalised(m, v);
    if (what == 5)
      m.graph.nodes.back().attributes.set("training_mode", std::int64_t(1));
    EXPECT_EQ(transforms::foldBatchNorms(m.graph, what == 4 ? std::set{y, v} : std::set{y}),
              what ? 0u : 1u);
  }
}

TEST(FoldBatchNorm, FollowsTheWeightsOfASession) {
  const auto build = [](float scale) {
    auto builder = Builder::create();
    const auto x = builder->addInputTensor("FLOAT", {1, 1, 2, 2}, "x");
    const auto w = addWeights(*builder, {scale}, {1, 1, 1, 1}, "w");
    const auto one = [&](float v, const char *name) {
      return addWeights(*builder, {v}, {1}, name);
    };
    auto o = builder->aiOnnxOpset11();
    const auto y = o.conv({x, w, one(1, "b")});
    builder->addOutputTensor(o.batchnormalization(
        {y, one(2 * scale, "s"), one(3, "o"), one(scale, "m"), one(4, "v")}, 1, 0.0f)[0]);
    return builder;
  };
  // ((w x + 1) - m) / 2 s + 3 with w = m = scale, s = 2 scale
  const auto want = [](float x, float scale) { return (scale * x + 1 - scale) * scale + 3; };
  enum Case { Constants, Variables, FromTheCache, OnTheTiles, BesideTheChip };
  const Folder folder;
  for (const auto which : {Constants, Variables, FromTheCache, OnTheTiles, BesideTheChip}) {
    SCOPED_TRACE(int(which));
    const bool constant = which == Constants;
    auto model = build(2), other = build(-3);
    const auto y = model->getOutputTensorIds()[0];
    SessionOptions options;
    options.constantWeights = constant;
    options.enableEngineCaching = which == Variables || which == FromTheCache;
    options.cachePath = folder.path().string();
    if (which == OnTheTiles)
      options.updatableNamedBuffers = {"m", "v"};
    if (which == BesideTheChip)
      options.weightTensorLocationSettings = {TensorLocation(TensorStorage::OffChip), 0, 1};
    auto device = options.enableEngineCaching
                      ? DeviceManager::createDeviceManager().acquireAvailableDevice(1)
                      : modelDevice(); // of which nothing is kept
    auto session = InferenceSession::createFromOnnxModel(
        model->getModelProto(), DataFlow(1, {{y, AnchorReturnType("All")}}), device,
        InputShapeInfo(), options);
    session->prepareDevice();
    if (which == FromTheCache)
      EXPECT_TRUE(isWarm(*session));
    else
      EXPECT_EQ(
          session->serializeIr(IrSerializationFormat::JSON).find("\"type\":\"BatchNormalization\""),
          std::string::npos);
    session->weightsFromHost();
    const Floats in{1, 2, 3, 4};
    const auto check = [&](float scale) {
      const auto got = step(*session, "x", in, y, 4);
      for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(got[i], want(in[i], scale), 1e-4) << i;
    };
    check(2);
    if (constant)
      continue;
    session->resetHostWeights(other->getModelProto());
    session->weightsFromHost();
    check(-3);
    EXPECT_EQ(readWeight(*session, "w", 1), Floats{-3});
    EXPECT_EQ(readWeight(*session, "m", 1), Floats{-3});
    float mean = 4;
    WeightsIO changed;
    changed.insert("m", MutableVoidData(&mean, TensorInfo(DataType::FLOAT, Shape{1})));
    session->writeWeights(changed);
    session->weightsFromHost();
    EXPECT_NEAR(step(*session, "x", in, y, 4)[0], (-3 * in[0] + 1 - 4) * -3 + 3, 1e-4);
  }
}
