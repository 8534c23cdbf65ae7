// SPDX-License-Identifier: MIT
#include "base/Folder.hpp"
#include "base/Text.hpp"
#include "Name.hpp"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <memory>
#include <pwd.h>
#include <unistd.h>

namespace base {
namespace {

std::string userName(uid_t user) {
  passwd entry{}, *found = nullptr;
  char buffer[4096];
  const bool known = ::getpwuid_r(user, &entry, buffer, sizeof buffer, &found) == 0 && found;
  return known ? str("user ", user, " (", entry.pw_name, ")") : str("user ", user);
}

// Named like the user, and with no other member.
bool isPrivateGroup(gid_t group) {
  passwd user{}, *foundUser = nullptr;
  ::group entry{}, *foundGroup = nullptr;
  char userBuffer[4096], groupBuffer[16384];
  if (group == 0 || // some containers run everybody in it
      ::getpwuid_r(::geteuid(), &user, userBuffer, sizeof userBuffer, &foundUser) != 0 ||
      !foundUser ||
      ::getgrgid_r(group, &entry, groupBuffer, sizeof groupBuffer, &foundGroup) != 0 || !foundGroup)
    return false;
  bool alone = user.pw_gid == group && !std::strcmp(user.pw_name, entry.gr_name);
  for (char **member = entry.gr_mem; alone && *member; ++member)
    alone = !std::strcmp(*member, user.pw_name);
  return alone;
}

[[noreturn]] void refuse(const std::string &path, const std::string &reason,
                         const std::string &cure, const std::string &remedy) {
  throw UnsafeError(path, str("The folder \"", path, "\" is not used: ", reason, ". ", cure,
                              " if you trust what is in it, or ", remedy, "."));
}

[[noreturn]] void fail(const std::string &path, int error, const std::string &remedy) {
  throw FileError(path, str("The folder \"", path, "\" cannot be used: ", std::strerror(error),
                            ". Correct that, or ", remedy, "."));
}

enum class Rule { Alone, Sticky };

void requireSafe(int fd, const std::string &path, Rule rule, const std::string &remedy) {
  struct stat info {};
  if (::fstat(fd, &info) != 0)
    fail(path, errno, remedy);
  if (!isTrustedUser(info.st_uid))
    refuse(path,
           str("it belongs to ", userName(info.st_uid), ", who could change what this user loads"),
           str("Take it over (chown -R ", ::geteuid(), " ", path, ")"), remedy);
  if (rule == Rule::Sticky && (info.st_mode & S_ISVTX))
    return;
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", unsigned(info.st_mode & 07777));
  if (isWritableByOthers(info))
    refuse(path, str("other users may write to it (mode ", mode, ")"),
           rule == Rule::Alone ? str("Forbid that (chmod go-w ", path, ")")
                               : str("Forbid that (chmod +t ", path, ")"),
           remedy);
}

std::deque<std::string> componentsOf(const std::string &path) {
  std::deque<std::string> parts;
  std::istringstream text(path);
  for (std::string part; std::getline(text, part, '/');)
    if (!part.empty() && part != ".")
      parts.push_back(part);
  return parts;
}

std::string linkTarget(int link) {
  char target[4096];
  const ssize_t size = ::readlinkat(link, "", target, sizeof target);
  return size > 0 ? std::string(target, std::size_t(size)) : std::string();
}

// Opens a folder one component at a time, so that every link on the way is seen.
class Walk {
public:
  Walk(const std::string &path, Missing missing, Rule rule, const std::string &remedy)
      : path_(path), remedy_(remedy), missing_(missing), rule_(rule), rest_(componentsOf(path)) {
    requireName(path);
    start(path.substr(0, 1) == "/");
  }
  Descriptor go() {
    while (!rest_.empty()) {
      name_ = rest_.front();
      rest_.pop_front();
      step();
    }
    requireSafe(at_.get(), path_, rule_, remedy_);
    return std::move(at_);
  }

private:
  void start(bool atRoot) {
    here_ = atRoot ? "/" : ".";
    at_ = Descriptor(::open(here_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!at_)
      fail(path_, errno, remedy_);
  }
  void step() {
    if (rule_ == Rule::Sticky) // who may replace a folder on the way may replace its contents
      requireSafe(at_.get(), here_, rule_, remedy_);
    Descriptor next = openNext();
    if (!next && errno == ENOENT && mayMake()) {
      if (::mkdirat(at_.get(), name_.c_str(), 0700) != 0 && errno != EEXIST)
        fail(path_, errno, remedy_);
      next = openNext();
    }
    struct stat info {};
    if (!next || ::fstat(next.get(), &info) != 0)
      fail(path_, errno, remedy_);
    if (S_ISLNK(info.st_mode))
      follow(next.get(), info.st_uid);
    else if (S_ISDIR(info.st_mode))
      enter(std::move(next));
    else
      fail(path_, ENOTDIR, remedy_);
  }
  void enter(Descriptor next) {
    at_ = std::move(next);
    here_ += (here_ == "/" ? "" : "/") + name_;
  }
  Descriptor openNext() const {
    return Descriptor(::openat(at_.get(), name_.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  }
  bool mayMake() const {
    return missing_ == Missing::MakeAll || (missing_ == Missing::MakeLast && rest_.empty());
  }
  void follow(int link, uid_t owner) {
    if (!isTrustedUser(owner))
      refuse(path_,
             str("\"", name_, "\" on the way to it is a link that belongs to ", userName(owner)),
             "Name the folder without the link", remedy_);
    const auto target = linkTarget(link);
    if (target.empty() || ++links_ > 40)
      fail(path_, ELOOP, remedy_);
    auto parts = componentsOf(target);
    rest_.insert(rest_.begin(), parts.begin(), parts.end());
    if (target[0] == '/')
      start(true);
  }
  std::string path_, remedy_, here_, name_; // here_: where at_ is, for messages
  Missing missing_;
  Rule rule_;
  std::deque<std::string> rest_;
  Descriptor at_;
  int links_ = 0;
};

std::string whyUnsafe(const struct stat &info) {
  if (!S_ISREG(info.st_mode))
    return "it is no regular file";
  if (!isTrustedUser(info.st_uid))
    return str("it belongs to ", userName(info.st_uid));
  return isWritableByOthers(info) ? "other users may write to it" : "";
}

} // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0)
    ::close(fd_);
}

bool isTrustedUser(uid_t user) { return user == 0 || user == ::geteuid(); }

bool isWritableByOthers(const struct stat &info) {
  return (info.st_mode & S_IWOTH) || ((info.st_mode & S_IWGRP) && !isPrivateGroup(info.st_gid));
}

void requireName(const std::string &path) {
  if (const auto end = path.find('\0'); end != std::string::npos)
    throw FileError(path, str("The name \"", path.substr(0, end),
                              "\" of a file or folder goes on behind a zero byte, where the system "
                              "would cut it. Give another name."));
}

Folder::Folder(const std::string &path, Missing missing, const std::string &remedy)
    : path_(path), fd_(Walk(path, missing, Rule::Alone, remedy).go()) {}

Folder Folder::shared(const std::string &path, const std::string &remedy) {
  return Folder(path, Walk(path, Missing::Refuse, Rule::Sticky, remedy).go());
}

Descriptor Folder::open(const std::string &name, std::string &why) const {
  // Not blocking: a FIFO in place of an entry would wait for a writer.
  Descriptor file(
      ::openat(get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) {
    why = errno == ENOENT ? "" : errno == ELOOP ? "it is a link" : std::strerror(errno);
    return Descriptor();
  }
  why = whyUnsafe(info);
  return why.empty() ? std::move(file) : Descriptor();
}

Descriptor Folder::openOrMake(const std::string &name) const {
  Descriptor file(::openat(get(), name.c_str(),
                           O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                           0600));
  struct stat info {};
  std::string why;
  if (!file || ::fstat(file.get(), &info) != 0)
    why = errno == ELOOP ? "it is a link" : std::strerror(errno);
  else
    why = whyUnsafe(info);
  if (!why.empty())
    throw FileError(pathOf(name), why);
  return file;
}

std::vector<std::string> namesIn(int folder) {
  std::vector<std::string> found;
  Descriptor list(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR *)> stream(list ? ::fdopendir(list.get()) : nullptr,
                                                    ::closedir);
  if (!stream)
    return found;
  list.release(); // closed with the stream from here on
  while (const dirent *entry = ::readdir(stream.get()))
    found.emplace_back(entry->d_name);
  return found;
}

bool readAll(int fd, std::string &bytes) {
  struct stat info {};
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
    bytes.reserve(bytes.size() + std::size_t(info.st_size) + 1);
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n > 0)
      bytes.append(buffer, std::size_t(n));
    else if (n == 0)
      return true;
    else if (errno != EINTR)
      return false;
  }
}

} // namespace base
