// SPDX-License-Identifier: MIT
// Whom folders are believed, and whose leftovers are cleared.
#include "base/Folder.hpp"
#include "base/NewFile.hpp"
#include "base/testing/OtherUser.hpp"
#include "base/Text.hpp"
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>

using namespace base;
using namespace base::testing;
namespace fs = std::filesystem;

namespace {

const char *const remedy = "set SOME_DIR to a folder of your own";

std::string refusal(const std::string &path) {
  try {
    Folder(path, Missing::MakeAll, remedy);
  } catch (const UnsafeError &e) {
    EXPECT_EQ(e.path, path);
    return e.what();
  }
  return "";
}
std::string whyNot(const Folder &folder, const std::string &name) {
  std::string why;
  return folder.open(name, why) ? "opened" : why;
}

} // namespace

TEST(Folder, IsMadeForThisUserAlone) {
  const Scratch scratch;
  const Folder folder(scratch.file("a/b"), Missing::MakeAll, remedy);
  EXPECT_EQ(fs::status(scratch.file("a/b")).permissions(), fs::perms::owner_all);
  EXPECT_THROW(Folder(scratch.file("c/d"), Missing::MakeLast, remedy), FileError);
  EXPECT_THROW(Folder(scratch.file("c"), Missing::Refuse, remedy), FileError);
  EXPECT_FALSE(fs::exists(scratch.file("c")));
  EXPECT_EQ(refusal(scratch.folder("readable", 0755)), "");
}

TEST(Folder, IsRefusedIfOthersMayWriteToIt) {
  const Scratch scratch;
  const auto open = scratch.folder("open", 0777);
  EXPECT_EQ(refusal(open), str("The folder \"", open,
                               "\" is not used: other users may write to it (mode 0777). Forbid "
                               "that (chmod go-w ",
                               open, ") if you trust what is in it, or ", remedy, "."));
  EXPECT_NE(refusal(scratch.folder("sticky", 01777)), "");
  EXPECT_NE(refusal(scratch.link("link", open)), "");
  if (isRoot()) {
    EXPECT_NE(refusal(scratch.folder("group", 0770)), ""); // everybody's group in some containers
  }
}

TEST(Folder, IsRefusedIfItBelongsToAnother) {
  if (!isRoot())
    GTEST_SKIP() << "only root can make another user's files";
  const Scratch scratch;
  const auto theirs = scratch.folder("theirs");
  giveAway(theirs);
  EXPECT_EQ(refusal(theirs), str("The folder \"", theirs,
                                 "\" is not used: it belongs to user 65534 (nobody), who could "
                                 "change what this user loads. Take it over (chown -R 0 ",
                                 theirs, ") if you trust what is in it, or ", remedy, "."));
  EXPECT_NE(refusal(scratch.link("mine", theirs)), "");
}

TEST(Folder, FollowsOnlyLinksOfTrustedUsers) {
  const Scratch scratch;
  scratch.folder("real/inner");
  EXPECT_EQ(refusal(scratch.link("mine", "real")), "");
  EXPECT_EQ(refusal(scratch.file("mine/inner")), "");
  scratch.link("round", "round");
  EXPECT_THROW(Folder(scratch.file("round"), Missing::MakeAll, remedy), FileError);
  if (!isRoot())
    return;
  giveAway(scratch.link("planted", "real"));
  EXPECT_NE(refusal(scratch.file("planted")).find("is a link that belongs to user 65534"),
            std::string::npos);
  EXPECT_NE(refusal(scratch.file("planted/inner")), "");
  EXPECT_NE(refusal(scratch.file("planted/new")), "");
  EXPECT_FALSE(fs::exists(scratch.file("real/new")));
}

TEST(Folder, OpensOnlyPlainFilesThatNobodyElseMayWrite) {
  const Scratch scratch;
  const Folder folder(scratch.folder("f"), Missing::Refuse, remedy);
  scratch.write("f/good", "x");
  scratch.write("f/open", "x", 0666);
  scratch.folder("f/folder");
  scratch.link("f/link", "good");
  ASSERT_EQ(::mkfifo(scratch.file("f/pipe").c_str(), 0600), 0);
  EXPECT_EQ(whyNot(folder, "good"), "opened");
  EXPECT_EQ(whyNot(folder, "none"), "");
  EXPECT_EQ(whyNot(folder, "open"), "other users may write to it");
  EXPECT_EQ(whyNot(folder, "folder"), "it is no regular file");
  EXPECT_EQ(whyNot(folder, "link"), "it is a link");
  EXPECT_EQ(whyNot(folder, "pipe"), "it is no regular file");
  for (const char *bad : {"open", "folder", "link", "pipe"})
    EXPECT_THROW(folder.openOrMake(bad), FileError) << bad;
  EXPECT_TRUE(folder.openOrMake("new"));
  EXPECT_EQ(fs::status(scratch.file("f/new")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  if (!isRoot())
    return;
  giveAway(scratch.write("f/theirs", "x"));
  EXPECT_EQ(whyNot(folder, "theirs"), "it belongs to user 65534 (nobody)");
  EXPECT_THROW(folder.openOrMake("theirs"), FileError);
}

TEST(Folder, SharedOnesNeedTheStickyBitAllTheWay) {
  const Scratch scratch;
  scratch.folder("sticky/mine", 0700);
  ::chmod(scratch.file("sticky").c_str(), 01777);
  EXPECT_NO_THROW(Folder::shared(scratch.file("sticky"), remedy));
  EXPECT_NO_THROW(Folder::shared(scratch.file("sticky/mine"), remedy));
  ::chmod(scratch.file("sticky").c_str(), 0777);
  EXPECT_THROW(Folder::shared(scratch.file("sticky"), remedy), UnsafeError);
  EXPECT_THROW(Folder::shared(scratch.file("sticky/mine"), remedy), UnsafeError);
}

TEST(NewFile, VanishesUnlessItIsMoved) {
  const Scratch scratch;
  const Folder folder(scratch.path(), Missing::Refuse, remedy);
  { const NewFile file(folder.get(), "x"); }
  EXPECT_EQ(filesIn(scratch.path()), 0u);
  {
    NewFile file(folder.get(), "x");
    EXPECT_EQ(filesIn(scratch.path()), 1u);
    EXPECT_TRUE(file.moveTo("x"));
  }
  EXPECT_TRUE(fs::exists(scratch.file("x")));
  scratch.folder("d");
  NewFile file(folder.get(), "d");
  EXPECT_FALSE(file.moveTo("d"));
}

TEST(Leftovers, OfTheDeadAreClearedAndOthersAreNot) {
  const Scratch scratch;
  const Folder folder(scratch.path(), Missing::Refuse, remedy);
  const NewFile live(folder.get(), "x");
  const auto dead = scratch.write("openipu-0123456789abcdef.partial", "half");
  const auto link = scratch.link("openipu-0123456789abcdee.partial", scratch.write("kept", "me"));
  scratch.folder("openipu-0123456789abcded.partial");
  scratch.write("mine.partial", "of the user");
  scratch.write("openipu-0123456789abcdeX.partial", "of the user");
  ASSERT_EQ(::mkfifo(scratch.file("openipu-0123456789abcdec.partial").c_str(), 0600), 0);
  if (isRoot())
    giveAway(scratch.write("openipu-0123456789abcdea.partial", "theirs"));
  const auto before = filesIn(scratch.path());
  clearLeftovers(folder.get());
  EXPECT_EQ(filesIn(scratch.path()), before - 1);
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_EQ(contentsOf(scratch.file("kept")), "me");
}

TEST(TemporaryFolder, OfAKilledProcessIsClearedByTheNext) {
  const Scratch scratch;
  ::setenv("TMPDIR", scratch.path().c_str(), 1);
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFolder folder;
    std::ofstream(folder.file("half")) << "x";
    (void)!::write(ready[1], "x", 1);
    ::pause();
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  { const TemporaryFolder another; }
  EXPECT_EQ(filesIn(scratch.path()), 1u) << "the folder of a live process is gone";
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  { const TemporaryFolder another; }
  EXPECT_EQ(filesIn(scratch.path()), 0u);
  ::chmod(scratch.path().c_str(), 0777);
  EXPECT_THROW(TemporaryFolder(), UnsafeError);
  ::setenv("TMPDIR", scratch.file("none").c_str(), 1);
  EXPECT_THROW(TemporaryFolder(), FileError);
  ::unsetenv("TMPDIR");
  ::close(ready[0]);
  ::close(ready[1]);
}

// Makers and those who clear, at once: every maker keeps its file until it is done with it.
TEST(Leftovers, AreNeverTakenFromTheLiving) {
  const Scratch scratch;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i)
    if (const pid_t child = ::fork(); child == 0) {
      const Folder folder(scratch.path(), Missing::Refuse, remedy);
      bool good = true;
      for (int k = 0; k < 300 && good; ++k) {
        clearLeftovers(folder.get());
        NewFile file(folder.get(), "x");
        clearLeftovers(folder.get());
        good = file.moveTo(str("file", i));
      }
      ::_exit(good ? 0 : 1);
    } else {
      children.push_back(child);
    }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(filesIn(scratch.path()), 4u);
}
