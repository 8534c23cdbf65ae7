// SPDX-License-Identifier: MIT
// Outputs: whole or not at all, and what stands at the path stays what it is.
#include "base/OutputFile.hpp"
#include "base/testing/OtherUser.hpp"
#include "base/Text.hpp"
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <thread>

using namespace base;
using namespace base::testing;
namespace fs = std::filesystem;

namespace {

std::string refusal(const std::string &path, const std::string &bytes = "new") {
  try {
    writeWhole(path, bytes);
  } catch (const FileError &e) {
    EXPECT_EQ(e.path, path);
    return e.what();
  }
  return "";
}

} // namespace

TEST(OutputFile, ReplacesAFileWhole) {
  const Scratch scratch;
  const auto path = scratch.write("out", "old", 0640);
  {
    OutputFile file(path);
    file.stream() << "half";
    file.close();
    EXPECT_EQ(contentsOf(path), "old");
  }
  EXPECT_EQ(contentsOf(path), "old");
  EXPECT_EQ(filesIn(scratch.path()), 1u);
  OutputFile file(path);
  file.stream() << "new text";
  file.stream().seekp(4);
  file.stream() << "TEXT" << std::string(200000, 'x');
  file.commit();
  EXPECT_EQ(contentsOf(path), "new TEXT" + std::string(200000, 'x'));
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
  EXPECT_EQ(filesIn(scratch.path()), 1u);
}

TEST(OutputFile, LeavesNothingIfTheWriterThrows) {
  const Scratch scratch;
  EXPECT_THROW(writeWhole(scratch.file("out"),
                          [](std::ostream &out) {
                            out << "half";
                            throw std::runtime_error("enough");
                          }),
               std::runtime_error);
  EXPECT_EQ(filesIn(scratch.path()), 0u);
}

TEST(OutputFile, NamesAFolderThatIsMissing) {
  const Scratch scratch;
  const auto path = scratch.file("none/out");
  EXPECT_EQ(refusal(path), str("The file \"", path, "\" cannot be written: there is no folder \"",
                               scratch.file("none"), "\". Make it first, or choose another."));
  EXPECT_FALSE(fs::exists(scratch.file("none")));
  makeFolderOf(path);
  EXPECT_EQ(refusal(path), "");
  EXPECT_THROW(makeFolderOf(path + "/deeper/file"), FileError);
}

TEST(OutputFile, KeepsALinkAndReplacesItsTarget) {
  const Scratch scratch;
  scratch.write("target", "old");
  scratch.link("first", "target");
  scratch.folder("inner");
  const auto path = scratch.link("inner/second", "../first");
  EXPECT_EQ(refusal(path), "");
  EXPECT_TRUE(fs::is_symlink(path) && fs::is_symlink(scratch.file("first")));
  EXPECT_EQ(contentsOf(scratch.file("target")), "new");
  EXPECT_EQ(refusal(scratch.link("dangling", "made")), "");
  EXPECT_EQ(contentsOf(scratch.file("made")), "new");
  EXPECT_NE(refusal(scratch.link("round", "round")), "");
  EXPECT_NE(refusal(scratch.link("far", "none/made")), "");
}

TEST(OutputFile, IsNotWrittenThroughWhatAnotherUserPlanted) {
  if (!isRoot())
    GTEST_SKIP() << "only root can make another user's files";
  const Scratch scratch;
  scratch.write("precious", "mine");
  const auto link = scratch.link("link", "precious"), pipe = scratch.file("pipe");
  giveAway(link);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  giveAway(pipe);
  EXPECT_EQ(refusal(link), str("The file \"", link, "\" is not written: \"", link,
                               "\" is a link that user 65534 made. Remove it, or choose another "
                               "path."));
  EXPECT_NE(refusal(pipe).find("is a pipe that user 65534 made"), std::string::npos);
  EXPECT_THROW(openInPlace(link, Begin::AtEnd), UnsafeError);
  EXPECT_EQ(contentsOf(scratch.file("precious")), "mine");
  EXPECT_EQ(filesIn(scratch.path()), 3u);
}

TEST(OutputFile, GoesIntoPipesAndDevices) {
  const Scratch scratch;
  const auto pipe = scratch.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string bytes(300000, 'x');
  std::string read;
  std::thread reader([&] { read = contentsOf(pipe); });
  EXPECT_EQ(refusal(pipe, bytes), "");
  reader.join();
  EXPECT_EQ(read, bytes);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(refusal("/dev/null"), "");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_NE(refusal("/dev/full").find("No space left on device"), std::string::npos);
  if (!isRoot())
    return;
  const auto null = scratch.file("null"); // as /dev/null, which root could replace
  if (::mknod(null.c_str(), S_IFCHR | 0666, ::makedev(1, 3)) != 0)
    return;
  EXPECT_EQ(refusal(null), "");
  EXPECT_TRUE(fs::is_character_file(null));
}

TEST(OutputFile, SurvivesAReaderThatGoesAway) {
  const Scratch scratch;
  const auto pipe = scratch.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread reader([&] {
    char byte;
    const int fd = ::open(pipe.c_str(), O_RDONLY);
    EXPECT_EQ(::read(fd, &byte, 1), 1);
    ::close(fd);
  });
  EXPECT_NE(refusal(pipe, std::string(1 << 20, 'x')).find("Broken pipe"), std::string::npos);
  reader.join();
}

// What a shell does for `program -o /dev/stdout >> log`.
TEST(OutputFile, GoesToStandardOutputThatIsAFile) {
  const Scratch scratch;
  const auto log = scratch.write("log", "begin ");
  const pid_t child = ::fork();
  if (child == 0) {
    const int fd = ::open(log.c_str(), O_WRONLY | O_APPEND);
    ::dup2(fd, 1);
    const bool good = refusal("/dev/stdout", "middle ").empty() && ::write(1, "end", 3) == 3;
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contentsOf(log), "begin middle end");
}

TEST(OutputFile, SaysWhatIsInTheWay) {
  const Scratch scratch;
  EXPECT_NE(refusal(scratch.folder("d")).find("Is a directory"), std::string::npos);
  EXPECT_NE(refusal(scratch.path() + "/").find("Is a directory"), std::string::npos);
  EXPECT_NE(refusal(""), "");
  scratch.write("file", "x");
  EXPECT_NE(refusal(scratch.file("file/inner")).find("Not a directory"), std::string::npos);
}

TEST(OutputFile, LeavesNothingOnAFullDisk) {
  const Scratch scratch;
  const auto path = scratch.write("out", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most{1 << 16, 1 << 16};
    ::setrlimit(RLIMIT_FSIZE, &most);
    const auto text = refusal(path, std::string(1 << 20, 'x'));
    ::_exit(text != str("The file \"", path,
                        "\" cannot be written: File too large. Free some "
                        "space, or choose another folder."));
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contentsOf(path), "old");
  EXPECT_EQ(filesIn(scratch.path()), 1u);
}

TEST(OutputFile, RefusesANameThatTheSystemWouldCut) {
  const Scratch scratch;
  const auto path = scratch.file("out") + std::string("\0side", 5);
  EXPECT_EQ(refusal(path), str("The name \"", scratch.file("out"),
                               "\" of a file or folder goes on behind a zero byte, where the "
                               "system would cut it. Give another name."));
  EXPECT_EQ(filesIn(scratch.path()), 0u);
}

TEST(OutputFile, ClearsWhatAKilledWriterLeft) {
  const Scratch scratch;
  scratch.write("openipu-0123456789abcdef.partial", "half");
  EXPECT_EQ(refusal(scratch.file("out")), "");
  EXPECT_EQ(filesIn(scratch.path()), 1u);
}

TEST(OpenInPlace, AppendsOrBeginsAnew) {
  const Scratch scratch;
  const auto path = scratch.write("log", "one ");
  const Descriptor end = openInPlace(path, Begin::AtEnd);
  DescriptorStream(end.get()) << "two";
  EXPECT_EQ(contentsOf(path), "one two");
  const Descriptor anew = openInPlace(scratch.link("link", "log"), Begin::Anew);
  DescriptorStream(anew.get()) << "four";
  EXPECT_EQ(contentsOf(path), "four");
  EXPECT_TRUE(openInPlace("/dev/null", Begin::Anew));
}
