// SPDX-License-Identifier: MIT
// Folders and files that another user made, or could have made, in place of ours.
#include "Trust.hpp"
#include <poplar/DeviceManager.hpp>
#include <poplar/exceptions.hpp>
#include <sys/wait.h>

using namespace trust;
namespace fs = std::filesystem;

namespace {

struct HostileFolders : ::testing::Test {
  std::vector<std::string> entries(const std::string &ending) {
    std::vector<std::string> found;
    for (const auto &entry : fs::directory_iterator(scratch.file("cache")))
      if (entry.path().extension() == ending)
        found.push_back(entry.path().string());
    return found;
  }
  // One of every kind in the place of every entry, by `plant`: rebuilt, or at least not believed.
  void expectRebuilt(const std::function<void(const std::string &)> &plant) {
    for (const char *ending : {".module", ".key"}) {
      ASSERT_EQ(runs(1), "");
      ASSERT_TRUE(isCached(1));
      for (const auto &entry : entries(ending))
        plant(entry);
      EXPECT_FALSE(isCached(1)) << ending;
      EXPECT_EQ(runs(1), "") << ending;
    }
  }
  const Scratch scratch;
  const Environment environment{scratch};
};

const std::string attach = "The simulated IPUs are not available. ";
std::string attaching() {
  try {
    auto device = poplar::DeviceManager().getDevice(0);
    return device.attach() ? "attached" : "busy";
  } catch (const poplar::poplar_error &e) {
    return e.what();
  }
}

} // namespace

TEST_F(HostileFolders, ACacheThatOthersMayWriteToIsRefused) {
  const auto cache = scratch.folder("cache", 0777);
  EXPECT_EQ(runs(1), "The folder \"" + cache +
                         "\" is not used: other users may write to it (mode 0777). Forbid that "
                         "(chmod go-w " +
                         cache +
                         ") if you trust what is in it, or set OPENIPU_CACHE_DIR to a folder of "
                         "your own.");
  ::chmod(cache.c_str(), 0755);
  EXPECT_EQ(runs(1), "");
  EXPECT_TRUE(isCached(1));
}

TEST_F(HostileFolders, ACacheOfAnotherUserIsRefused) {
  if (!isRoot())
    GTEST_SKIP() << "only root can make another user's files";
  ASSERT_EQ(runs(1), "");
  giveAway(scratch.file("cache"));
  EXPECT_NE(runs(1).find("belongs to user 65534"), std::string::npos);
  fs::remove_all(scratch.file("cache"));
  giveAway(scratch.link("cache", scratch.folder("elsewhere")));
  EXPECT_NE(runs(1).find("is a link that belongs to user 65534"), std::string::npos);
  EXPECT_EQ(filesIn(scratch.file("elsewhere")), 0u);
}

// A user's cache in root's folder, or in one of his own that others may read, works.
TEST_F(HostileFolders, ASharedCacheThatOnlyRootWritesIsRead) {
  if (!isRoot())
    GTEST_SKIP() << "only root can share with another user";
  ::chmod(scratch.path().c_str(), 0755);
  scratch.folder("cache", 0755);
  ASSERT_EQ(runs(1), "");
  const pid_t child = ::fork();
  if (child == 0) {
    const bool left = ::setgid(otherUser) == 0 && ::setuid(otherUser) == 0;
    ::setenv("TMPDIR", "/tmp", 1);
    ::_exit(!left ? 1 : !isCached(1) ? 2 : 0);
  }
  EXPECT_EQ(statusOf(child), 0);
}

TEST_F(HostileFolders, EntriesThatOthersMadeOrCutAreNotBelieved) {
  forSpoiltEntries(scratch, [&](const auto &plant) { expectRebuilt(plant); });
}

// They stay where they are, and nothing is kept under their names.
TEST_F(HostileFolders, FoldersInPlaceOfEntriesAreNoObstacle) {
  for (const char *ending : {".module", ".key"}) {
    ASSERT_EQ(runs(1), "");
    for (const auto &entry : entries(ending)) {
      fs::remove(entry);
      fs::create_directory(entry);
    }
    EXPECT_FALSE(isCached(1)) << ending;
    EXPECT_EQ(runs(1), "") << ending;
  }
  EXPECT_EQ(filesIn(scratch.file("cache")), 2u);
}

TEST_F(HostileFolders, FilesOfTheUserInTheCacheStay) {
  scratch.folder("cache");
  scratch.write("cache/thesis.tex", std::string(3 << 20, 'x'));
  scratch.write("cache/thesis.module", std::string(3 << 20, 'x'));
  scratch.write("cache/" + std::string(32, 'a') + ".module", std::string(3 << 20, 'x'));
  ::setenv("OPENIPU_CACHE_MAX_MB", "1", 1);
  EXPECT_EQ(runs(1), "");
  EXPECT_EQ(runs(2), "");
  EXPECT_TRUE(isCached(1)); // the user's files do not count either
  ::setenv("OPENIPU_CACHE_MAX_MB", "0", 1);
  EXPECT_EQ(runs(3), "");
  ::unsetenv("OPENIPU_CACHE_MAX_MB");
  EXPECT_EQ(filesIn(scratch.file("cache")), 3u);
}

TEST_F(HostileFolders, TemporaryFoldersAreMadeWhereNobodyCanReplaceThem) {
  const auto open = scratch.folder("open", 0777);
  ::setenv("TMPDIR", open.c_str(), 1);
  EXPECT_NE(runs(1).find("set TMPDIR to a folder of your own"), std::string::npos);
  ::chmod(open.c_str(), 01777);
  EXPECT_EQ(runs(1), "");
  EXPECT_EQ(filesIn(open), 0u);
}

TEST_F(HostileFolders, RuntimeFoldersOfOthersAreRefused) {
  const auto runtime = scratch.file("runtime");
  EXPECT_EQ(attaching(), "attached");
  const auto precious = scratch.write("precious", "mine");
  fs::remove(runtime + "/ipu0");
  fs::create_symlink(precious, runtime + "/ipu0");
  EXPECT_EQ(attaching(), "Cannot open \"" + runtime +
                             "/ipu0\", which stands for a simulated IPU: it is a link. Remove it, "
                             "or set OPENIPU_RUNTIME_DIR to another folder of your own.");
  EXPECT_EQ(contentsOf(precious), "mine");
  ::chmod(runtime.c_str(), 0777);
  EXPECT_EQ(attaching().substr(0, attach.size()), attach);
  if (!isRoot())
    return;
  ::chmod(runtime.c_str(), 0700);
  giveAway(runtime);
  EXPECT_EQ(attaching().substr(0, attach.size()), attach);
  fs::remove_all(runtime);
  giveAway(scratch.link("runtime", scratch.folder("elsewhere")));
  EXPECT_EQ(attaching().substr(0, attach.size()), attach);
  EXPECT_EQ(filesIn(scratch.file("elsewhere")), 0u);
}
