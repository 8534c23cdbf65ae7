// SPDX-License-Identifier: MIT
// Folders whose contents this process may believe and replace: caches, the runtime folder,
// temporary folders. Only the user who runs us and root are trusted. A folder must belong to one of
// them and be writable by nobody else; links on the way to it must be theirs; everything in it is
// opened relative to the checked folder, without following links. New files get unpredictable names
// and mode 0600.
#pragma once
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace base {

// A file or folder that cannot be used. The layers above turn it into their own types.
struct FileError : std::runtime_error {
  FileError(std::string file, const std::string &what)
      : std::runtime_error(what), path(std::move(file)) {}
  std::string path;
};
struct UnsafeError : FileError { // because another user made it or may change it
  using FileError::FileError;
};

// An open file, closed with the object.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd_(other.release()) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

private:
  int fd_;
};

bool isTrustedUser(uid_t user); // this process's user, or root
// By its mode. The group that Debian makes for a user alone does not count as others.
bool isWritableByOthers(const struct stat &info);

enum class Missing { Refuse, MakeLast, MakeAll }; // folders are made with mode 0700

class Folder {
public:
  // `remedy` ends the message of a refusal: "set OPENIPU_CACHE_DIR to a folder of your own".
  Folder(const std::string &path, Missing missing, const std::string &remedy);
  // Where other users may have files too, but cannot move ours: such as /tmp, with its sticky bit.
  static Folder shared(const std::string &path, const std::string &remedy);

  const std::string &path() const { return path_; }
  int get() const { return fd_.get(); }
  std::string pathOf(const std::string &name) const { return path_ + "/" + name; }

  // A regular file of a trusted user that nobody else may write; else nothing, and `why` says why
  // unless it is simply missing.
  Descriptor open(const std::string &name, std::string &why) const;
  // The same for reading and writing; made with mode 0600 if it is missing. FileError otherwise.
  Descriptor openOrMake(const std::string &name) const;

private:
  Folder(const std::string &path, Descriptor fd) : path_(path), fd_(std::move(fd)) {}
  std::string path_;
  Descriptor fd_;
};

std::vector<std::string> namesIn(int folder); // in no order; none if it cannot be listed

// Reads to the end; false, with errno, if that fails.
bool readAll(int fd, std::string &bytes);

} // namespace base
