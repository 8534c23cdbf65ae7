// SPDX-License-Identifier: MIT
// Executables of models whose tensors lie beside the chip or are shared out: from the cache and
// from files, in this process and in another, they train to the same numbers.
#include "locations.hpp"
#include <cstdlib>
#include <popart/adam.hpp>
#include <sys/wait.h>

using namespace popart;
using namespace popart::testing;

namespace {

struct Kind {
  How how;
  Where where;
};
const How two{.replicas = 2, .accumulation = 2},
    pipelined{.ipus = 2, .replicas = 2, .accumulation = 6, .pipelined = true};
const std::vector<Kind> kinds{{two, {shared, shared, shared}},
                              {two, {sharedBeside, sharedBeside, sharedBeside}},
                              {two, {beside, beside, beside}},
                              {two, {here, sharedBeside, shared}},
                              {pipelined, {sharedBeside, sharedBeside, beside}}};
const std::vector<std::string> prefixes{"", "Accl1___", "Accl2___"};

Adam lamb() {
  return Adam({{"defaultLearningRate", {0.01f, false}}}, AdamMode::Lamb, WeightDecayMode::Decay,
              DataType::FLOAT, DataType::FLOAT, DataType::FLOAT);
}
DeviceManager devices() { return DeviceManager::createDeviceManager(); }
std::unique_ptr<TrainingSession> session(const Kind &kind, std::shared_ptr<DeviceInfo> device,
                                         const std::string &cache = "") {
  Network model(kind.how.ipus, 24 / kind.how.parts());
  auto options = optionsOf(kind.how, kind.where);
  options.enableEngineCaching = !cache.empty();
  options.cachePath = cache;
  return TrainingSession::createFromOnnxModel(model.builder->getModelProto(), DataFlow(1),
                                              model.loss, lamb(), device, InputShapeInfo(),
                                              options);
}
std::unique_ptr<TrainingSession> onIpus(const Kind &kind, const std::string &cache = "") {
  return session(kind, devices().acquireAvailableDevice(kind.how.ipus * kind.how.replicas, 8),
                 cache);
}
Floats afterSteps(Session &session, int steps) {
  session.prepareDevice();
  session.weightsFromHost();
  train(session, steps);
  return variables(session, prefixes);
}
std::string fileOf(const std::string &folder, std::size_t kind, const char *what) {
  return folder + "/" + std::to_string(kind) + what;
}

void write(const std::string &file, const Floats &values) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char *>(values.data()),
            std::streamsize(values.size() * sizeof(float)));
}
Floats read(const std::string &file, std::size_t elements) {
  Floats values(elements, -1);
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char *>(values.data()), std::streamsize(elements * sizeof(float)));
  return values;
}

} // namespace

TEST(OffChip, ExecutablesComeFromTheCache) {
  const Folder folder;
  for (const auto &kind : kinds) {
    const auto run = [&](bool warm) {
      auto own = onIpus(kind, folder.file("cache"));
      const auto out = afterSteps(*own, 3);
      EXPECT_EQ(isWarm(*own), warm);
      return out;
    };
    const auto cold = run(false);
    EXPECT_EQ(run(true), cold);
    expectClose(cold, trained(lamb(), kind.how, {}, prefixes), "cold");
  }
}

// What the next test starts: loads what it has saved, and leaves the numbers beside it.
TEST(OffChipProcess, Trains) {
  const char *folder = std::getenv("OPENIPU_TEST_FOLDER");
  if (!folder)
    GTEST_SKIP() << "started by OffChip.ExecutablesRunInAnotherProcess";
  for (std::size_t k = 0; k < kinds.size(); ++k)
    for (const auto &[file, steps] : {std::pair{".offline", 3}, {".trained", 1}}) {
      auto own = onIpus(kinds[k]);
      own->loadExecutableFromFile(fileOf(folder, k, file));
      write(fileOf(folder, k, file) + ".out", afterSteps(*own, steps));
      EXPECT_TRUE(isWarm(*own));
    }
}

TEST(OffChip, ExecutablesRunInAnotherProcess) {
  const Folder folder;
  std::vector<Floats> want;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const auto &how = kinds[k].how;
    DeviceOptions what{{"numIPUs", std::to_string(how.ipus * how.replicas)}, {"tilesPerIPU", "8"}};
    session(kinds[k], devices().createOfflineIPUDevice(what))
        ->compileAndExport(fileOf(folder.path(), k, ".offline"));
    auto own = onIpus(kinds[k]);
    afterSteps(*own, 2); // saved with the weights of now: one more step makes three
    own->saveExecutableToFile(fileOf(folder.path(), k, ".trained"), true, true);
    train(*own, 1);
    want.push_back(variables(*own, prefixes));
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("OPENIPU_TEST_FOLDER", folder.path().c_str(), 1);
    ::execl("/proc/self/exe", "popart_test", "--gtest_filter=OffChipProcess.Trains",
            "--gtest_brief=1", nullptr);
    ::_exit(127);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  for (std::size_t k = 0; k < kinds.size(); ++k)
    for (const char *file : {".offline", ".trained"})
      EXPECT_EQ(read(fileOf(folder.path(), k, file) + ".out", want[k].size()), want[k])
          << k << file;
}
