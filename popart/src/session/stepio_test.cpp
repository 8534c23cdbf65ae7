// SPDX-License-Identifier: MIT
// What a step takes and gives: names, types, sizes, callbacks, and the order of calls.
#include "base/Text.hpp"
#include "sessions.hpp"
#include <cmath>

using namespace popart;
using namespace popart::testing;

namespace {

DataFlow anchored(const TensorId &id, int batches = 1) {
  return DataFlow(batches, {{id, AnchorReturnType("All")}});
}

// The message of a step with these arrays.
template <class In, class Out>
std::string stepMessage(const TensorId &inName, const Shape &inShape, const TensorId &outName,
                        const Shape &outShape, const SessionOptions &options = {}) {
  Product model;
  auto session = model.inference(anchored(model.y, 2), options);
  session->prepareDevice();
  std::vector<In> in(64);
  std::vector<Out> out(64);
  NDArrayWrapper<In> from(in.data(), inShape);
  NDArrayWrapper<Out> to(out.data(), outShape);
  StepIO io({{inName, from}}, {{outName, to}});
  return messageOf([&] { session->run(io); });
}

} // namespace

TEST(StepIo, SaysWhatIsWrongWithArrays) {
  EXPECT_EQ((stepMessage<float, float>("x", {2, 2}, "Mul:0", {4})), "no error");
  EXPECT_EQ((stepMessage<float, float>("xx", {2, 2}, "Mul:0", {4})),
            "No input array was given for \"x\" (FLOAT [2]). There is one for \"xx\", which is no "
            "input of the model.");
  EXPECT_EQ(
      (stepMessage<float, float>("x", {2, 2}, "Mul:1", {4})),
      "No output array was given for \"Mul:0\" (FLOAT [2]). There is one for \"Mul:1\", which "
      "is no anchor of the session.");
  EXPECT_EQ((stepMessage<std::int32_t, float>("x", {2, 2}, "Mul:0", {4})),
            "The input array of \"x\" is of type INT32, but the tensor is FLOAT [2]. Make it an "
            "array of float32.");
  EXPECT_EQ((stepMessage<float, std::int32_t>("x", {2, 2}, "Mul:0", {4})),
            "The output array of \"Mul:0\" is of type INT32, but the tensor is FLOAT [2]. Make it "
            "an array of float32.");
  EXPECT_EQ(
      (stepMessage<float, float>("x", {3}, "Mul:0", {4})),
      "Unexpected number of input elements: the array of \"x\" has 3, but one step needs 4: 2 of "
      "the tensor FLOAT [2] times 2 (replication factor 1, accumulation factor 1, batches per step "
      "2).");
  EXPECT_EQ(
      (stepMessage<float, float>("x", {4}, "Mul:0", {2})),
      "Unexpected number of output elements: the array of \"Mul:0\" has 2, but one step needs "
      "4: 2 of the tensor FLOAT [2] times 2 (replication factor 1, accumulation factor 1, batches "
      "per step 2, "
      "returned as All).");
}

TEST(StepIo, LeavesArraysAloneThatAreNoAnchors) {
  Product model;
  auto session = model.inference(anchored(model.y, 1));
  session->prepareDevice();
  std::vector<float> x{3, 5}, y(2), other(7, 9);
  NDArrayWrapper<float> from(x.data(), Shape{2}), to(y.data(), Shape{2}),
      more(other.data(), Shape{7});
  StepIO io({{"x", from}}, {{"Mul:0", to}, {"there", more}});
  session->run(io);
  EXPECT_NE(y[0], 0);
  EXPECT_EQ(other, std::vector<float>(7, 9));
}

TEST(StepIo, RefusesArraysForWhatIsNoInput) {
  Product model;
  auto session = model.inference(anchored(model.y, 1));
  session->prepareDevice();
  std::vector<float> x{3, 5}, y(2);
  NDArrayWrapper<float> from(x.data(), Shape{2}), to(y.data(), Shape{2});
  for (const TensorId id : {"Mul:0", "not", "xx"}) { // computed, or nowhere
    StepIO io({{"x", from}, {id, from}}, {{"Mul:0", to}});
    EXPECT_EQ(messageOf([&] { session->run(io); }),
              base::str("The tensor '", id,
                        "' has been provided as one of the inputs to the stepIO, but it is no "
                        "input of the model. Leave it out.",
                        id == "xx" ? " Did you mean \"x\"?" : ""));
  }
}

TEST(StepIo, FillsArraysOfBytesWithTruthValues) {
  const auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", Shape{3}, "x");
  const auto y = builder->aiOnnxOpset11().less({x, builder->aiOnnxOpset11().abs({x})});
  const auto session =
      InferenceSession::createFromOnnxModel(builder->getModelProto(), anchored(y), modelDevice());
  session->prepareDevice();
  std::vector<float> in{1, -2, 3};
  std::vector<std::uint8_t> out(3, 7);
  NDArrayWrapper<float> from(in.data(), Shape{3});
  NDArrayWrapper<std::uint8_t> to(out.data(), Shape{3});
  StepIO io({{x, from}}, {{y, to}});
  session->run(io);
  EXPECT_EQ(out, (std::vector<std::uint8_t>{0, 1, 0}));
}

TEST(StepIo, RefusesArraysWithDimensionsInAnotherOrder) {
  const auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", Shape{2, 3}, "x");
  const auto y = builder->aiOnnxOpset11().relu({x});
  const auto session = InferenceSession::createFromOnnxModel(builder->getModelProto(),
                                                             anchored(y, 2), modelDevice());
  session->prepareDevice();
  const auto given = [&](const Shape &in, const Shape &out) {
    Floats values(12), results(12);
    NDArrayWrapper<float> from(values.data(), in), to(results.data(), out);
    StepIO io({{x, from}}, {{y, to}});
    return messageOf([&] { session->run(io); });
  };
  for (const Shape &good :
       {Shape{2, 2, 3}, Shape{4, 3}, Shape{12}, Shape{2, 6}, Shape{1, 4, 1, 3}, Shape{2, 1, 2, 3}})
    EXPECT_EQ(given(good, good), "no error") << base::list(good);
  EXPECT_EQ(given({2, 3, 2}, {12}),
            "The input array of \"x\" has the shape [2,3,2], but the tensor "
            "is FLOAT [2,3]. Transpose or reshape it.");
  EXPECT_EQ(given({12}, {6, 2}), "The output array of \"Relu:0\" has the shape [6,2], but the "
                                 "tensor is FLOAT [2,3]. Transpose or reshape it.");
}

TEST(StepIo, AnchorsMayBeEmpty) {
  const auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", Shape{2}, "x");
  const auto none = builder->aiGraphcoreOpset1().slice({x}, {1}, {1}, {0});
  const auto y = builder->aiOnnxOpset11().relu({x});
  const auto session = InferenceSession::createFromOnnxModel(
      builder->getModelProto(), DataFlow(1, std::vector<TensorId>{none, y}), modelDevice());
  session->prepareDevice();
  Floats in{1, -1}, out(2, 5);
  NDArrayWrapper<float> from(in.data(), Shape{2}), to(out.data(), Shape{2}),
      nothing(out.data(), Shape{0});
  StepIO io({{x, from}}, {{y, to}, {none, nothing}});
  session->run(io);
  EXPECT_EQ(out, (Floats{1, 0}));
}

// Not the first time alone, and never beyond the end of an array.
TEST(StepIo, ChecksArraysOfEveryStep) {
  Product model;
  auto session = model.inference(anchored(model.y, 2));
  session->prepareDevice();
  Floats in(64), out(64);
  const auto message = [&](std::int64_t given, std::int64_t taken, bool asserts) {
    NDArrayWrapper<float> from(in.data(), {given}), to(out.data(), {taken});
    StepIO io({{"x", from}}, {{model.y, to}});
    io.enableRuntimeAsserts(asserts);
    const auto text = messageOf([&] { session->run(io); });
    return text.substr(0, text.find(", but"));
  };
  for (const bool asserts : {true, false}) {
    EXPECT_EQ(message(4, 4, true), "no error");
    EXPECT_EQ(message(1, 4, asserts),
              "Unexpected number of input elements: the array of \"x\" has 1");
    EXPECT_EQ(message(4, 1, asserts),
              "Unexpected number of output elements: the array of \"Mul:0\" has 1");
  }
  EXPECT_EQ(message(4, 4, true), "no error");
}

TEST(StepIo, CallbacksBringWhatIsAskedFor) {
  Product model;
  auto session = model.inference(anchored(model.y));
  session->prepareDevice();
  Floats in(2), out(2);
  const auto message = [&](std::int64_t given, std::int64_t taken) {
    StepIOCallback io(
        [&](TensorId, bool) -> ConstVoidData {
          return {in.data(), {DataType::FLOAT, {given}}};
        },
        [](TensorId) {},
        [&](TensorId) -> MutableVoidData {
          return {out.data(), {DataType::FLOAT, {taken}}};
        },
        [](TensorId) {});
    return messageOf([&] { session->run(io); });
  };
  EXPECT_EQ(message(1, 2), "The data given for \"x\" has 1 elements, but one micro-batch of one "
                           "replica has 2: FLOAT [2].");
  EXPECT_EQ(message(2, 3), "The array given for \"Mul:0\" has 3 elements, but one micro-batch of "
                           "one replica has 2: FLOAT [2].");
  EXPECT_EQ(message(2, 2), "no error");
}

TEST(StepIo, SaysWhatIsMissing) {
  Product model;
  auto session = model.inference(anchored(model.y));
  session->prepareDevice();
  Floats values(2);
  NDArrayWrapper<float> array(values.data(), {2});
  StepIO noInput({}, {{model.y, array}}), noOutput({{"x", array}}, {});
  EXPECT_EQ(messageOf([&] { session->run(noInput); }),
            "No input array was given for \"x\" (FLOAT [2]).");
  EXPECT_EQ(messageOf([&] { session->run(noOutput); }),
            "No output array was given for \"Mul:0\" (FLOAT [2]).");
}

TEST(StepIo, AcceptsAnInputThatTheModelDoesNotUse) {
  Product model;
  model.builder->addInputTensor("FLOAT", {3}, "spare");
  auto session = model.inference(anchored(model.y));
  session->prepareDevice();
  Floats in{1, 2}, spare(7), out(2);
  NDArrayWrapper<float> from(in.data(), {2}), unused(spare.data(), {7}), to(out.data(), {2});
  StepIO io({{"x", from}, {"spare", unused}}, {{model.y, to}});
  session->run(io);
  EXPECT_EQ(out, (Floats{2, 6}));
}

TEST(StepIo, OneObjectServesManySteps) {
  Product model;
  auto session = model.inference(anchored(model.y, 2));
  session->prepareDevice();
  Floats in{1, 2, 3, 4}, out(4);
  NDArrayWrapper<float> from(in.data(), {2, 2}), to(out.data(), {2, 2});
  StepIO io({{"x", from}}, {{model.y, to}});
  for (float offset : {0.f, 10.f}) {
    in[3] = 4 + offset; // the data is used where it lies
    session->run(io);
    EXPECT_EQ(out, (Floats{2, 6, 6, 3 * (4 + offset)}));
  }
}

TEST(StepIo, CallbacksComeInOrder) {
  Product model;
  SessionOptions options;
  options.enableReplicatedGraphs = true;
  options.replicatedGraphCount = 2;
  auto session = model.inference(anchored(model.y, 2), options, modelDevice(2));
  session->prepareDevice();
  Floats in(8), out(8);
  for (std::size_t i = 0; i < 8; ++i)
    in[i] = float(i);
  std::size_t given = 0, taken = 0, completed = 0, returned = 0;
  const TensorInfo info(DataType::FLOAT, {2});
  StepIOCallback io(
      [&](TensorId id, bool prefetch) {
        EXPECT_EQ(id, "x");
        return prefetch ? ConstVoidData() : ConstVoidData(&in[2 * given], info);
      },
      [&](TensorId) { ++given; },
      [&](TensorId id) {
        EXPECT_EQ(id, model.y);
        return MutableVoidData(&out[2 * taken++], info);
      },
      [&](TensorId) {
        ++completed;
        returned = taken;
      });
  session->run(io);
  EXPECT_EQ(given, 4u);
  EXPECT_EQ(completed, 4u);
  EXPECT_EQ(returned, 4u);
  EXPECT_EQ(out, (Floats{0, 3, 4, 9, 8, 15, 12, 21}));
}

TEST(StepIo, ACallbackWithoutDataIsAnError) {
  Product model;
  auto session = model.inference(anchored(model.y));
  session->prepareDevice();
  StepIOCallback io([](TensorId, bool) { return ConstVoidData(); }, [](TensorId) {},
                    [](TensorId) { return MutableVoidData(); }, [](TensorId) {});
  EXPECT_EQ(messageOf([&] { session->run(io); }), "There is no data for the input \"x\".");
}

TEST(StepIo, NotANumberPassesThrough) {
  Product model;
  auto session = model.inference(anchored(model.y));
  session->prepareDevice();
  const auto out = step(*session, "x", {NAN, INFINITY}, model.y, 2);
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(out[1], INFINITY);
}

TEST(StepIo, BroadcastInputsAreGivenOnceForAllReplicas) {
  Product model({2, 3}, InputSettings(ReplicatedStreamMode::Broadcast));
  SessionOptions options;
  options.enableReplicatedGraphs = true;
  options.replicatedGraphCount = 2;
  auto session = model.inference(anchored(model.y, 2), options, modelDevice(2));
  EXPECT_EQ(session->getInputArrayInfos().at("x").shape(), (Shape{2, 2}));
  session->prepareDevice();
  EXPECT_EQ(step(*session, "x", {1, 2, 3, 4}, model.y, 8), (Floats{2, 6, 2, 6, 6, 12, 6, 12}));
}

TEST(StepIo, Integers64AreNarrowedAndWidened) {
  auto builder = Builder::create();
  const auto x = builder->addInputTensor("INT32", {2}, "x");
  const auto y = builder->aiOnnxOpset11().add({x, x});
  auto session =
      InferenceSession::createFromOnnxModel(builder->getModelProto(), anchored(y), modelDevice());
  session->prepareDevice();
  std::vector<std::int64_t> in{-3, 1 << 20}, out(2);
  NDArrayWrapper<std::int64_t> from(in.data(), {2}), to(out.data(), {2});
  StepIO io({{x, from}}, {{y, to}});
  session->run(io);
  EXPECT_EQ(out, (std::vector<std::int64_t>{-6, 1 << 21}));
  in[1] = std::int64_t(1) << 40;
  EXPECT_EQ(messageOf([&] { session->run(io); }),
            "The value 1099511627776 of \"x\" (element 1) does not fit in the 32 bits it has on "
            "the device.");
}

TEST(StepIo, SyntheticDataNeedsNoArrays) {
  for (auto mode : {SyntheticDataMode::Zeros, SyntheticDataMode::RandomNormal}) {
    Product model;
    SessionOptions options;
    options.syntheticDataMode = mode;
    auto session =
        model.training(anchored(model.y), SGD({{"defaultLearningRate", {0.1f, true}}}), options);
    session->prepareDevice();
    session->weightsFromHost();
    StepIO io({}, {});
    session->run(io); // weights need not be sent either
  }
}

TEST(Session, SaysWhatMustComeFirst) {
  Product model;
  auto session = model.training(anchored(model.y), SGD({{"defaultLearningRate", {0.1f, true}}}));
  StepIO io({}, {});
  const std::string unprepared = "The session is not on a device yet. Call prepareDevice() first.";
  EXPECT_EQ(messageOf([&] { session->run(io); }), unprepared);
  EXPECT_EQ(messageOf([&] { session->weightsFromHost(); }), unprepared);
  EXPECT_EQ(messageOf([&] { session->getSummaryReport(); }), unprepared);
  EXPECT_EQ(messageOf([&] { session->getSerializedGraph(); }), unprepared);
  session->prepareDevice();
  EXPECT_EQ(messageOf([&] { session->run(io); }),
            "The weights have not been sent to the device. Call weightsFromHost() before run().");
  EXPECT_EQ(messageOf([&] { session->run("other", io); }), "The session has no program \"other\".");
}

TEST(Session, CountsCycles) {
  Product model;
  SessionOptions options;
  options.instrumentWithHardwareCycleCounter = true;
  auto session = model.inference(anchored(model.y), options);
  session->prepareDevice();
  step(*session, "x", {1, 2}, model.y, 2);
  EXPECT_GT(session->getCycleCount(), 0u);
  EXPECT_EQ(messageOf([&] { session->getCycleCount("inner"); }),
            "There is no cycle counter \"inner\". Set instrumentWithHardwareCycleCounter before "
            "the session is made; ids: [].");
}

TEST(Session, TellsItsIrAsJson) {
  Product model;
  auto session = model.inference(anchored(model.y));
  const auto text = session->serializeIr(IrSerializationFormat::JSON);
  EXPECT_EQ(text.rfind("{\"maingraph\":[{\"type\":\"", 0), 0u) << text;
  for (const char *part :
       {"\"inputs\":[{\"name\":\"x\",\"shape\":\"[2]\",\"type\":\"float32\",\"index\":\"0\"}",
        "\"outputs\":[{\"name\":\"Mul:0\",\"index\":\"0\"}]", "\"attributes\":{"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  session->prepareDevice();
  EXPECT_FALSE(session->getSerializedGraph().empty());
  EXPECT_EQ(session->getInfo("x").shape(), Shape{2});
  EXPECT_EQ(messageOf([&] { session->getInfo("z"); }).rfind("No tensor is called \"z\".", 0), 0u);
}

// What a callback throws comes out of run() unchanged, and the session goes on with the weights of
// the last update, without gradients that were gathered for the next.
TEST(StepIo, ACallbackMayThrow) {
  struct Broken : std::exception {
    const char *what() const noexcept override { return "the disk is gone"; }
  };
  for (const bool atInput : {true, false})
    for (const std::int64_t accumulated : {1, 2}) {
      Product model;
      SessionOptions options;
      options.enableGradientAccumulation = accumulated > 1;
      options.accumulationFactor = accumulated;
      auto session = model.training(DataFlow(4, {{model.y, AnchorReturnType("All")}}),
                                    SGD({{"defaultLearningRate", {1, true}}}), options);
      session->prepareDevice();
      session->weightsFromHost();
      const TensorInfo info(DataType::FLOAT, {2});
      Floats in{1, 1}, out(2);
      int reads = 0, writes = 0;
      const int bad = int(accumulated) * 2 + 1; // in the third update
      const auto input = [&](const TensorId &, bool prefetch) -> ConstVoidData {
        if (prefetch)
          return {nullptr, info};
        if (++reads == bad && atInput)
          throw Broken();
        return {in.data(), info};
      };
      const auto output = [&](const TensorId &) -> MutableVoidData {
        if (++writes == bad && !atInput)
          throw Broken();
        return {out.data(), info};
      };
      StepIOCallback io(
          input, [](const TensorId &) {}, output, [](const TensorId &) {});
      EXPECT_THROW(session->run(io), Broken) << atInput << accumulated;
      const float done = 2 * float(accumulated);
      EXPECT_EQ(readWeight(*session, model.w, 2), (Floats{2 - done, 3 - done}));
      session->run(io);
      const float after = done + 4 * float(accumulated);
      EXPECT_EQ(readWeight(*session, model.w, 2), (Floats{2 - after, 3 - after}));
    }
}
