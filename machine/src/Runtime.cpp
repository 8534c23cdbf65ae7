// SPDX-License-Identifier: MIT
#include "machine/Runtime.hpp"
#include "base/Environment.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace machine {
namespace {

struct flock region(short type, off_t start, off_t length) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = start;
  lock.l_len = length;
  return lock;
}

base::Descriptor openLock(const base::Folder &folder) {
  try {
    return folder.openOrMake("lock");
  } catch (const base::FileError &e) {
    throw Error(
        base::str("Cannot open \"", e.path, "\", by which processes take turns: ", e.what(),
                  ". Remove it, or set OPENIPU_RUNTIME_DIR to another folder of your own."));
  }
}

} // namespace

std::string environment(const char *name, const std::string &otherwise) {
  const char *value = std::getenv(name);
  return value && *value ? value : otherwise;
}

unsigned numberOf(const char *name, unsigned otherwise, unsigned least, unsigned most) {
  try {
    return unsigned(base::numberFromEnvironment(name, otherwise, least, most));
  } catch (const std::invalid_argument &e) {
    throw BadVariable(e.what());
  }
}

base::Folder runtimeFolder() {
  const auto path = environment("OPENIPU_RUNTIME_DIR", base::str("/tmp/openipu-", ::getuid()));
  try {
    return base::Folder(path, base::Missing::MakeLast,
                        "set OPENIPU_RUNTIME_DIR to another folder of your own");
  } catch (const base::FileError &e) {
    throw Error(base::str("The simulated IPUs are not available. ", e.what()));
  }
}

RuntimeLock::RuntimeLock(const base::Folder &folder, Turn turn) : file_(openLock(folder)) {
  auto lock = region(F_WRLCK, turn == Turn::Attach ? 0 : 1, 1);
  while (::fcntl(file_.get(), F_OFD_SETLKW, &lock) != 0)
    if (errno != EINTR)
      throw Error(base::str("Cannot lock \"", folder.pathOf("lock"), "\": ", std::strerror(errno),
                            ". Set OPENIPU_RUNTIME_DIR to a folder on a local disk."));
}

bool lockFile(int file) {
  auto lock = region(F_WRLCK, 0, 0);
  return ::fcntl(file, F_OFD_SETLK, &lock) == 0;
}

void unlockFile(int file) {
  auto lock = region(F_UNLCK, 0, 0);
  ::fcntl(file, F_OFD_SETLK, &lock);
}

bool isLocked(int file) {
  auto lock = region(F_WRLCK, 0, 0);
  return ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

} // namespace machine
