// SPDX-License-Identifier: MIT
// Executables in the cache and in exported files: found, rebuilt, thrown out, loaded elsewhere.
#include "base/Text.hpp"
#include "session/cache.hpp"
#include "session/hash.hpp"
#include "sessions.hpp"
#include <csignal>
#include <popart/adam.hpp>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

using namespace popart;
using namespace popart::testing;
namespace fs = std::filesystem;

namespace {

const AnchorReturnType everything("All");

std::shared_ptr<DeviceInfo> ipu() {
  auto device = DeviceManager::createDeviceManager().acquireAvailableDevice(1, 8);
  return device;
}
SessionOptions cached(const Folder &folder) {
  SessionOptions options;
  options.enableEngineCaching = true;
  options.cachePath = folder.file("cache");
  return options;
}
std::vector<fs::path> filesIn(const fs::path &folder) {
  std::vector<fs::path> out;
  std::error_code none;
  for (const auto &entry : fs::directory_iterator(folder, none))
    out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}
// Prepares and runs: y = {2, 3} x.
bool runsWarm(const Product &model, const SessionOptions &options, const Floats &weights = {2, 3},
              int batches = 1) {
  auto device = ipu();
  auto session = model.inference(DataFlow(batches, {{model.y, everything}}), options, device);
  session->prepareDevice();
  session->weightsFromHost();
  const auto n = std::size_t(batches) * 2;
  Floats wanted;
  for (int b = 0; b < batches; ++b)
    wanted.insert(wanted.end(), weights.begin(), weights.end());
  EXPECT_EQ(step(*session, "x", Floats(n, 1), model.y, n), wanted);
  return isWarm(*session);
}

} // namespace

TEST(Cache, IsHitByTheSameModelAndMissedByOthers) {
  const Folder folder;
  auto options = cached(folder);
  options.constantWeights = false;
  const Product model, other({5, 7});
  EXPECT_FALSE(runsWarm(model, options));
  EXPECT_EQ(filesIn(options.cachePath).size(), 1u);
  EXPECT_TRUE(runsWarm(model, options));
  EXPECT_TRUE(runsWarm(other, options, {5, 7})); // values of weights do not count
  EXPECT_FALSE(runsWarm(model, options, {2, 3}, 2));
  options.engineOptions["debug.retainDebugInformation"] = "true";
  EXPECT_FALSE(runsWarm(model, options));
  EXPECT_EQ(filesIn(options.cachePath).size(), 3u);
}

TEST(Cache, NamesWhatGoesInAndOutOfALoadedProgram) {
  const Folder folder;
  const Product model;
  const auto names = [&](bool warm) {
    const SGD sgd({{"defaultLearningRate", {0.5f, false}}});
    auto device = ipu();
    auto session =
        model.training(DataFlow(1, {{model.y, everything}}), sgd, cached(folder), device);
    session->prepareDevice();
    EXPECT_EQ(isWarm(*session), warm);
    return session->getAllTensorIds();
  };
  const auto all = names(false), known = names(true);
  EXPECT_EQ(known, (std::set<TensorId>{"x", "w", model.y}));
  EXPECT_GT(all.size(), known.size()); // gradients too
  EXPECT_TRUE(std::includes(all.begin(), all.end(), known.begin(), known.end()));
}

TEST(Cache, CountsConstantsThatArePartOfTheProgram) {
  const Folder folder;
  const auto options = cached(folder); // weights are constants, and small
  EXPECT_FALSE(runsWarm(Product({2, 3}), options));
  EXPECT_FALSE(runsWarm(Product({5, 7}), options, {5, 7}));
  EXPECT_TRUE(runsWarm(Product({5, 7}), options, {5, 7}));
}

TEST(Cache, HoldsTrainingSessions) {
  const Folder folder;
  const Product model;
  const auto run = [&](float rate, bool warm) {
    auto device = ipu();
    const SGD sgd({{"defaultLearningRate", {rate, false}}});
    auto session =
        model.training(DataFlow(1, {{model.y, everything}}), sgd, cached(folder), device);
    session->prepareDevice();
    EXPECT_EQ(isWarm(*session), warm);
    session->weightsFromHost();
    step(*session, "x", {1, 2}, model.y, 2);
    return readWeight(*session, "w", 2);
  };
  EXPECT_EQ(run(0.5f, false), (Floats{1.5, 2}));
  EXPECT_EQ(run(1, true), (Floats{1, 1})); // a rate that may change does not count
}

// A velocity begins with the decay of the weights there are, not of those that were compiled with.
TEST(Cache, GivesNewWeightsTheirOwnVelocity) {
  const Folder folder;
  const auto run = [&](float weight, bool caching) {
    const Product model(Floats(100, weight));
    auto options = cached(folder);
    options.enableEngineCaching = caching;
    const SGD sgd({{"defaultLearningRate", {0.5f, false}},
                   {"defaultMomentum", {0.5f, false}},
                   {"defaultWeightDecay", {0.25f, false}}});
    auto device = ipu();
    auto session = model.training(DataFlow(1, {{model.y, everything}}), sgd, options, device);
    session->prepareDevice();
    session->weightsFromHost();
    step(*session, "x", Floats(100, 1), model.y, 100);
    return std::pair(isWarm(*session), readWeight(*session, "w", 100));
  };
  EXPECT_FALSE(run(2, true).first);
  const auto warm = run(6, true), cold = run(6, false);
  EXPECT_TRUE(warm.first);
  EXPECT_EQ(warm.second, cold.second);
}

namespace {

// Three steps of Adam from given weights, with everything a user may look at.
struct Trained {
  bool warm;
  Floats outputs, weights, moments;
  std::string info, saved;
  bool operator==(const Trained &) const = default;
  friend std::ostream &operator<<(std::ostream &out, const Trained &t) {
    return out << ::testing::PrintToString(t.outputs) << ::testing::PrintToString(t.weights)
               << ::testing::PrintToString(t.moments) << t.info << ' ' << t.saved.size();
  }
};
Trained train(const Folder &folder, const Floats &weights, float rate, std::int64_t accumulated,
              RecomputationType recomputation = RecomputationType::None, bool caching = true) {
  const Product model(weights);
  model.builder->setGraphName("product");
  auto options = cached(folder);
  options.enableEngineCaching = caching;
  options.enableGradientAccumulation = accumulated > 1;
  options.accumulationFactor = accumulated;
  options.autoRecomputation = recomputation;
  const Adam adam({{"defaultLearningRate", {rate, false}}}, AdamMode::Adam, WeightDecayMode::Decay,
                  DataType::FLOAT, DataType::FLOAT, DataType::FLOAT);
  auto device = ipu();
  auto session = model.training(DataFlow(1, {{model.y, everything}}), adam, options, device);
  session->prepareDevice();
  session->weightsFromHost();
  Trained out;
  const auto n = std::size_t(accumulated) * 2;
  for (float x : {1.f, -2.f, 4.f})
    for (float y : step(*session, "x", Floats(n, x), model.y, n))
      out.outputs.push_back(y);
  out.weights = readWeight(*session, "w", 2);
  out.moments = readWeight(*session, "Accl1___w", 2);
  out.info = session->getInfo("Accl2___w").data_type();
  session->modelToHost(folder.file("saved.onnx"));
  std::ifstream in(folder.file("saved.onnx"), std::ios::binary);
  out.saved.assign(std::istreambuf_iterator<char>(in), {});
  out.warm = isWarm(*session);
  return out;
}

} // namespace

// A hit needs no ir, and nothing can be told from it.
TEST(Cache, GivesTrainingTheSameStart) {
  for (std::int64_t accumulated : {1, 3}) {
    const Folder folder;
    const auto cold = train(folder, {2, 3}, 0.5f, accumulated);
    EXPECT_FALSE(cold.warm);
    auto warm = train(folder, {2, 3}, 0.5f, accumulated);
    EXPECT_TRUE(std::exchange(warm.warm, false));
    EXPECT_EQ(warm, cold);
    // with other weights and another rate, which are no part of the program
    const auto few = train(folder, {5, 7}, 0.25f, accumulated);
    EXPECT_FALSE(few.warm); // so few that they could have told an operator something
    auto changed = train(folder, {5, 7}, 0.125f, accumulated);
    EXPECT_TRUE(std::exchange(changed.warm, false));
    EXPECT_EQ(changed, train(folder, {5, 7}, 0.125f, accumulated, RecomputationType::None, false));
    EXPECT_FALSE(train(folder, {2, 3}, 0.5f, accumulated, RecomputationType::RecomputeAll).warm);
  }
}

TEST(Cache, DoesNotCountTheValuesOfWeights) {
  const Folder folder;
  const auto run = [&](const Floats &weights) {
    const Product model(weights);
    auto device = ipu();
    auto session =
        model.training(DataFlow(1, {{model.y, everything}}),
                       SGD({{"defaultLearningRate", {1, true}}}), cached(folder), device);
    session->prepareDevice();
    session->weightsFromHost();
    step(*session, "x", Floats(100, 1), model.y, 100);
    EXPECT_EQ(readWeight(*session, "w", 100), Floats(100, weights[0] - 1));
    return isWarm(*session);
  };
  EXPECT_FALSE(run(Floats(100, 3)));
  EXPECT_TRUE(run(Floats(100, 5)));
  EXPECT_EQ(filesIn(cached(folder).cachePath).size(), 1u);
}

// What the next test starts twice at once: this one alone, told the folder.
TEST(CacheProcess, Trains) {
  const char *path = std::getenv("OPENIPU_TEST_CACHE");
  if (!path)
    GTEST_SKIP() << "started by Cache.IsSharedByProcesses";
  SessionOptions options;
  options.enableEngineCaching = true;
  options.cachePath = path;
  const Product model(Floats(100, 3));
  auto device = ipu();
  auto session = model.training(DataFlow(1, {{model.y, everything}}),
                                SGD({{"defaultLearningRate", {1, true}}}), options, device);
  session->prepareDevice();
  session->weightsFromHost();
  EXPECT_EQ(step(*session, "x", Floats(100, 1), model.y, 100), Floats(100, 3));
  EXPECT_EQ(readWeight(*session, "w", 100), Floats(100, 2));
}

TEST(Cache, IsSharedByProcesses) {
  const Folder folder;
  const auto path = folder.file("cache");
  const auto start = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("OPENIPU_TEST_CACHE", path.c_str(), 1);
      ::execl("/proc/self/exe", "popart_test", "--gtest_filter=CacheProcess.Trains",
              "--gtest_brief=1", nullptr);
      ::_exit(127);
    }
    return child;
  };
  for (int round = 0; round < 2; ++round) { // cold, then warm
    for (pid_t child : {start(), start()}) {
      int status = -1;
      ::waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    const auto files = filesIn(path);
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].extension(), ".popef");
  }
}

TEST(Cache, RebuildsDamagedFiles) {
  const Folder folder;
  const auto options = cached(folder);
  const Product model;
  EXPECT_FALSE(runsWarm(model, options));
  const auto file = filesIn(options.cachePath).at(0);
  const auto size = fs::file_size(file);
  for (double share : {0.0, 0.001, 0.3, 0.999}) {
    fs::resize_file(file, std::uintmax_t(share * double(size)));
    EXPECT_FALSE(runsWarm(model, options)) << share;
    EXPECT_EQ(fs::file_size(file), size);
    EXPECT_TRUE(runsWarm(model, options));
  }
  for (std::uintmax_t at : {std::uintmax_t(9), std::uintmax_t(60), size / 2}) {
    std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(std::streamoff(at));
    out.put('\x5a');
    out.close();
    EXPECT_FALSE(runsWarm(model, options)) << at;
  }
  EXPECT_EQ(filesIn(options.cachePath).size(), 1u); // nothing unfinished lies about
}

TEST(Cache, ThrowsOutWhatWasUsedLongestAgo) {
  const Folder folder;
  const session::Cache cache(folder.path());
  const auto hashOf = [](int i) { return std::string(32, char('0' + i)); };
  const session::Weights kilobyte{{"w", session::HostBytes::copyOf(std::string(1000, 0))}};
  const auto store = [&](int i) { cache.store({hashOf(i), nullptr, &kilobyte, nullptr}); };
  const auto touch = [&](int i, int minutesAgo) {
    fs::last_write_time(cache.fileOf(hashOf(i)),
                        fs::file_time_type::clock::now() - std::chrono::minutes(minutesAgo));
  };
  ::setenv("OPENIPU_CACHE_LIMIT", "3.5K", 1);
  for (int i = 0; i < 3; ++i)
    store(i);
  touch(0, 2);
  touch(1, 3);
  touch(2, 1);
  store(3);
  EXPECT_TRUE(fs::exists(cache.fileOf(hashOf(0))));
  EXPECT_FALSE(fs::exists(cache.fileOf(hashOf(1))));
  EXPECT_TRUE(fs::exists(cache.fileOf(hashOf(2))));
  EXPECT_TRUE(fs::exists(cache.fileOf(hashOf(3))));
  ::setenv("OPENIPU_CACHE_LIMIT", "10", 1); // not even the new one fits
  store(4);
  EXPECT_TRUE(filesIn(folder.path()).empty());
  ::setenv("OPENIPU_CACHE_LIMIT", "much", 1);
  EXPECT_EQ(session::Cache::limit(), 10'000'000'000u);
  ::setenv("OPENIPU_CACHE_LIMIT", "2G", 1);
  EXPECT_EQ(session::Cache::limit(), 2'000'000'000u);
  ::unsetenv("OPENIPU_CACHE_LIMIT");
}

TEST(Cache, IsRefusedWhereNoFolderCanBe) {
  const Folder folder;
  auto options = cached(folder);
  std::ofstream(options.cachePath) << "a file where the folder should be";
  EXPECT_EQ(messageOf([&] { runsWarm(Product(), options); }),
            base::str("The folder \"", options.cachePath,
                      "\" cannot be used: Not a directory. Correct that, or choose another "
                      "cachePath."));
  options.cachePath = folder.file("name") + std::string("\0behind", 7);
  EXPECT_NE(messageOf([&] { runsWarm(Product(), options); }).find("zero byte"), std::string::npos);
  options.cachePath = "";
  EXPECT_EQ(messageOf([&] { runsWarm(Product(), options); }),
            "enableEngineCaching is set, but cachePath is empty. Name the folder that executables "
            "are kept in, or switch it off.");
}

TEST(Cache, LeavesNothingBehindOnAFullDisk) {
  const Folder folder;
  const session::Weights large{{"w", session::HostBytes::copyOf(std::string(1 << 20, 0))}};
  const pid_t child = ::fork();
  if (child == 0) { // no file beyond 64 KiB
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{1 << 16, 1 << 16};
    ::setrlimit(RLIMIT_FSIZE, &most);
    const session::ToStore what{std::string(32, 'a'), nullptr, &large, nullptr};
    session::Cache(folder.path()).store(what);
    const auto file = folder.path() / "e.popef";
    const auto message = messageOf([&] {
      session::writeWhole(file, [&](std::ostream &out) { session::writeStored(out, what); });
    });
    ::_exit(message != base::str("The file ", file,
                                 " cannot be written: File too large. Free some space, or "
                                 "choose another folder."));
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(filesIn(folder.path()).empty());
}

TEST(Cache, IsSharedByThreads) {
  const Folder folder;
  const auto options = cached(folder);
  const Product model;
  const auto bytes = model.bytes();
  const auto compile = [&] {
    DeviceOptions what{{"numIPUs", "1"}};
    auto device = DeviceManager::createDeviceManager().createOfflineIPUDevice(what);
    auto session = InferenceSession::createFromOnnxModel(
        bytes, DataFlow(1, {{model.y, everything}}), device, InputShapeInfo(), options);
    session->prepareDevice(false);
  };
  std::thread a(compile), b(compile);
  a.join();
  b.join();
  EXPECT_EQ(filesIn(options.cachePath).size(), 1u);
}

TEST(Cache, IsNotForModelsOfIpus) {
  const Folder folder;
  const Product model;
  auto session = model.inference(DataFlow(1, {{model.y, everything}}), cached(folder));
  session->prepareDevice();
  EXPECT_FALSE(fs::exists(folder.file("cache")));
  EXPECT_EQ(messageOf([&] { session->compileAndExport(folder.file("e.popef")); }),
            "compileAndExport: executables for a device of type ipu-model cannot be saved; only "
            "those for ipu and offline-ipu.");
}

TEST(Exports, CompiledOfflineRunElsewhere) {
  const Folder folder;
  const Product model;
  const DataFlow flow(1, {{model.y, everything}});
  const SGD sgd({{"defaultLearningRate", {0.5f, true}}});
  DeviceOptions what{{"numIPUs", "1"}};
  auto offline = DeviceManager::createDeviceManager().createOfflineIPUDevice(what);
  auto compiled = model.training(flow, sgd, {}, offline);
  compiled->compileAndExport(folder.file("deep/model.popef"));
  compiled->compileAndExport(folder.file("deep")); // into a folder that is there
  EXPECT_TRUE(std::filesystem::exists(folder.file("deep/executable.popef")));
  EXPECT_EQ(messageOf([&] { compiled->loadEngineAndConnectStreams(); }),
            "An offline device only compiles: save the executable and load it where there are "
            "IPUs.");

  auto device = DeviceManager::createDeviceManager().acquireAvailableDevice(1);
  auto session = model.training(flow, sgd, {}, device);
  session->loadExecutableFromFile(folder.file("deep/model.popef"));
  session->prepareDevice();
  EXPECT_TRUE(isWarm(*session));
  session->weightsFromHost();
  EXPECT_EQ(step(*session, "x", {1, 2}, model.y, 2), (Floats{2, 6}));
  EXPECT_EQ(readWeight(*session, "w", 2), (Floats{1.5, 2}));

  // What was trained goes along, if asked for.
  session->saveExecutable(folder.file("saved"));
  session->saveVariables(folder.file("saved"));
  EXPECT_EQ(filesIn(folder.file("saved")).size(), 2u);
  session.reset();
  auto again = model.training(flow, sgd, {}, device);
  again->loadExecutableFromFile(folder.file("saved/executable.popef"));
  again->prepareDevice();
  again->weightsFromHost();
  EXPECT_EQ(step(*again, "x", {1, 1}, model.y, 2), (Floats{1.5, 2}));
}

// A chip that differs in nothing but its clock and a few times.
TEST(Exports, NameWhatDiffersInAnotherDevice) {
  const Product model;
  const auto offline = [](const char *version) {
    DeviceOptions what{{"numIPUs", "1"}, {"tilesPerIPU", "8"}, {"ipuVersion", version}};
    return DeviceManager::createDeviceManager().createOfflineIPUDevice(what);
  };
  const DataFlow flow(1, {{model.y, everything}});
  const auto plain = model.inference(flow, {}, offline("ipu2"));
  const auto bow = model.inference(flow, {}, offline("bow"));
  std::ostringstream out;
  plain->compileAndExport(out);
  const auto why = messageOf(
      [&] { bow->loadExecutableFromStream(std::make_shared<std::istringstream>(out.str())); });
  EXPECT_EQ(why.rfind("The executable of the stream cannot be loaded: it was compiled for another "
                      "device.\n  system: compiled for \"ipu2\", the device has \"bow\"\n",
                      0),
            0u)
      << why;
  EXPECT_NE(why.find("chip clock: compiled for"), std::string::npos) << why;
  EXPECT_EQ(why.find("tiles"), std::string::npos) << why; // which both have as many of
  EXPECT_LT(why.size(), 1000u) << why;
}

TEST(Exports, SayWhatIsWrongWithAFile) {
  const Folder folder;
  const Product model;
  auto device = ipu();
  const auto make = [&](int batches) {
    return model.inference(DataFlow(batches, {{model.y, everything}}), {}, device);
  };
  auto session = make(1), other = make(2);
  EXPECT_EQ(messageOf([&] { session->saveExecutable(folder.file("s")); }),
            "saveExecutable: nothing is compiled yet. Call prepareDevice() first.");
  EXPECT_EQ(messageOf([&] { session->loadExecutableFromFile("/none"); }),
            "The executable /none cannot be opened.");
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0); // nobody will ever write into it
  EXPECT_EQ(messageOf([&] { session->loadExecutableFromFile(folder.file("pipe")); }),
            base::str("The executable ", folder.file("pipe"),
                      " is no ordinary file. Copy it into one first."));
  EXPECT_EQ(messageOf([&] { session->loadExecutableFromFile("/tmp"); }),
            "The executable /tmp is a folder. Name the file in it, such as executable.popef.");
  session->prepareDevice(false);
  std::ostringstream whole, bare;
  session->saveExecutableToStream(whole);
  session->saveExecutableToStream(bare, false);
  const auto load = [&](Session &into, const std::string &bytes) {
    return messageOf(
        [&] { into.loadExecutableFromStream(std::make_shared<std::istringstream>(bytes)); });
  };
  const std::string start = "The executable of the stream cannot be loaded: ";
  EXPECT_EQ(load(*other, whole.str()),
            start + "it was compiled from another model or with other options.");
  EXPECT_EQ(load(*session, bare.str()), start + "the file holds no PopART metadata.");
  EXPECT_EQ(load(*session, "something"), start + "it is no file of a compiled model.");
  EXPECT_EQ(load(*session, whole.str().substr(0, 50)), start + "the file is truncated.");
  EXPECT_EQ(load(*session, whole.str()), "no error");
}

TEST(Hashes, CountTheWholeTarget) {
  using poplar::Target;
  std::set<std::string> all;
  const std::vector<Target> targets{
      Target::createIPUTarget(1, 8, "ipu2"), Target::createIPUTarget(1, 8, "bow"),
      Target::createIPUTarget(2, 8, "ipu2"), Target::createIPUTarget(1, 9, "ipu2"),
      Target::createIPUTarget(1, 8, "ipu2", {{"gatewayMode", "false"}})};
  for (const auto &target : targets) {
    session::Hasher h;
    session::add(h, target);
    all.insert(h.hex());
  }
  EXPECT_EQ(all.size(), targets.size());
}

TEST(Hashes, SpreadAndStay) {
  const auto of = [](const std::string &text) {
    session::Hasher h;
    h.text(text);
    return h.hex();
  };
  std::set<std::string> all;
  for (int i = 0; i < 1000; ++i)
    all.insert(of(std::string(std::size_t(i), 'x')));
  EXPECT_EQ(all.size(), 1000u);
  EXPECT_EQ(of("the same").size(), 32u);
  EXPECT_EQ(of("the same"), of("the same"));
  session::Hasher nothing;
  nothing.bytes(nullptr, 0);
  EXPECT_EQ(nothing.hex(), of(""));
}

// Options that make another program of the same model make another hash of it.
TEST(Hashes, OfTrainingCountOptions) {
  using Options = SessionOptions;
  const std::vector<std::function<void(Options &)>> changes{
      [](Options &) {},
      [](Options &o) { o.virtualGraphMode = VirtualGraphMode::Manual; },
      [](Options &o) {
        o.virtualGraphSplitRatios = {0.5f, 0.5f};
      },
      [](Options &o) { o.enablePipelining = true; },
      [](Options &o) { o.replicatedGraphCount = 2; },
      [](Options &o) { o.accumulationFactor = 2; },
      [](Options &o) { o.accumulationAndReplicationReductionType = ReductionType::Mean; },
      [](Options &o) { o.executionPhaseSettings.phases = 2; },
      [](Options &o) { o.executionPhaseSettings.stages = 1; },
      [](Options &o) { o.autoRecomputation = RecomputationType::RecomputeAll; },
      [](Options &o) { o.weightTensorLocationSettings.location.storage = TensorStorage::OffChip; },
      [](Options &o) { o.weightTensorLocationSettings.minElementsForOffChip = 7; },
      [](Options &o) { o.tensorLocationSettingsOverride["w"] = TensorStorage::OffChip; },
      [](Options &o) { o.subgraphCopyingStrategy = SubgraphCopyingStrategy::JustInTime; },
      [](Options &o) { o.enableOutlining = false; },
      [](Options &o) { o.outlineThreshold = 2; },
      [](Options &o) { o.delayVarUpdates = false; },
      [](Options &o) { o.scheduleNonWeightUpdateGradientConsumersEarly = true; },
      [](Options &o) { o.partialsTypeMatMuls = "half"; },
      [](Options &o) { o.matmulOptions["partialsType"] = "half"; },
      [](Options &o) { o.enableSerializedMatmuls = false; },
      [](Options &o) { o.enableStableNorm = true; },
      [](Options &o) { o.automaticLossScalingSettings.updatePeriod = 3; },
      [](Options &o) {
        o.automaticLossScalingSettings.toTrackTensors = std::vector<TensorId>{"x"};
      },
      [](Options &o) { o.syntheticDataMode = SyntheticDataMode::Zeros; },
      [](Options &o) { o.instrumentWithHardwareCycleCounter = true; },
      [](Options &o) { o.hardwareInstrumentations = {Instrumentation::Inner}; },
      [](Options &o) { o.disableOptimizerStateTensorStreams = true; },
      [](Options &o) { o.updatableNamedBuffers = {"w"}; },
      [](Options &o) { o.customCodelets = {"a.cpp"}; },
      [](Options &o) { o.customCodeletCompileFlags = "-DX"; },
      [](Options &o) { o.kahnTieBreaker = "fifo"; },
      [](Options &o) { o.swapLimitScheduler = 3; },
      [](Options &o) { o.transitiveClosureOptimizationThreshold = 3; },
      [](Options &o) { o.engineOptions["debug.instrument"] = "true"; }};
  const Product model;
  const auto source = session::sourceOf(model.bytes());
  const SGD sgd({{"defaultLearningRate", {1, true}}});
  std::set<std::string> all;
  for (const auto &change : changes) {
    Options options;
    change(options);
    all.insert(session::hashOf(session::SourceInput{*source, DataFlow(1), options, Patterns(), sgd,
                                                    model.loss, modelDevice()->getTarget()}));
  }
  EXPECT_EQ(all.size(), changes.size());
}
