// SPDX-License-Identifier: MIT
// Children are started with posix_spawn, which is safe in a program with threads.
#include "codelet/Process.hpp"
#include "base/DescriptorStream.hpp"
#include "base/Text.hpp"
#include "codelet/Errors.hpp"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace poplar::codelet {
namespace {

int waitFor(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Ours with these in place of what it has: NAME=value.
std::vector<char *> environmentWith(std::vector<std::string> &changes) {
  std::vector<char *> environment;
  for (char **e = environ; *e; ++e)
    if (std::none_of(changes.begin(), changes.end(), [&](const std::string &change) {
          return std::strncmp(*e, change.c_str(), change.find('=') + 1) == 0;
        }))
      environment.push_back(*e);
  for (std::string &change : changes)
    environment.push_back(change.data());
  environment.push_back(nullptr);
  return environment;
}

} // namespace

ProcessResult runProcess(const std::vector<std::string> &command, const std::string &temporary) {
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
  std::vector<std::string> changes = {"LC_ALL=C"}; // tests and users' scripts read diagnostics
  if (!temporary.empty())
    changes.push_back("TMPDIR=" + temporary);
  auto environment = environmentWith(changes);
  pid_t child = 0;
  const int error =
      ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  ProcessResult result;
  if (error != 0)
    result = {127, base::str(command[0], ": ", std::strerror(error))};
  else
    base::readAll(ends[0], result.output);
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

bool readFile(const std::string &path, std::string &bytes) {
  bytes.clear();
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file && base::readAll(file.get(), bytes);
}

void writeFile(const std::string &path, std::string_view bytes) {
  const base::Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file)
    base::failToWrite(path, errno);
  base::DescriptorStream out(file.get());
  out.write(bytes.data(), std::streamsize(bytes.size())).flush();
  if (out.error())
    base::failToWrite(path, out.error());
}

} // namespace poplar::codelet
