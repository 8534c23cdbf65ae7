// SPDX-License-Identifier: MIT
// Models that are compiled, trained, kept and saved while memory and files fail.
#include "base/testing/OtherUser.hpp"
#include "base/Text.hpp"
#include "sessions.hpp"
#include "Sweep.hpp"
#include <popart/adam.hpp>
#include <sstream>

using namespace popart;
using namespace popart::testing;
using base::testing::contentsOf;
using base::testing::filesIn;
using base::testing::Scratch;

namespace {

Adam adam() {
  return Adam({{"defaultLearningRate", {0.1f, false}}}, AdamMode::Adam, DataType::FLOAT,
              DataType::FLOAT, DataType::FLOAT);
}

std::unique_ptr<TrainingSession> sessionOf(const Product &model,
                                           const SessionOptions &options = {}) {
  auto device = DeviceManager::createDeviceManager().acquireAvailableDevice(1, 8);
  if (!device)
    throw std::runtime_error("no IPU is free");
  return model.training(DataFlow(1, {{model.y, AnchorReturnType("All")}}), adam(), options, device);
}

std::unique_ptr<TrainingSession> trained(const Product &model, const SessionOptions &options = {}) {
  auto session = sessionOf(model, options);
  session->prepareDevice();
  session->weightsFromHost();
  step(*session, model.x, {1, 1}, model.y, 2);
  return session;
}

std::string weightsOf(Session &session, const TensorId &id) {
  const auto values = readWeight(session, id, 2);
  return base::str(values[0], " ", values[1]);
}

struct FaultsInModels : ::testing::Test {
  FaultsInModels() { ::setenv("OPENIPU_RUNTIME_DIR", scratch.folder("runtime").c_str(), 1); }
  ~FaultsInModels() override { ::unsetenv("OPENIPU_RUNTIME_DIR"); }
  const Scratch scratch;
  const Product model;
};

} // namespace

TEST_F(FaultsInModels, BuildingSurvivesThem) {
  faults::survivesAllocations({[] { return Product().bytes().empty() ? "empty" : ""; }}, 200);
}

TEST_F(FaultsInModels, CompilingAndTrainingSurviveThem) {
  faults::survives({[&] {
                     const auto session = trained(model);
                     std::ostringstream out;
                     session->saveExecutableToStream(out);
                     if (!out)
                       throw std::runtime_error("no memory for the executable");
                     return weightsOf(*session, model.w);
                   }},
                   80);
}

TEST_F(FaultsInModels, ACacheStaysUsable) {
  SessionOptions options;
  options.enableEngineCaching = true;
  options.cachePath = scratch.file("cache");
  faults::Subject subject;
  subject.prepare = [&] { std::filesystem::remove_all(scratch.file("cache")); };
  subject.act = [&] { return weightsOf(*trained(model, options), model.w); };
  subject.afterAgain = [&] {
    const auto session = trained(model, options);
    EXPECT_TRUE(isWarm(*session));
    EXPECT_EQ(filesIn(scratch.file("cache")), 1u);
  };
  faults::survivesFiles(subject, 60);
  subject.prepare = [] {}; // and now there is an entry
  faults::survivesFiles(subject, 60);
}

// The weights and the optimiser's state as one file, whole or as they were.
TEST_F(FaultsInModels, ACheckpointIsTheOldOneOrTheNewOne) {
  const auto folder = scratch.folder("files");
  const auto file = folder + "/model.onnx";
  const auto session = trained(model);
  session->modelToHost(file);
  const auto before = contentsOf(file);
  step(*session, model.x, {1, 1}, model.y, 2);
  faults::Subject subject;
  subject.prepare = [&] { scratch.write("files/model.onnx", before); };
  subject.act = [&] {
    session->modelToHost(file);
    return "";
  };
  subject.act();
  const auto after = contentsOf(file);
  EXPECT_FALSE(after == before);
  subject.afterFailure = [&] { EXPECT_TRUE(contentsOf(file) == before); };
  subject.afterSuccess = [&] { EXPECT_TRUE(contentsOf(file) == after); };
  subject.afterAgain = [&] { EXPECT_EQ(filesIn(folder), 1u); };
  faults::survives(subject, 150);
}

TEST_F(FaultsInModels, ACheckpointIsReadOrRefused) {
  const auto file = scratch.file("model.onnx");
  const auto session = trained(model);
  session->modelToHost(file);
  faults::Subject subject;
  subject.act = [&] {
    session->resetHostWeights(file);
    session->weightsFromHost();
    return weightsOf(*session, model.w);
  };
  faults::survives(subject, 150);
}

TEST_F(FaultsInModels, AnExecutableFileIsTheOldOneOrTheNewOne) {
  const auto folder = scratch.folder("files");
  const auto file = folder + "/model.popef";
  const auto session = trained(model);
  faults::Subject subject;
  subject.prepare = [&] { scratch.write("files/model.popef", "old"); };
  subject.act = [&] {
    session->saveExecutableToFile(file);
    return "";
  };
  subject.afterFailure = [&] { EXPECT_EQ(contentsOf(file), "old"); };
  subject.afterSuccess = [&] {
    const auto loaded = sessionOf(model);
    loaded->loadExecutableFromFile(file);
    loaded->prepareDevice();
  };
  subject.afterAgain = [&] { EXPECT_EQ(filesIn(folder), 1u); };
  faults::survives(subject, 150);
}

TEST_F(FaultsInModels, AnExecutableFileIsLoadedOrRefused) {
  const auto file = scratch.file("model.popef");
  trained(model)->saveExecutableToFile(file);
  faults::survives({[&] {
                     auto session = sessionOf(model);
                     session->loadExecutableFromFile(file);
                     session->prepareDevice();
                     session->weightsFromHost();
                     step(*session, model.x, {1, 1}, model.y, 2);
                     return weightsOf(*session, model.w);
                   }},
                   80);
}
