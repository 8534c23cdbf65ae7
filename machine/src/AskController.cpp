// SPDX-License-Identifier: MIT
#include "AskController.hpp"
#include "base/Folder.hpp"
#include "base/OwnLibrary.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "machine/Partition.hpp"
#include "machine/Runtime.hpp"
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace machine {
namespace {

using base::str;
constexpr std::size_t longestAnswer = 4 << 20;

// Beside the tools, if this is one of them; in the bin of the SDK that this library lies in; or by
// PATH.
std::string findVipu() {
  std::vector<std::filesystem::path> places;
  const auto library = base::libraryOf(reinterpret_cast<const void *>(&findVipu));
  std::error_code error;
  if (const auto self = std::filesystem::canonical(library, error); !error)
    places = {self.parent_path() / "vipu", self.parent_path().parent_path() / "bin" / "vipu"};
  std::string path = environment("PATH");
  for (std::size_t begin = 0; begin < path.size();) {
    const auto end = std::min(path.find(':', begin), path.size());
    if (path[begin] == '/')
      places.emplace_back(path.substr(begin, end - begin) + "/vipu");
    begin = end + 1;
  }
  for (const auto &place : places)
    if (::access(place.c_str(), X_OK) == 0)
      return place.string();
  throw Error(str("A controller is asked for partitions by the command vipu, which was not found. "
                  "Source the SDK's enable.sh, or set IPUOF_CONFIG_PATH to a file with the "
                  "partition's configuration.",
                  base::moveNote(library)));
}

struct Pipe {
  base::Descriptor out, in;
};
Pipe makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error(str("The controller cannot be asked: ", std::strerror(errno), "."));
  return {base::Descriptor(ends[0]), base::Descriptor(ends[1])};
}

std::string readLimited(int file) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t n = ::read(file, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0 || text.size() > longestAnswer)
      return text;
    text.append(buffer.data(), std::size_t(n));
  }
}

// What a command writes, both outputs as one; it must succeed.
std::string outputOf(std::vector<std::string> words) {
  auto [out, in] = makePipe();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, in.get(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, in.get(), 2);
  std::vector<char *> arguments;
  for (auto &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      ::posix_spawn(&child, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed)
    throw Error(str(words.front(), " cannot be started: ", std::strerror(failed), "."));
  in = base::Descriptor();
  auto text = readLimited(out.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    text.erase(text.find_last_not_of('\n') + 1);
    throw Error(text.starts_with("vipu: ") ? text.substr(6) : text);
  }
  return text;
}

void check(const ControllerQuestion &question) {
  if (!isName(question.partition))
    throw Error(str("IPUOF_VIPU_API_PARTITION_ID: \"", base::brief(question.partition),
                    "\" is no partition's name: it takes ", nameRule, "."));
  const bool plain = !question.host.empty() && question.host.front() != '-' &&
                     question.host.find_first_of(" /\"'\n") == std::string::npos;
  if (!plain)
    throw Error(str("IPUOF_VIPU_API_HOST: \"", base::brief(question.host),
                    "\" is no host's name or address."));
}

} // namespace

std::string askController(const ControllerQuestion &question) {
  static std::mutex mutex;
  static std::map<ControllerQuestion, std::string> answers;
  check(question);
  std::lock_guard lock(mutex);
  auto found = answers.find(question);
  if (found == answers.end()) {
    const auto answer =
        outputOf({findVipu(), "--api-host", question.host, "--api-timeout",
                  std::to_string(question.seconds), "get", "partition", question.partition, "--gcd",
                  std::to_string(question.gcd), "--ipu-configs"});
    found = answers.emplace(question, answer).first;
  }
  return found->second;
}

} // namespace machine
