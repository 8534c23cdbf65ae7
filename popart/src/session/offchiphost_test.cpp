// SPDX-License-Identifier: MIT
// What users see of tensors beside the chip and of shards: weights on the host, anchors, saved
// models, the memory of tiles, messages.
#include "locations.hpp"
#include <popart/adam.hpp>
#include <poplar/exceptions.hpp>
#include <pva/pva.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

const How two{.replicas = 2, .accumulation = 2};
const std::vector<Where> wheres{
    {shared, shared, shared}, {sharedBeside, sharedBeside, sharedBeside}, {beside, beside, beside}};

Adam adam() {
  return Adam({{"defaultLearningRate", {0.01f, false}}}, AdamMode::Adam, WeightDecayMode::Decay,
              DataType::FLOAT, DataType::FLOAT, DataType::FLOAT);
}
std::unique_ptr<TrainingSession> started(const std::string &model, const SessionOptions &options,
                                         std::shared_ptr<DeviceInfo> device,
                                         const DataFlow &flow = DataFlow(1)) {
  const Network network(1, 6);
  auto session = TrainingSession::createFromOnnxModel(
      model.empty() ? network.builder->getModelProto() : model, flow, network.loss, adam(), device,
      InputShapeInfo(), options);
  session->prepareDevice();
  session->weightsFromHost();
  return session;
}

} // namespace

TEST(OffChip, ModelsAreSavedAndGoOnWhole) {
  const auto plain = trained(adam(), two, {}, {"", "Accl1___", "Accl2___"});
  Folder folder;
  for (const auto &where : wheres) {
    auto session = started("", optionsOf(two, where), modelDevice(2));
    train(*session, 2);
    session->modelToHost(folder.file("m.onnx"));
    for (const auto &next : {where, Where{}}) { // in a session of either kind
      auto other = started(folder.file("m.onnx"), optionsOf(two, next), modelDevice(2));
      train(*other, 1);
      expectClose(variables(*other, {"", "Accl1___", "Accl2___"}), plain, "continued");
    }
  }
}

TEST(OffChip, WeightsAreResetAndWritten) {
  const auto plain = trained(adam(), two, {}, {""});
  const Network network(1, 6);
  for (const auto &where : wheres) {
    auto session = started("", optionsOf(two, where), modelDevice(2));
    const auto before = variables(*session, {"", "Accl1___", "Accl2___"});
    train(*session, 2);
    EXPECT_NE(variables(*session, {""}),
              variables(*started("", optionsOf(two, {}), modelDevice(2)), {""}));
    session->resetHostWeights(network.builder->getModelProto());
    Floats zeros(35, 0), own(35, 0.25f);
    WeightsIO io;
    for (const auto &[name, shape] : shapes)
      for (const char *prefix : {"Accl1___", "Accl2___"})
        io.insert(prefix + name, MutableVoidData(zeros.data(), TensorInfo(DataType::FLOAT, shape)));
    session->writeWeights(io);
    session->weightsFromHost();
    EXPECT_EQ(variables(*session, {"", "Accl1___", "Accl2___"}), before);
    WeightsIO write;
    write.insert("w0", MutableVoidData(own.data(), TensorInfo(DataType::FLOAT, {5, 7})));
    session->writeWeights(write);
    session->weightsFromHost();
    EXPECT_EQ(readWeight(*session, "w0", 35), own);
  }
}

TEST(OffChip, VariablesCanBeAnchored) {
  const auto run = [](const Where &where, const AnchorReturnType &art, std::size_t copies) {
    auto session = started("", optionsOf(two, where), modelDevice(2),
                           DataFlow(1, {{"w0", art}, {"Accl1___w0", art}}));
    Floats in(120, 0.125f), w(copies * 35), m(copies * 35);
    NDArrayWrapper<float> x(in.data(), {120}), wOut(w.data(), {std::int64_t(w.size())}),
        mOut(m.data(), {std::int64_t(m.size())});
    StepIO io({{"x", x}}, {{"w0", wOut}, {"Accl1___w0", mOut}});
    session->run(io);
    session->run(io);
    w.insert(w.end(), m.begin(), m.end());
    return w;
  };
  for (const auto &where : wheres) {
    expectClose(run(where, AnchorReturnType("Final"), 2), run({}, AnchorReturnType("Final"), 2),
                "final");
    expectClose(run(where, AnchorReturnType("All"), 4), run({}, AnchorReturnType("All"), 4), "all");
  }
}

// Inference: weights that are variables.
TEST(OffChip, InferenceReadsWeightsFromElsewhere) {
  const auto run = [](const TensorLocation &location) {
    Network model(1, 6);
    auto options = optionsOf({.replicas = 2}, {location, here, here});
    options.constantWeights = false;
    auto session = InferenceSession::createFromOnnxModel(
        model.builder->getModelProto(), DataFlow(2, {{model.y, AnchorReturnType("All")}}),
        modelDevice(2), InputShapeInfo(), options);
    session->prepareDevice();
    session->weightsFromHost();
    return step(*session, model.x, Floats(120, 0.5f), model.y, 72);
  };
  const auto plain = run(here);
  EXPECT_NE(plain[0], 0);
  for (const auto &location : {beside, shared, sharedBeside})
    EXPECT_EQ(run(location), plain);
}

namespace {

// Products of square weights in training on one IPU.
struct Measured {
  std::uint64_t memory = 0, alwaysLive = 0;
  std::string summary;
};
Measured measured(const SessionOptions &given, int replicas = 1, int layers = 1,
                  std::int64_t batch = 64, std::int64_t width = 64) {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset11();
  const auto x = builder->addInputTensor("FLOAT", {batch, width}, "x");
  TensorId h = x;
  for (int layer = 0; layer < layers; ++layer) {
    const Floats values(std::size_t(width * width), 0.01f);
    h = onnx.tanh({onnx.matmul(
        {h, addWeights(*builder, values, {width, width}, "w" + std::to_string(layer))})});
  }
  const auto loss = builder->aiGraphcoreOpset1().identityloss({h}, ReductionType::Sum);
  auto options = given;
  options.enableReplicatedGraphs = replicas > 1;
  options.replicatedGraphCount = replicas;
  auto session =
      TrainingSession::createFromOnnxModel(builder->getModelProto(), DataFlow(1), loss, adam(),
                                           modelDevice(replicas), InputShapeInfo(), options);
  session->prepareDevice();
  session->weightsFromHost();
  Floats in(std::size_t(replicas * batch * width), 0.5f);
  NDArrayWrapper<float> array(in.data(), {std::int64_t(in.size())});
  StepIO io({{x, array}}, {});
  session->run(io);
  Measured out;
  for (const auto &tile : session->getReport().compilation().tiles()) {
    out.alwaysLive += tile.memory().alwaysLiveBytes();
    out.memory += tile.memory().alwaysLiveBytes() + tile.memory().notAlwaysLiveBytes();
  }
  out.memory /= unsigned(replicas);
  out.summary = session->getSummaryReport();
  return out;
}

} // namespace

TEST(OffChip, TilesHoldLess) {
  const std::uint64_t state = 512 * 512 * 4; // bytes of the weight, and of each of Adam's states
  const int layers = 6;
  const auto plain = measured({}, 1, layers, 64, 512);
  SessionOptions options;
  options.optimizerStateTensorLocationSettings = TensorLocationSettings(TensorStorage::OffChip);
  const auto off = measured(options, 1, layers, 64, 512);
  EXPECT_LE(off.memory + layers * state, plain.memory); // some are loaded at the peak, and code
  options.weightTensorLocationSettings = TensorLocationSettings(TensorStorage::OffChip);
  EXPECT_LT(measured(options, 1, layers, 64, 512).alwaysLive + 5 * state, off.alwaysLive);

  options = {};
  options.activationTensorLocationSettings = TensorLocationSettings(TensorStorage::OffChip);
  EXPECT_LT(measured(options, 1, 6, 512).memory, measured({}, 1, 6, 512).memory);

  options = {};
  options.optimizerStateTensorLocationSettings = {shared, 2, 2};
  EXPECT_LT(measured(options, 4).memory, measured({}, 4).memory);
}

// Loads and stores are steps of the profile by the name of their tensor, with the bytes they move.
TEST(OffChip, TheProfileShowsLoadsAndStores) {
  SessionOptions options;
  options.reportOptions = {{"showExecutionSteps", "true"}};
  EXPECT_EQ(measured(options).summary.find("remoteLoad"), std::string::npos);
  options.optimizerStateTensorLocationSettings = TensorLocationSettings(TensorStorage::OffChip);
  const auto summary = measured(options).summary;
  for (const char *what : {"remoteLoad/Accl1___w0", "remoteStore/Accl1___w0",
                           "remoteLoad/Accl2___w0", "remoteStore/Accl2___w0"}) {
    const auto at = summary.find(what);
    ASSERT_NE(at, std::string::npos) << summary;
    EXPECT_NE(summary.substr(at, 400).find("Total Data: 16,384 B"), std::string::npos)
        << summary.substr(at, 400);
  }
}

TEST(OffChip, AsksNothingOfSettingsForTensorsThatAreNotThere) {
  const auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", {2}, "x");
  const auto y = builder->aiOnnxOpset10().relu({x});
  SessionOptions options;
  options.weightTensorLocationSettings.location = TensorLocation(
      TensorStorage::OnChip, TileSet::Compute, TileSet::IO, ReplicatedTensorSharding::Off);
  auto device = DeviceManager::createDeviceManager().createCpuDevice();
  auto session = InferenceSession::createFromOnnxModel(builder->getModelProto(),
                                                       DataFlow(1, {{y, AnchorReturnType("All")}}),
                                                       device, InputShapeInfo(), options);
  session->prepareDevice();
  EXPECT_EQ(step(*session, "x", {-1, 2}, y, 2), (Floats{0, 2}));
}

TEST(OffChip, SaysWhatCannotBeDone) {
  const auto message = [](const How &how, const std::function<void(SessionOptions &)> &set) {
    auto options = optionsOf(how, {});
    set(options);
    return messageOf([&] { sessionOf(adam(), how, options); });
  };
  const TensorLocation ioTiles(TensorStorage::OffChip, TileSet::IO, TileSet::Compute,
                               ReplicatedTensorSharding::Off);
  EXPECT_EQ(message(two, [&](auto &o) { o.weightTensorLocationSettings.location = ioTiles; }),
            "weightTensorLocationSettings: there are no I/O tiles to pass over. Set numIOTiles, or "
            "use TileSet::Compute.");
  EXPECT_EQ(message(two, [&](auto &o) { o.tensorLocationSettingsOverride["w0"] = ioTiles; }),
            "tensorLocationSettingsOverride of \"w0\": there are no I/O tiles to pass over. Set "
            "numIOTiles, or use TileSet::Compute.");
  EXPECT_EQ(message(two,
                    [&](auto &o) {
                      o.numIOTiles = 32;
                      o.weightTensorLocationSettings.location = ioTiles;
                      o.weightTensorLocationSettings.location.storage = TensorStorage::OnChip;
                    }),
            "weightTensorLocationSettings: what is kept on the chip lies on the tiles that "
            "compute, and only what is kept off the chip passes over I/O tiles. Use "
            "TileSet::Compute, or TensorStorage::OffChip.");
  EXPECT_EQ(message(two, [](auto &o) { o.tensorLocationSettingsOverride["w9"] = beside; }),
            "tensorLocationSettingsOverride names \"w9\", which is no tensor of the model. Did you "
            "mean \"w0\" or \"w1\"?");
  EXPECT_EQ(message({.replicas = 4},
                    [](auto &o) {
                      o.weightTensorLocationSettings.location =
                          TensorLocation(TensorStorage::OnChip, ReplicatedTensorSharding::On,
                                         CommGroup(CommGroupType::Consecutive, 3));
                    }),
            "weightTensorLocationSettings: 4 replicas cannot be split into groups of 3, as the "
            "sharding domain says.");
  EXPECT_EQ(message(two,
                    [](auto &o) {
                      o.weightTensorLocationSettings.location = shared;
                      o.accumulationAndReplicationReductionType = ReductionType::NoReduction;
                    }),
            "Replicated tensor sharding needs replicas with equal weights, but with "
            "accumulationAndReplicationReductionType NoReduction every replica trains its own. Use "
            "Sum or Mean, or switch sharding off.");
  EXPECT_EQ(message({.replicas = 4},
                    [](auto &o) {
                      o.weightTensorLocationSettings = {shared, 2, 2};
                      o.tensorLocationSettingsOverride["Accl1___w0"] =
                          TensorLocation(TensorStorage::OnChip, ReplicatedTensorSharding::On,
                                         CommGroup(CommGroupType::Consecutive, 2));
                    }),
            "\"Accl1___w0\" is shared out over other replicas than what else belongs to the weight "
            "\"w0\". Give all of them one sharding domain.");
  EXPECT_EQ(message({.ipus = 2, .accumulation = 6, .pipelined = true},
                    [](auto &o) {
                      o.activationTensorLocationSettings =
                          TensorLocationSettings(TensorStorage::OffChip);
                    }),
            "\"Tanh:0\" cannot wait off the chip for the backward pass: what the stages of a "
            "pipeline keep stays on the tiles. Leave activations OnChip, or switch "
            "enablePipelining off.");
}

// An entry for one tensor counts before the settings and for any size; one replica has no shards.
TEST(OffChip, OneTensorAlone) {
  auto options = optionsOf({}, {shared, shared, here});
  options.weightTensorLocationSettings.minElementsForOffChip = 1000;
  options.tensorLocationSettingsOverride["b1"] = beside;
  auto session = sessionOf(adam(), {}, options);
  session->prepareDevice();
  session->weightsFromHost();
  train(*session, 1);
  Floats buffer(3);
  session->copyFromRemoteBuffer("remote_b1", buffer.data(), 0);
  EXPECT_EQ(buffer, readWeight(*session, "b1", 3));
  EXPECT_EQ(session->getInfo("w0").shape(), (Shape{5, 7}));
  EXPECT_THROW(session->copyFromRemoteBuffer("remote_w0", buffer.data(), 0), poplar::poplar_error);
}

// Replica r has the elements 18 r to 18 r + 17 of the 35 of w0, then zeros.
TEST(OffChip, ShardsAreFlatAndPadded) {
  auto session = started("", optionsOf(two, {sharedBeside, here, here}), modelDevice(2));
  const auto all = readWeight(*session, "w0", 35);
  for (unsigned r = 0; r < 2; ++r) {
    Floats part(18, -1), wanted(all.begin() + 18 * r, r ? all.end() : all.begin() + 18);
    wanted.resize(18, 0);
    session->copyFromRemoteBuffer("remote_Shard___w0", part.data(), 0, r);
    EXPECT_EQ(part, wanted);
  }
}

TEST(OffChip, ActivationsWaitBesideTheChip) {
  const auto run = [](const std::function<void(SessionOptions &)> &set) {
    auto options = optionsOf({}, {});
    set(options);
    auto session = sessionOf(adam(), {}, options);
    session->prepareDevice();
    session->weightsFromHost();
    train(*session, 3);
    return std::pair(variables(*session, {""}), session->serializeIr(IrSerializationFormat::JSON));
  };
  const auto plain = run([](auto &) {});
  const auto all = run([](auto &o) {
    o.activationTensorLocationSettings = TensorLocationSettings(TensorStorage::OffChip);
  });
  const auto one = run([](auto &o) { o.tensorLocationSettingsOverride["Tanh:0"] = beside; });
  const auto small = run([](auto &o) {
    o.activationTensorLocationSettings = TensorLocationSettings(TensorStorage::OffChip, 1000000);
  });
  EXPECT_EQ(all.first, plain.first);
  EXPECT_EQ(one.first, plain.first);
  EXPECT_EQ(plain.second.find("Activation___"), std::string::npos);
  EXPECT_EQ(small.second.find("Activation___"), std::string::npos);
  EXPECT_NE(all.second.find("Activation___Tanh:0"), std::string::npos);
  EXPECT_NE(one.second.find("Activation___Tanh:0"), std::string::npos);
}
