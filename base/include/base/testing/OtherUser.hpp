// SPDX-License-Identifier: MIT
// For tests of what other users may have made: a folder of the test's own, and files that belong to
// somebody else, which only root can make.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace base::testing {

constexpr uid_t otherUser = 65534;

inline bool isRoot() { return ::geteuid() == 0; }
// Of the file or link itself.
inline void giveAway(const std::string &path) {
  ASSERT_EQ(::lchown(path.c_str(), otherUser, otherUser), 0) << path;
}

class Scratch {
public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "trust-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch &) = delete;
  const std::string &path() const { return path_; }
  std::string file(const std::string &name) const { return path_ + "/" + name; }
  std::string folder(const std::string &name, mode_t mode = 0700) const {
    std::filesystem::create_directories(file(name));
    ::chmod(file(name).c_str(), mode);
    return file(name);
  }
  std::string write(const std::string &name, const std::string &text, mode_t mode = 0600) const {
    std::ofstream(file(name), std::ios::binary) << text;
    ::chmod(file(name).c_str(), mode);
    return file(name);
  }
  std::string link(const std::string &name, const std::string &target) const {
    std::filesystem::create_symlink(target, file(name));
    return file(name);
  }

private:
  std::string path_;
};

inline std::string contentsOf(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}
inline std::size_t filesIn(const std::string &path) {
  std::error_code none;
  const std::filesystem::directory_iterator files(path, none);
  return std::size_t(std::distance(begin(files), end(files)));
}

// What may stand in the place of a cache's entry, and is not to be believed: each in turn by
// `check`, which is told how to plant it. Entries lose their bytes to "moved" and "precious".
inline void forSpoiltEntries(
    const Scratch &scratch,
    const std::function<void(const std::function<void(const std::string &)> &)> &check) {
  namespace fs = std::filesystem;
  const auto precious = scratch.write("precious", "mine");
  check([](const std::string &entry) { ::chmod(entry.c_str(), 0666); });
  check([&](const std::string &entry) {
    fs::rename(entry, scratch.file("moved"));
    fs::create_symlink(scratch.file("moved"), entry);
  });
  check([&](const std::string &entry) {
    fs::remove(entry);
    fs::create_symlink(precious, entry);
  });
  check([](const std::string &entry) {
    fs::remove(entry);
    ASSERT_EQ(::mkfifo(entry.c_str(), 0600), 0);
  });
  if (isRoot())
    check([](const std::string &entry) { giveAway(entry); });
  for (const std::uintmax_t bytes : {0, 24, 100})
    check([&](const std::string &entry) { fs::resize_file(entry, bytes); });
  EXPECT_EQ(contentsOf(precious), "mine");
}

} // namespace base::testing
