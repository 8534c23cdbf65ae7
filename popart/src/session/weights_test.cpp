// SPDX-License-Identifier: MIT
// Weights between device, host and models; optimisers that change; seeds.
#include "onnx/tensors.hpp"
#include "onnx/testmodels.hpp"
#include "sessions.hpp"
#include <popart/adam.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

const AnchorReturnType everything("All");
SGD sgd(float rate, bool constant = true) {
  return SGD({{"defaultLearningRate", {rate, constant}}});
}
SGD momentum() {
  return SGD({{"defaultLearningRate", {0.5f, true}}, {"defaultMomentum", {0.5f, true}}});
}

onnx::ModelProto readModel(const std::string &file) {
  onnx::ModelProto model;
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(model.ParseFromIstream(&in)) << file;
  return model;
}
std::set<std::string> initializersOf(const std::string &file) {
  std::set<std::string> out;
  const auto model = readModel(file);
  for (const auto &tensor : model.graph().initializer())
    out.insert(tensor.name());
  return out;
}

// model.onnx, with the values of its only initialiser in weights.bin.
void saveWithWeightsBeside(const std::string &bytes, const Folder &folder) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes));
  auto &tensor = *model.mutable_graph()->mutable_initializer(0);
  const auto values = onnxmodel::TensorReader().read(tensor);
  std::ofstream(folder.file("weights.bin"), std::ios::binary)
      .write(static_cast<const char *>(values.data()), std::streamsize(values.bytes()));
  tensor.clear_raw_data();
  tensor.clear_float_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto *entry = tensor.add_external_data();
  entry->set_key("location");
  entry->set_value("weights.bin");
  std::ofstream out(folder.file("model.onnx"), std::ios::binary);
  EXPECT_TRUE(model.SerializeToOstream(&out));
}

SessionOptions replicated(int replicas) {
  SessionOptions options;
  options.enableReplicatedGraphs = true;
  options.replicatedGraphCount = replicas;
  options.constantWeights = false;
  return options;
}

} // namespace

TEST(Weights, TrainedModelsAreSavedAndReloaded) {
  const Folder folder;
  Product model;
  auto session = model.training(DataFlow(1, {{model.y, everything}}), momentum());
  session->prepareDevice();
  session->weightsFromHost();
  step(*session, "x", {1, 2}, model.y, 2); // w -= 0.5 x
  std::filesystem::create_directory(folder.file("deep"));
  session->modelToHost(folder.file("deep/trained.onnx"));
  EXPECT_EQ(initializersOf(folder.file("deep/trained.onnx")),
            (std::set<std::string>{"w", "Accl___w"}));
  const auto second = step(*session, "x", {1, 2}, model.y, 2);
  const auto third = step(*session, "x", {1, 2}, model.y, 2);
  EXPECT_EQ(second, (Floats{1.5, 4}));

  auto inference = InferenceSession::createFromOnnxModel(
      folder.file("deep/trained.onnx"), DataFlow(1, {{model.y, everything}}), modelDevice());
  inference->prepareDevice();
  EXPECT_EQ(step(*inference, "x", {1, 2}, model.y, 2), second);

  // The state comes back too: training goes on as if it had not been interrupted.
  auto resumed = TrainingSession::createFromOnnxModel(folder.file("deep/trained.onnx"),
                                                      DataFlow(1, {{model.y, everything}}),
                                                      model.loss, momentum(), modelDevice());
  resumed->prepareDevice();
  resumed->weightsFromHost();
  EXPECT_EQ(step(*resumed, "x", {1, 2}, model.y, 2), second);
  EXPECT_EQ(step(*resumed, "x", {1, 2}, model.y, 2), third);
}

// Weights are what the model uses, whatever they are called: trained, saved, and apart from the
// state that the optimiser keeps.
TEST(Weights, MayBeCalledAsStateIs) {
  auto model = parsed(R"(<ir_version: 7, opset_import: ["" : 13]>
    g (float[2] x) => (float loss) {
      a = Mul(x, w)  b = Mul(a, Accl___w)  loss = ReduceSum <keepdims = 0> (b) })");
  addFloats(model, "w", {1, 2});
  addFloats(model, "Accl___w", {3, 4});
  const SGD sgd({{"defaultLearningRate", {0.5f, false}}, {"defaultMomentum", {0.5f, false}}});
  const auto session = TrainingSession::createFromOnnxModel(
      model.SerializeAsString(), DataFlow(1, {{"loss", AnchorReturnType("All")}}), "loss", sgd,
      modelDevice());
  session->prepareDevice();
  session->weightsFromHost();
  EXPECT_EQ(step(*session, "x", {1, 1}, "loss", 1), Floats{11});
  EXPECT_EQ(readWeight(*session, "w", 2), (Floats{-0.5f, 0}));
  EXPECT_EQ(readWeight(*session, "Accl___w", 2), (Floats{2.5f, 3}));
  EXPECT_TRUE(session->hasInfo("Accl___w/1"));
  EXPECT_TRUE(session->hasInfo("Accl___Accl___w"));
}

TEST(Weights, AccumulatorsAreNeverSaved) {
  const Folder folder;
  Product model;
  SessionOptions options;
  options.enableGradientAccumulation = true;
  options.accumulationFactor = 2;
  const Adam adam({{"defaultLearningRate", {0.1f, true}}}, AdamMode::Adam, WeightDecayMode::Decay,
                  DataType::FLOAT, DataType::FLOAT, DataType::FLOAT);
  for (bool disabled : {false, true}) {
    options.disableOptimizerStateTensorStreams = options.disableGradAccumulationTensorStreams =
        disabled;
    auto session = model.training(DataFlow(1, {{model.y, everything}}), adam, options);
    session->prepareDevice();
    session->weightsFromHost();
    step(*session, "x", {1, 2, 3, 4}, model.y, 4);
    session->modelToHost(folder.file("m.onnx"));
    EXPECT_EQ(initializersOf(folder.file("m.onnx")),
              disabled ? (std::set<std::string>{"w"})
                       : (std::set<std::string>{"w", "Accl1___w", "Accl2___w", "Step___w"}));
  }
}

TEST(Weights, AreReadAndWritten) {
  Product model;
  SessionOptions options;
  options.constantWeights = false;
  auto session = model.inference(DataFlow(1, {{model.y, everything}}), options);
  session->prepareDevice();
  session->weightsFromHost();
  EXPECT_EQ(readWeight(*session, "w", 2), (Floats{2, 3}));
  Floats other{5, 7, 0};
  WeightsIO io;
  io.insert("w", MutableVoidData(other.data(), TensorInfo(DataType::FLOAT, {2})));
  session->writeWeights(io);
  EXPECT_EQ(step(*session, "x", {1, 1}, model.y, 2), (Floats{2, 3})); // the host's copy only
  session->weightsFromHost();
  EXPECT_EQ(step(*session, "x", {1, 1}, model.y, 2), (Floats{5, 7}));

  WeightsIO wrong;
  wrong.insert("w", MutableVoidData(other.data(), TensorInfo(DataType::FLOAT, {3})));
  EXPECT_EQ(messageOf([&] { session->writeWeights(wrong); }),
            "The array for the weight \"w\" has 3 elements, but the weight is FLOAT [2].");
}

TEST(Weights, AreReplacedByThoseOfAnotherModel) {
  Product model, other({10, 20}), bigger({1, 2, 3});
  auto session = model.training(DataFlow(1, {{model.y, everything}}), sgd(0.5f));
  session->prepareDevice();
  session->weightsFromHost();
  session->resetHostWeights(other.bytes());
  EXPECT_EQ(messageOf([&] {
              step(*session, "x", {1, 1}, model.y, 2);
            }),
            "The weights have not been sent to the device. Call weightsFromHost() before run().");
  session->weightsFromHost();
  EXPECT_EQ(step(*session, "x", {1, 1}, model.y, 2), (Floats{10, 20}));

  EXPECT_EQ(messageOf([&] { session->resetHostWeights(bigger.bytes()); }),
            "resetHostWeights: the initializer \"w\" is FLOAT [3], but the session's is FLOAT "
            "[2].");
  const std::string nothing("\x08\x07", 2); // an ONNX model of version 7 without a graph
  EXPECT_EQ(messageOf([&] { session->resetHostWeights(nothing, true); }),
            "resetHostWeights: the model has no initializers, so no weight of the session is in "
            "it. Give a model that has them.");
  addWeights(*other.builder, {1}, {1}, "v");
  EXPECT_EQ(messageOf([&] { session->resetHostWeights(other.bytes()); }),
            "resetHostWeights: the model has an initializer \"v\", but the session has no such "
            "weight. It can be ignored by the second argument.");
  session->resetHostWeights(other.bytes(), true);
}

TEST(Weights, OfConstantWeightInferenceCannotChange) {
  Product model;
  auto session = model.inference(DataFlow(1, {{model.y, everything}}));
  EXPECT_EQ(messageOf([&] { session->resetHostWeights(model.bytes()); }),
            "resetHostWeights: the weights of this inference session are constants. Set "
            "constantWeights to false to change them.");
  EXPECT_EQ(messageOf([&] { session->writeWeights(WeightsIO()); }),
            "The weights of this inference session are constants. Set constantWeights to false to "
            "change them.");
}

// One value per group of replicas.
TEST(Weights, MayDifferBetweenReplicas) {
  struct Case {
    VariableSettings settings;
    Floats data;             // group by group
    std::vector<int> groups; // of the four replicas
  };
  const Case cases[] = {
      {CommGroup(CommGroupType::None, 0), {1, 2, 3, 4}, {0, 1, 2, 3}},
      {CommGroup(CommGroupType::Consecutive, 2), {1, 2}, {0, 0, 1, 1}},
      {CommGroup(CommGroupType::Orthogonal, 2), {1, 2}, {0, 1, 0, 1}},
      {{CommGroup(CommGroupType::Consecutive, 2), VariableRetrievalMode::AllReplicas},
       {1, 2},
       {0, 0, 1, 1}}};
  for (const auto &c : cases) {
    SCOPED_TRACE(c.settings.getSharedVariableDomain());
    auto builder = Builder::create();
    const auto x = builder->addInputTensor("FLOAT", {1}, "x");
    const auto groups = static_cast<std::int64_t>(c.data.size());
    const auto w = addWeights(*builder, c.data, {groups, 1}, "w", c.settings);
    const auto y = builder->aiOnnxOpset11().mul({x, w});
    auto session = InferenceSession::createFromOnnxModel(
        builder->getModelProto(), DataFlow(1, {{y, everything}}), modelDevice(4), InputShapeInfo(),
        replicated(4));
    EXPECT_EQ(session->getInfo("w").shape(), Shape{1});
    session->prepareDevice();
    session->weightsFromHost();
    Floats each;
    for (int group : c.groups)
      each.push_back(c.data[std::size_t(group)]);
    EXPECT_EQ(step(*session, x, {1, 1, 1, 1}, y, 4), each);
    const bool all = c.settings.getRetrievalMode() == VariableRetrievalMode::AllReplicas;
    const auto back = all ? each : c.data;
    EXPECT_EQ(readWeight(*session, w, back.size()), back);
  }
}

TEST(Weights, OfInferenceAreReadOncePerReplica) {
  auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", {2}, "x");
  const auto w =
      addWeights(*builder, {3, 5}, {2}, "w", VariableSettings(VariableRetrievalMode::AllReplicas));
  const auto y = builder->aiOnnxOpset11().mul({x, w});
  for (const bool constant : {true, false}) {
    auto options = replicated(3);
    options.constantWeights = constant;
    auto session = InferenceSession::createFromOnnxModel(builder->getModelProto(),
                                                         DataFlow(1, {{y, everything}}),
                                                         modelDevice(3), InputShapeInfo(), options);
    session->prepareDevice();
    session->weightsFromHost();
    EXPECT_EQ(readWeight(*session, w, 6), (Floats{3, 5, 3, 5, 3, 5}));
  }
}

// Weights so large that they stay where the model's bytes are.
TEST(Weights, LargeOnesAreTrainedGroupedSavedAndReloaded) {
  constexpr std::size_t n = 20000;
  const Folder folder;
  auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", {n}, "x");
  Floats start(2 * n);
  for (std::size_t i = 0; i < 2 * n; ++i)
    start[i] = float(i);
  const auto w = addWeights(*builder, start, {2, n}, "w", CommGroup(CommGroupType::None, 0));
  const auto v = addWeights(*builder, Floats(start.begin(), start.begin() + n), {n}, "v");
  const auto y = builder->aiOnnxOpset11().mul({builder->aiOnnxOpset11().add({x, v}), w});
  const auto loss = builder->aiGraphcoreOpset1().identityloss({y}, ReductionType::Sum);
  const DataFlow flow(1, {{y, everything}});
  auto proto = builder->getModelProto();
  auto options = replicated(2);
  const auto make = [&](OnnxModel model) {
    return TrainingSession::createFromOnnxModel(model, flow, loss, sgd(0.5f), modelDevice(2),
                                                InputShapeInfo(), options);
  };
  const auto trained = [&](Session &session) {
    session.prepareDevice();
    session.weightsFromHost();
    step(session, x, Floats(2 * n, 1), y, 2 * n);
    return readWeight(session, w, 2 * n);
  };
  auto borrowed = make(proto);
  auto taken = make(std::string(proto));
  std::fill(proto.begin(), proto.end(), 'x'); // nobody has it any more
  const auto after = trained(*borrowed);
  EXPECT_EQ(after[n + 7], float(n + 7) - 0.5f * (1 + 7)); // dw = x + v of its own replica
  EXPECT_EQ(trained(*taken), after);

  taken->modelToHost(folder.file("trained.onnx"));
  const auto saved = readModel(folder.file("trained.onnx"));
  const auto values = onnxmodel::TensorReader().read(saved.graph().initializer(0)).doubles();
  EXPECT_EQ(Floats(values.begin(), values.end()), after);
  borrowed->resetHostWeights(folder.file("trained.onnx"));
  auto again = make(folder.file("trained.onnx"));
  EXPECT_EQ(trained(*borrowed), trained(*again));
}

TEST(Weights, OfGroupsMustHaveOneEntryEach) {
  auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", {1}, "x");
  const auto w = addWeights(*builder, {1, 2, 3}, {3, 1}, "w", CommGroup(CommGroupType::None, 0));
  const auto y = builder->aiOnnxOpset11().mul({x, w});
  EXPECT_EQ(messageOf([&] {
              InferenceSession::createFromOnnxModel(builder->getModelProto(),
                                                    DataFlow(1, {{y, everything}}), modelDevice(2),
                                                    InputShapeInfo(), replicated(2));
            }),
            "The data of \"w\" has shape [3,1]; its first dimension must be 2, one entry per "
            "group.");
}

TEST(Weights, NamedBuffersAreSentAlone) {
  Product model;
  SessionOptions options;
  options.constantWeights = false;
  options.updatableNamedBuffers = {"w"};
  auto session = model.inference(DataFlow(1, {{model.y, everything}}), options);
  session->prepareDevice();
  session->weightsFromHost();
  Floats other{5, 7};
  WeightsIO io;
  io.insert("w", MutableVoidData(other.data(), TensorInfo(DataType::FLOAT, {2})));
  session->writeWeights(io);
  session->buffersFromHost();
  EXPECT_EQ(step(*session, "x", {1, 1}, model.y, 2), other);
}

TEST(Weights, InFilesOfTheirOwnMayMove) {
  const Folder folder;
  Product model;
  saveWithWeightsBeside(model.bytes(), folder);
  auto session = TrainingSession::createFromOnnxModel(folder.file("model.onnx"),
                                                      DataFlow(1, {{model.y, everything}}),
                                                      model.loss, sgd(0.5f), modelDevice());
  EXPECT_EQ(messageOf([&] { session->updateExternallySavedTensorLocations("none", "other"); }),
            "updateExternallySavedTensorLocations: no initializer of the model is stored in "
            "\"none\".");
  session->updateExternallySavedTensorLocations("weights.bin", "moved.bin");
  session->prepareDevice();
  session->weightsFromHost();
  step(*session, "x", {2, 4}, model.y, 2);
  session->modelToHost(folder.file("trained.onnx"));
  const auto first = [&](const std::string &name) {
    std::ifstream in(folder.file(name), std::ios::binary);
    float value = 0;
    in.read(reinterpret_cast<char *>(&value), sizeof value);
    return value;
  };
  EXPECT_EQ(first("weights.bin"), 2);
  EXPECT_EQ(first("moved.bin"), 1);
}

TEST(Optimizers, MayBeReplacedInARunningSession) {
  Product model;
  auto session = model.training(DataFlow(1, {{model.y, everything}}), sgd(0.5f, false));
  session->prepareDevice();
  session->weightsFromHost();
  step(*session, "x", {1, 2}, model.y, 2);
  EXPECT_EQ(readWeight(*session, "w", 2), (Floats{1.5, 2}));
  const auto faster = sgd(2, false);
  session->updateOptimizerFromHost(&faster);
  step(*session, "x", {1, 2}, model.y, 2);
  EXPECT_EQ(readWeight(*session, "w", 2), (Floats{-0.5, -2}));
  const auto fixed = sgd(2, true);
  EXPECT_NE(messageOf([&] { session->updateOptimizerFromHost(&fixed); }), "no error");
}

TEST(RandomSeeds, FixWhatIsDrawn) {
  auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", {8}, "x");
  const auto noise = builder->aiOnnxOpset11().randomnormal({8});
  const auto y = builder->aiOnnxOpset11().add({x, noise});
  SessionOptions options = replicated(2);
  options.enableLoadAndOffloadRNGState = true;
  const auto make = [&] {
    auto session = InferenceSession::createFromOnnxModel(builder->getModelProto(),
                                                         DataFlow(1, {{y, everything}}),
                                                         modelDevice(2), InputShapeInfo(), options);
    session->prepareDevice();
    return session;
  };
  auto a = make(), b = make();
  const auto draw = [&](Session &session) { return step(session, x, Floats(16), y, 16); };
  a->setRandomSeed(42);
  b->setRandomSeed(42);
  EXPECT_EQ(a->getRandomSeed(), 42u);
  const auto first = draw(*a);
  EXPECT_EQ(draw(*b), first);
  EXPECT_NE(Floats(first.begin(), first.begin() + 8), Floats(first.begin() + 8, first.end()));
  const auto state = a->getRNGState();
  EXPECT_EQ(state.size(), 4u);
  const auto second = draw(*a);
  EXPECT_NE(second, first);
  EXPECT_EQ(draw(*b), second);
  a->setRNGState(state);
  EXPECT_EQ(draw(*a), second);
  a->setRandomSeed(43);
  EXPECT_NE(draw(*a), first);
  EXPECT_EQ(messageOf([&] { a->setRNGState({1}); }),
            "setRNGState: 1 words were given that getRNGState of this session cannot have "
            "returned; it returns 4.");
}

// One seed of the session decides about dropout masks and every other random operator, in training
// as well; another gives others.
TEST(RandomSeeds, FixEveryRandomOperator) {
  auto builder = Builder::create();
  const auto onnx = [&] { return builder->aiOnnxOpset11(); };
  const auto x = builder->addInputTensor("FLOAT", {64}, "x");
  const auto w = addWeights(*builder, Floats(64, 1), {64}, "w");
  auto y = onnx().dropout({onnx().mul({x, w})}, 1, 0.5f)[0];
  y = onnx().add({y, onnx().randomnormal({64})});
  y = onnx().add({y, onnx().randomuniformlike({y})});
  y = onnx().dropout({y}, 1, 0.25f)[0];
  const auto loss = builder->aiGraphcoreOpset1().identityloss({y}, ReductionType::Sum);
  const auto run = [&](std::uint64_t seed, bool setEarly) {
    auto session = TrainingSession::createFromOnnxModel(
        builder->getModelProto(), DataFlow(1, {{y, everything}}), loss,
        SGD({{"defaultLearningRate", {0.5f, true}}}), modelDevice(), InputShapeInfo(), {});
    if (setEarly)
      session->setRandomSeed(seed);
    session->prepareDevice();
    if (!setEarly)
      session->setRandomSeed(seed);
    session->weightsFromHost();
    auto drawn = step(*session, x, Floats(64, 1), y, 64);
    for (const auto &more : {step(*session, x, Floats(64, 1), y, 64), readWeight(*session, w, 64)})
      drawn.insert(drawn.end(), more.begin(), more.end());
    return drawn;
  };
  const auto first = run(7, false);
  EXPECT_EQ(run(7, false), first);
  EXPECT_EQ(run(7, true), first);
  EXPECT_NE(run(8, false), first);
  EXPECT_NE(Floats(first.begin(), first.begin() + 64),
            Floats(first.begin() + 64, first.begin() + 128));
}

TEST(RandomSeeds, NeedAnOptionForTheirState) {
  Product model;
  auto session = model.inference(DataFlow(1, {{model.y, everything}}));
  session->prepareDevice();
  EXPECT_EQ(messageOf([&] { session->getRNGState(); }),
            "getRNGState needs the session option enableLoadAndOffloadRNGState.");
}

// Two sessions on one device, as training and validation use it.
TEST(Sessions, ShareADevice) {
  const Folder folder;
  Product model;
  auto device = modelDevice();
  SessionOptions options;
  options.constantWeights = false;
  const DataFlow flow(1, {{model.y, everything}});
  auto training = model.training(flow, sgd(0.5f), {}, device);
  auto validation = model.inference(flow, options, device);
  training->prepareDevice();
  training->weightsFromHost();
  step(*training, "x", {1, 2}, model.y, 2);
  training->modelToHost(folder.file("m.onnx"));
  validation->prepareDevice();
  validation->resetHostWeights(folder.file("m.onnx"));
  validation->weightsFromHost();
  EXPECT_EQ(step(*validation, "x", {1, 1}, model.y, 2), (Floats{1.5, 2}));
  training->weightsFromHost();
  EXPECT_EQ(step(*training, "x", {1, 1}, model.y, 2), (Floats{1.5, 2}));
}

TEST(Weights, OfWrongNamesAndTooEarlyAreToldOf) {
  Product model;
  auto session = model.training(DataFlow(1), SGD({{"defaultLearningRate", {1, true}}}));
  Floats values{5, 7};
  const auto message = [&](const TensorId &id, bool write) {
    WeightsIO io;
    io.insert(id, MutableVoidData(values.data(), TensorInfo(DataType::FLOAT, {2})));
    return messageOf([&] { write ? session->writeWeights(io) : session->readWeights(io); });
  };
  EXPECT_EQ(message("w", false),
            "readWeights: the session has no weights yet. Call prepareDevice() first.");
  EXPECT_EQ(message("w", true),
            "writeWeights: the session has no weights yet. Call prepareDevice() first.");
  session->prepareDevice();
  EXPECT_EQ(message("w1", true),
            "writeWeights: the session has no weight \"w1\". Did you mean \"w\"?");
  EXPECT_EQ(message("other", false), "readWeights: the session has no weight \"other\".");
  EXPECT_EQ(message("w", true), "no error");
  values = {0, 0};
  EXPECT_EQ(message("w", false), "no error");
  EXPECT_EQ(values, (Floats{5, 7}));
}
