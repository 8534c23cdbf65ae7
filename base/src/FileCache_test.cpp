// SPDX-License-Identifier: MIT
// A cache in a folder that holds other things too, and in one that others may have written to.
#include "base/FileCache.hpp"
#include "base/testing/OtherUser.hpp"
#include "base/Text.hpp"
#include <fcntl.h>

using namespace base;
using namespace base::testing;
namespace fs = std::filesystem;

namespace {

const std::string mark = "a mark\n";
std::string nameOf(int i) { return std::string(31, 'a') + std::to_string(i) + ".entry"; }

struct Files : ::testing::Test {
  FileCache open() { return FileCache(scratch.file("cache"), {".entry"}, mark, "choose another"); }
  void store(const FileCache &cache, int i, std::size_t bytes = 1000) {
    cache.store(nameOf(i),
                [&](std::ostream &out) { out << mark << std::string(bytes - mark.size(), 'x'); });
  }
  std::string find(const FileCache &cache, int i) {
    std::string why;
    return cache.find(nameOf(i), why) ? "found" : why;
  }
  std::string pathOf(int i) { return scratch.file("cache/" + nameOf(i)); }
  void use(int i, int minutesAgo) {
    fs::last_write_time(pathOf(i),
                        fs::file_time_type::clock::now() - std::chrono::minutes(minutesAgo));
  }
  const Scratch scratch;
};
using FileCacheTest = Files;

} // namespace

TEST_F(FileCacheTest, KeepsWhatItIsGivenForThisUserAlone) {
  const auto cache = open();
  EXPECT_EQ(find(cache, 0), "");
  store(cache, 0);
  EXPECT_EQ(find(cache, 0), "found");
  EXPECT_EQ(fs::status(pathOf(0)).permissions(), fs::perms(0600));
  ::chmod(scratch.file("cache").c_str(), 0755);
  store(cache, 1);
  EXPECT_EQ(fs::status(pathOf(1)).permissions(), fs::perms(0644)); // the folder is shared
  EXPECT_THROW(cache.store(nameOf(2), [](std::ostream &) { throw std::logic_error("no"); }),
               std::logic_error);
  EXPECT_EQ(filesIn(scratch.file("cache")), 2u);
}

TEST_F(FileCacheTest, ThrowsOutWhatWasUsedLongestAgo) {
  const auto cache = open();
  for (int i = 0; i < 4; ++i)
    store(cache, i);
  for (int i = 0; i < 4; ++i)
    use(i, i == 0 ? 5 : 10 - i);
  EXPECT_EQ(cache.evict(4000, nameOf(3)), std::vector<std::string>());
  EXPECT_EQ(cache.evict(2000, nameOf(3)), (std::vector<std::string>{nameOf(1), nameOf(2)}));
  EXPECT_EQ(find(cache, 0), "found");
  EXPECT_EQ(find(cache, 3), "found");
  EXPECT_EQ(cache.evict(10, nameOf(3)), (std::vector<std::string>{nameOf(0), nameOf(3)}));
}

TEST_F(FileCacheTest, ThrowsOutNothingThatItDidNotWrite) {
  const auto cache = open();
  store(cache, 0);
  const std::string large(100000, 'x');
  scratch.write("cache/thesis.tex", large);
  scratch.write("cache/short.entry", mark + large);
  scratch.write("cache/" + std::string(32, 'b') + ".other", mark + large);
  scratch.write("cache/" + nameOf(1), large); // without the mark
  scratch.folder("cache/" + nameOf(2));
  scratch.link("cache/" + nameOf(3), scratch.write("cache/target", mark + large));
  const auto before = filesIn(scratch.file("cache"));
  EXPECT_EQ(cache.evict(2000, nameOf(0)), std::vector<std::string>()); // they do not count
  EXPECT_EQ(cache.evict(10, nameOf(0)), std::vector<std::string>{nameOf(0)});
  EXPECT_EQ(filesIn(scratch.file("cache")), before - 1);
}

TEST_F(FileCacheTest, ReadsNothingThatAnotherMade) {
  const auto cache = open();
  scratch.write("cache/" + nameOf(0), mark, 0666);
  scratch.link("cache/" + nameOf(1), scratch.write("elsewhere", mark));
  ASSERT_EQ(::mkfifo(pathOf(2).c_str(), 0600), 0);
  scratch.folder("cache/" + nameOf(3));
  EXPECT_EQ(find(cache, 0), "other users may write to it");
  EXPECT_EQ(find(cache, 1), "it is a link");
  EXPECT_EQ(find(cache, 2), "it is no regular file");
  EXPECT_EQ(find(cache, 3), "it is no regular file");
  for (int i = 0; i < 3; ++i) { // replaced, and nothing is written through them
    store(cache, i);
    EXPECT_EQ(find(cache, i), "found");
  }
  EXPECT_THROW(store(cache, 3), FileError);
  EXPECT_EQ(contentsOf(scratch.file("elsewhere")), mark);
  if (!isRoot())
    return;
  giveAway(pathOf(0));
  EXPECT_EQ(find(cache, 0), "it belongs to user 65534 (nobody)");
  store(cache, 0);
  EXPECT_EQ(find(cache, 0), "found");
}

TEST_F(FileCacheTest, ServesAReaderWhileTheEntryIsReplaced) {
  const auto cache = open();
  store(cache, 0, 500);
  std::string why, bytes;
  const Descriptor reading = cache.find(nameOf(0), why);
  store(cache, 0, 2000);
  cache.evict(0, nameOf(0));
  EXPECT_TRUE(readAll(reading.get(), bytes));
  EXPECT_EQ(bytes.size(), 500u);
}

TEST_F(FileCacheTest, ClearsLeftoversWhenItIsOpened) {
  scratch.folder("cache");
  scratch.write("cache/openipu-0123456789abcdef.partial", "half");
  open();
  EXPECT_EQ(filesIn(scratch.file("cache")), 0u);
}
