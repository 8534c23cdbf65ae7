// SPDX-License-Identifier: MIT
// What anchors return, for every kind, over batches, accumulation and replicas.
#include "sessions.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

struct Loops {
  int batches, accumulation, replicas;
  std::int64_t micro() const { return std::int64_t(batches) * accumulation; }
};

// Element e of the input of micro-batch m on a replica.
float given(std::int64_t m, std::int64_t replica, int e) {
  return float(100 * m + 10 * replica + e + 1);
}

Floats inputs(const Loops &loops) {
  Floats in;
  for (std::int64_t m = 0; m < loops.micro(); ++m)
    for (int r = 0; r < loops.replicas; ++r)
      for (int e = 0; e < 2; ++e)
        in.push_back(given(m, r, e));
  return in;
}

// y = {2, 3} x of the micro-batches listed, replica by replica.
Floats expected(const Loops &loops, const std::vector<std::int64_t> &which) {
  Floats out;
  for (auto m : which)
    for (int r = 0; r < loops.replicas; ++r)
      for (int e = 0; e < 2; ++e)
        out.push_back(float(2 + e) * given(m, r, e));
  return out;
}
Floats summed(const Loops &loops) {
  Floats out(std::size_t(loops.replicas) * 2);
  for (std::int64_t m = 0; m < loops.micro(); ++m) {
    const auto one = expected(loops, {m});
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] += one[i];
  }
  return out;
}

std::unique_ptr<Session> make(const Loops &loops, const AnchorReturnType &kind) {
  Product model;
  SessionOptions options;
  options.enableReplicatedGraphs = loops.replicas > 1;
  options.replicatedGraphCount = loops.replicas;
  const DataFlow flow(loops.batches, {{model.y, kind}});
  if (loops.accumulation == 1)
    return model.inference(flow, options, modelDevice(loops.replicas));
  options.enableGradientAccumulation = true;
  options.accumulationFactor = loops.accumulation;
  const SGD still({{"defaultLearningRate", {0.0f, false}}});
  return model.training(flow, still, options, modelDevice(loops.replicas));
}

void check(const Loops &loops, const AnchorReturnType &kind, Shape shape, const Floats &values) {
  SCOPED_TRACE(std::to_string(loops.batches) + " batches, accumulation " +
               std::to_string(loops.accumulation) + ", replicas " + std::to_string(loops.replicas) +
               ", " + kind.str());
  auto session = make(loops, kind);
  std::erase(shape, 1);
  shape.push_back(2);
  EXPECT_EQ(session->getAnchorArrayInfos().at("Mul:0").shape(), shape);
  Shape inputShape{loops.batches, loops.accumulation, loops.replicas};
  std::erase(inputShape, 1);
  inputShape.push_back(2);
  EXPECT_EQ(session->getInputArrayInfos().at("x").shape(), inputShape);
  session->prepareDevice();
  session->weightsFromHost();
  for (int run = 0; run < 2; ++run) // nothing stays from the first
    EXPECT_EQ(step(*session, "x", inputs(loops), "Mul:0", values.size()), values);
}

constexpr Loops all[] = {{1, 1, 1}, {4, 1, 1}, {2, 2, 1}, {2, 1, 2}, {2, 3, 2}};

} // namespace

TEST(Anchors, AllReturnsEveryMicroBatch) {
  for (const auto &l : all) {
    std::vector<std::int64_t> which;
    for (std::int64_t m = 0; m < l.micro(); ++m)
      which.push_back(m);
    check(l, AnchorReturnType("All"), {l.batches, l.accumulation, l.replicas}, expected(l, which));
  }
}
TEST(Anchors, FinalReturnsTheLastMicroBatch) {
  for (const auto &l : all)
    check(l, AnchorReturnType("FINAL"), {l.replicas}, expected(l, {l.micro() - 1}));
}
TEST(Anchors, SumAddsMicroBatchesPerReplica) {
  for (const auto &l : all)
    check(l, AnchorReturnType("Sum"), {l.replicas}, summed(l));
}
TEST(Anchors, EveryNReturnsEveryNthMicroBatch) {
  for (const auto &l : all) {
    if (l.batches % 2)
      continue;
    std::vector<std::int64_t> which;
    for (std::int64_t m = 1; m < l.micro(); m += 2)
      which.push_back(m);
    check(l, AnchorReturnType("EveryN", 2), {l.batches / 2, l.accumulation, l.replicas},
          expected(l, which));
  }
}

TEST(Anchors, MayBeInputsWeightsAndGradients) {
  Product model;
  const std::map<TensorId, Floats> wanted{{"x", {5, 7}},
                                          {"w", {-0.5f, -0.5f}}, // updated
                                          {"Gradient___w", {5, 7}},
                                          {"Gradient___x", {2, 3}}};
  for (const auto &[id, values] : wanted) {
    auto session = model.training(DataFlow(1, {{id, AnchorReturnType("All")}}),
                                  SGD({{"defaultLearningRate", {0.5f, true}}}));
    session->prepareDevice();
    session->weightsFromHost();
    EXPECT_EQ(step(*session, "x", {5, 7}, id, 2), values) << id;
  }
}

TEST(Anchors, OfAScalarHaveNoDimensions) {
  Product model;
  auto session = model.inference(DataFlow(1, {{model.loss, AnchorReturnType("Final")}}));
  EXPECT_EQ(session->getAnchorArrayInfos().at(model.loss).shape(), Shape());
  session->prepareDevice();
  EXPECT_EQ(step(*session, "x", {5, 7}, model.loss, 1), Floats{31});
}

TEST(Anchors, ThatDoNotExistAreErrors) {
  Product model;
  EXPECT_EQ(messageOf([&] {
              model.inference(DataFlow(1, {{"Mull:0", AnchorReturnType("All")}}));
            }),
            "Anchor tensor `Mull:0' not in Ir Tensors. Did you mean \"Mul:0\"?");
}

TEST(Anchors, MayBeNoneAtAll) {
  Product model;
  auto session = model.inference(DataFlow(2));
  session->prepareDevice();
  Floats x{1, 2, 3, 4};
  NDArrayWrapper<float> from(x.data(), Shape{2, 2});
  StepIO io({{"x", from}}, {});
  session->run(io);
  EXPECT_TRUE(session->getAnchorArrayInfos().empty());
}
