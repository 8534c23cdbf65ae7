// SPDX-License-Identifier: MIT
// What is written whole or not at all, caches of files, and the threads of the pool.
#include "base/FileCache.hpp"
#include "base/NewFile.hpp"
#include "base/OutputFile.hpp"
#include "base/testing/OtherUser.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "Sweep.hpp"
#include <atomic>
#include <sstream>

using namespace base::testing;

// How many files the process has open.
static std::size_t openFiles() { return filesIn("/proc/self/fd"); }

TEST(Faults, AFileIsTheOldOneOrTheNewOne) {
  const Scratch scratch;
  const auto folder = scratch.folder("files");
  const auto file = folder + "/file";
  const std::string before(3000, 'o'), after(200'000, 'n');
  faults::Subject subject;
  subject.prepare = [&] { scratch.write("files/file", before); };
  subject.act = [&] {
    base::writeWhole(file, after);
    return "";
  };
  subject.afterFailure = [&] { EXPECT_TRUE(contentsOf(file) == before); };
  subject.afterSuccess = [&] { EXPECT_TRUE(contentsOf(file) == after); };
  const auto open = openFiles();
  subject.afterAgain = [&] {
    EXPECT_EQ(filesIn(folder), 1u);
    EXPECT_EQ(openFiles(), open);
  };
  faults::survives(subject, 200);
}

TEST(Faults, AnEntryOfACacheIsWholeOrMissing) {
  const Scratch scratch;
  const auto folder = scratch.folder("cache");
  const std::string name = std::string(32, 'a') + ".entry",
                    bytes = "mark" + std::string(200'000, 'x');
  const auto cache = [&] { return base::FileCache(folder, {".entry"}, "mark", "choose another"); };
  const auto found = [&] {
    std::string why, read;
    if (const auto file = cache().find(name, why))
      if (!base::readAll(file.get(), read))
        throw std::runtime_error("the entry cannot be read");
    return read;
  };
  faults::Subject subject;
  subject.prepare = [&] { std::filesystem::remove(folder + "/" + name); };
  subject.act = [&] {
    cache().store(name, [&](std::ostream &out) { out << bytes; });
    cache().evict(1'000'000, name);
    return "";
  };
  subject.afterFailure = [&] { EXPECT_TRUE(found().empty() || found() == bytes); };
  subject.afterSuccess = [&] { EXPECT_TRUE(found() == bytes); };
  const auto open = openFiles();
  subject.afterAgain = [&] {
    EXPECT_EQ(filesIn(folder), 1u);
    EXPECT_EQ(openFiles(), open);
  };
  faults::survives(subject, 200);
}

TEST(Faults, ATemporaryFolderIsMadeAndRemoved) {
  const Scratch scratch;
  ::setenv("TMPDIR", scratch.path().c_str(), 1);
  faults::Subject subject;
  subject.act = [&] {
    const base::TemporaryFolder folder;
    base::writeWhole(folder.path() + "/file", "text");
    return "";
  };
  subject.act();
  EXPECT_EQ(filesIn(scratch.path()), 0u);
  faults::survives(subject, 200);
  subject.act(); // clears what was left
  EXPECT_EQ(filesIn(scratch.path()), 0u);
  ::unsetenv("TMPDIR");
}

TEST(Faults, AThreadThatCannotBeMadeIsDoneWithout) {
  faults::Subject subject;
  subject.prepare = [] { base::setNumThreads(2); };
  subject.act = [] {
    base::setNumThreads(4);
    std::atomic<std::size_t> sum = 0;
    base::parallelFor(1000, 1, [&](std::size_t begin, std::size_t end, unsigned) {
      const std::string text(100, char('0' + begin % 10)); // allocates
      sum += (end - begin) * text.size();
    });
    return std::to_string(sum);
  };
  faults::survives(subject, 200);
  base::setNumThreads(base::configuredThreads());
}

TEST(Faults, ATextIsWholeOrThereIsNone) {
  const std::string part(300, 'x');
  const std::vector<std::string> parts(20, part);
  faults::survivesAllocations({[&] { return base::str(part, 1, part) + base::list(parts); }}, 200);
}
