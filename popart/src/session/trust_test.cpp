// SPDX-License-Identifier: MIT
// PopART's files where other users may have been, where processes were killed, and where something
// else than a file stands.
#include "base/testing/OtherUser.hpp"
#include "base/Text.hpp"
#include "session/cache.hpp"
#include "sessions.hpp"
#include <chrono>
#include <csignal>
#include <random>
#include <sys/wait.h>
#include <thread>

using namespace popart;
using namespace popart::testing;
using base::testing::contentsOf;
using base::testing::giveAway;
using base::testing::isRoot;
using base::testing::Scratch;
namespace fs = std::filesystem;

namespace {

std::shared_ptr<DeviceInfo> ipu() {
  return DeviceManager::createDeviceManager().acquireAvailableDevice(1, 8);
}
SessionOptions cachedIn(const std::string &folder) {
  SessionOptions options;
  options.enableEngineCaching = true;
  options.cachePath = folder;
  return options;
}
DataFlow flowOf(const Product &model) { return DataFlow(1, {{model.y, AnchorReturnType("All")}}); }
// Compiles or loads, runs, and says whether it was loaded.
bool runsWarm(const std::string &folder) {
  const Product model;
  auto device = ipu();
  auto session = model.inference(flowOf(model), cachedIn(folder), device);
  session->prepareDevice();
  session->weightsFromHost();
  EXPECT_EQ(step(*session, "x", {1, 1}, model.y, 2), (Floats{2, 3}));
  return isWarm(*session);
}
std::vector<std::string> entriesIn(const std::string &folder) {
  std::vector<std::string> out;
  for (const auto &entry : fs::directory_iterator(folder))
    out.push_back(entry.path().string());
  return out;
}

pid_t startSaving(const std::string &folder) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("OPENIPU_TEST_TRUST", folder.c_str(), 1);
    ::execl("/proc/self/exe", "popart_test", "--gtest_filter=TrustProcess.Saves", "--gtest_brief=1",
            nullptr);
    ::_exit(127);
  }
  return child;
}

} // namespace

TEST(Trust, ACacheThatOthersMayWriteToIsRefused) {
  const Scratch scratch;
  const auto folder = scratch.folder("cache", 0777);
  EXPECT_EQ(messageOf([&] { runsWarm(folder); }),
            base::str("The folder \"", folder,
                      "\" is not used: other users may write to it (mode 0777). Forbid that "
                      "(chmod go-w ",
                      folder, ") if you trust what is in it, or choose another cachePath."));
  ::chmod(folder.c_str(), 0755);
  EXPECT_FALSE(runsWarm(folder));
  EXPECT_TRUE(runsWarm(folder));
  if (!isRoot())
    return;
  giveAway(folder);
  EXPECT_NE(messageOf([&] { runsWarm(folder); }).find("belongs to user 65534"), std::string::npos);
}

TEST(Trust, EntriesThatOthersMadeOrCutAreNotBelieved) {
  const Scratch scratch;
  const auto folder = scratch.folder("cache");
  base::testing::forSpoiltEntries(scratch, [&](const auto &plant) {
    runsWarm(folder);
    ASSERT_TRUE(runsWarm(folder));
    for (const auto &entry : entriesIn(folder))
      plant(entry);
    EXPECT_FALSE(runsWarm(folder));
    EXPECT_TRUE(runsWarm(folder));
  });
}

TEST(Trust, TheCacheThrowsOutNothingOfTheUsers) {
  const Scratch scratch;
  const auto folder = scratch.folder("cache");
  const std::string large(100'000, 'x');
  scratch.write("cache/thesis.tex", large);
  scratch.write("cache/best.popef", large);
  scratch.write("cache/" + std::string(32, 'a') + ".popef", large); // not one of ours inside
  scratch.write("cache/model.partial", large);
  ::setenv("OPENIPU_CACHE_LIMIT", "1", 1);
  EXPECT_FALSE(runsWarm(folder));
  ::unsetenv("OPENIPU_CACHE_LIMIT");
  EXPECT_EQ(entriesIn(folder).size(), 4u);
}

// What the next test starts and kills.
TEST(TrustProcess, Saves) {
  const char *folder = std::getenv("OPENIPU_TEST_TRUST");
  if (!folder)
    GTEST_SKIP() << "started by Trust.KilledProcessesLeaveNothing";
  const auto in = [&](const char *name) { return (fs::path(folder) / name).string(); };
  const Product model(Floats(5000, 3));
  auto device = ipu();
  auto session = model.inference(flowOf(model), cachedIn(in("cache")), device);
  session->prepareDevice();
  session->weightsFromHost();
  for (int i = 0; i < 5; ++i) {
    session->modelToHost(in("model.onnx"));
    session->saveExecutable(in("saved"));
    model.builder->saveModelProto(in("built.onnx"));
  }
}

TEST(Trust, KilledProcessesLeaveNothing) {
  const Scratch scratch;
  const char *text = std::getenv("OPENIPU_KILLS");
  std::mt19937 random(1);
  for (int i = text ? std::atoi(text) : 12; i > 0; --i) {
    const pid_t child = startSaving(scratch.path());
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::uniform_int_distribution<int>(0, 200'000)(random)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  int status = -1;
  ::waitpid(startSaving(scratch.path()), &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(entriesIn(scratch.path()).size(), 4u); // cache, saved, model.onnx, built.onnx
  EXPECT_EQ(entriesIn(scratch.file("cache")).size(), 1u);
  EXPECT_EQ(entriesIn(scratch.file("saved")).size(), 1u);
}

TEST(Trust, AMissingFolderIsNotMade) {
  const Scratch scratch;
  const auto file = scratch.file("none/model.onnx");
  const auto expected =
      base::str("The file \"", file, "\" cannot be written: there is no folder \"",
                scratch.file("none"), "\". Make it first, or choose another.");
  const Product model;
  auto device = ipu();
  auto session = model.inference(flowOf(model), {}, device);
  session->prepareDevice();
  session->weightsFromHost();
  EXPECT_EQ(messageOf([&] { session->modelToHost(file); }), expected);
  EXPECT_EQ(messageOf([&] { model.builder->saveModelProto(file); }), expected);
  EXPECT_EQ(messageOf([&] { model.builder->saveInitializersExternally({"w"}, file); }), expected);
  EXPECT_EQ(messageOf([&] { session->saveExecutableToFile(file); }), expected);
  EXPECT_FALSE(fs::exists(scratch.file("none")));
  session->saveExecutable(scratch.file("none")); // names a folder, and makes it
  EXPECT_TRUE(fs::exists(scratch.file("none/executable.popef")));
}

TEST(Trust, ModelsGoThroughLinksAndIntoPipes) {
  const Scratch scratch;
  const Product model;
  scratch.write("target", "old");
  model.builder->saveModelProto(scratch.link("link", "target"));
  EXPECT_TRUE(fs::is_symlink(scratch.file("link")));
  EXPECT_EQ(contentsOf(scratch.file("target")), model.builder->getModelProto());
  ASSERT_EQ(::mkfifo(scratch.file("pipe").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = contentsOf(scratch.file("pipe")); });
  model.builder->saveModelProto(scratch.file("pipe"));
  reader.join();
  EXPECT_EQ(read, model.builder->getModelProto());
  EXPECT_TRUE(fs::is_fifo(scratch.file("pipe")));
  if (!isRoot())
    return;
  giveAway(scratch.link("planted", "target"));
  EXPECT_NE(messageOf([&] {
              model.builder->saveModelProto(scratch.file("planted"));
            }).find("is a link that user 65534 made"),
            std::string::npos);
}
