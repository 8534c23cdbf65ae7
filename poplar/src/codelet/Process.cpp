// SPDX-License-Identifier: MIT
// Children are started with posix_spawn, which is safe in a program with threads.
#include "codelet/Process.hpp"
#include "base/Text.hpp"
#include "codelet/Errors.hpp"
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace poplar::codelet {
namespace {

std::string readAll(int fd) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n > 0)
      text.append(buffer, std::size_t(n));
    else if (n == 0 || errno != EINTR)
      return text;
  }
}

int waitFor(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// English diagnostics: tests and users' scripts read them.
std::vector<char *> plainEnvironment(std::string &locale) {
  std::vector<char *> environment;
  for (char **e = environ; *e; ++e)
    if (std::strncmp(*e, "LC_ALL=", 7) != 0)
      environment.push_back(*e);
  environment.push_back(locale.data());
  environment.push_back(nullptr);
  return environment;
}

[[noreturn]] void failWrite(const std::string &path, int error) {
  throw FileError(path, base::str("Cannot write ", path, ": ", std::strerror(error),
                                  ". Free some space or choose another folder."));
}

} // namespace

ProcessResult runProcess(const std::vector<std::string> &command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return {127, base::str("pipe: ", std::strerror(errno))};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char *> arguments;
  for (const std::string &a : command)
    arguments.push_back(const_cast<char *>(a.c_str()));
  arguments.push_back(nullptr);
  std::string locale = "LC_ALL=C";
  auto environment = plainEnvironment(locale);
  pid_t child = 0;
  const int error =
      ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  ProcessResult result;
  if (error != 0)
    result = {127, base::str(command[0], ": ", std::strerror(error))};
  else
    result.output = readAll(ends[0]);
  ::close(ends[0]);
  if (error == 0)
    result.status = waitFor(child);
  return result;
}

static bool isProgram(const std::string &path) { // folders may be "executable" too
  std::error_code ignored;
  return ::access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path, ignored);
}

std::string findProgram(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return isProgram(name) ? name : std::string();
  const char *path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const std::string candidate = base::str(rest.substr(0, colon), "/", name);
    if (isProgram(candidate))
      return candidate;
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  return {};
}

TemporaryDirectory::TemporaryDirectory() {
  const char *base = std::getenv("TMPDIR");
  path_ = base::str(base && *base ? base : "/tmp", "/openipu-codelet-XXXXXX");
  if (!::mkdtemp(path_.data()))
    throw FileError(path_, base::str("Cannot create a temporary folder ", path_, ": ",
                                     std::strerror(errno),
                                     ". Set TMPDIR to a folder that can be written."));
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool readFile(const std::string &path, std::string &bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  bytes = readAll(fd);
  ::close(fd);
  return true;
}

void writeFile(const std::string &path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    failWrite(path, errno);
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) {
      const int error = errno;
      ::close(fd);
      failWrite(path, error);
    }
    bytes.remove_prefix(n > 0 ? std::size_t(n) : 0);
  }
  if (::close(fd) != 0)
    failWrite(path, errno);
}

void replaceFile(const std::string &path, std::string_view bytes) {
  static std::atomic<unsigned> serial{0};
  const std::string temporary = base::str(path, ".", ::getpid(), ".", serial++, ".tmp");
  try {
    writeFile(temporary, bytes);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    failWrite(path, error);
  }
}

} // namespace poplar::codelet
