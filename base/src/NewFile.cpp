// SPDX-License-Identifier: MIT
// A maker locks after making; whoever clears locks before removing. So the maker, once it has the
// lock, looks whether its name still stands for its file, and begins again if somebody was faster.
#include "base/NewFile.hpp"
#include "base/Text.hpp"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

namespace base {
namespace {

constexpr std::string_view start = "openipu-", fileEnding = ".partial", folderEnding = ".work";
constexpr std::size_t digits = 16;
constexpr int attempts = 100; // against those who clear; more than one is rare

std::string newName(std::string_view ending) {
  std::uint64_t random = 0;
  while (::getrandom(&random, sizeof random, 0) != ssize_t(sizeof random))
    ;
  return str(start, hex(random), ending);
}

bool isName(std::string_view name, std::string_view ending) {
  if (name.size() != start.size() + digits + ending.size() ||
      name.substr(0, start.size()) != start || name.substr(start.size() + digits) != ending)
    return false;
  const auto middle = name.substr(start.size(), digits);
  return middle.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool lockAtOnce(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0; }

// Whether the name in the folder still is the open file.
bool isStill(int folder, const std::string &name, int fd) {
  struct stat named {
  }, open{};
  return ::fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstat(fd, &open) == 0 && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

// Where locks do not exist (errno is another one) nothing is ever cleared.
bool isMine(int folder, const std::string &name, int fd) {
  return (lockAtOnce(fd) || errno != EWOULDBLOCK) && isStill(folder, name, fd);
}

// Open and locked, if it is of this user and its maker is dead.
Descriptor takeLeftover(int folder, const std::string &name, int flags, mode_t type) {
  Descriptor fd(::openat(folder, name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  const bool dead = fd && ::fstat(fd.get(), &info) == 0 && (info.st_mode & S_IFMT) == type &&
                    info.st_uid == ::geteuid() && lockAtOnce(fd.get());
  return dead ? std::move(fd) : Descriptor();
}

void removeTree(const std::string &path) try {
  std::error_code error;
  for (int attempt = 0; attempt < 3; ++attempt) // a compiler may still be writing into it
    if (std::filesystem::remove_all(path, error), !error)
      return;
} catch (const std::bad_alloc &) { // what is left is cleared by the next
}

std::string temporaryPlace() {
  const char *chosen = std::getenv("TMPDIR");
  return std::filesystem::absolute(chosen && *chosen ? chosen : "/tmp").string();
}

} // namespace

void failToWrite(const std::string &path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  throw FileError(path, str("The file \"", path, "\" cannot be written: ", std::strerror(error),
                            full ? ". Free some space, or choose another folder."
                                 : ". Check the path and the permissions."));
}

void clearLeftovers(int folder) {
  for (const auto &name : namesIn(folder))
    if (isName(name, fileEnding))
      if (const auto taken = takeLeftover(folder, name, O_RDWR, S_IFREG)) // locked until it is gone
        ::unlinkat(folder, name.c_str(), 0);
}

static void clearFolders(const Folder &place) {
  for (const auto &name : namesIn(place.get()))
    if (isName(name, folderEnding))
      if (const auto taken = takeLeftover(place.get(), name, O_RDONLY | O_DIRECTORY, S_IFDIR))
        removeTree(place.pathOf(name));
}

NewFile::NewFile(int folder, const std::string &pathForMessages, mode_t mode) : folder_(folder) {
  for (int attempt = 0; attempt < attempts; ++attempt) {
    name_ = newName(fileEnding);
    fd_ = Descriptor(
        ::openat(folder, name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!fd_)
      break;
    if (isMine(folder, name_, fd_.get()))
      return;
  }
  failToWrite(pathForMessages, errno);
}

NewFile::~NewFile() {
  if (!name_.empty())
    ::unlinkat(folder_, name_.c_str(), 0);
}

bool NewFile::moveTo(const std::string &name) {
  if (::renameat(folder_, name_.c_str(), folder_, name.c_str()) != 0)
    return false;
  name_.clear();
  return true;
}

TemporaryFolder::TemporaryFolder()
    : place_(Folder::shared(temporaryPlace(), "set TMPDIR to a folder of your own")) {
  clearFolders(place_);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto name = newName(folderEnding);
    path_ = place_.pathOf(name);
    if (::mkdirat(place_.get(), name.c_str(), 0700) != 0)
      break;
    lock_ = Descriptor(
        ::openat(place_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (lock_ && isMine(place_.get(), name, lock_.get()))
      return;
  }
  throw FileError(path_, str("Cannot create a temporary folder ", path_, ": ", std::strerror(errno),
                             ". Set TMPDIR to a folder that can be written."));
}

TemporaryFolder::~TemporaryFolder() { removeTree(path_); }

} // namespace base
