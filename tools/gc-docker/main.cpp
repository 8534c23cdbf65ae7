// SPDX-License-Identifier: MIT
// gc-docker, gc-podman: a container that uses the IPUs of this machine. Simulated IPUs need no
// devices and no rights; what a container does need is the runtime folder, in which processes find
// each other, and the configuration of the partition. The options that real IPUs need are given as
// well, so that scripts which look for them find them; devices only if the computer has them.
#include "base/Text.hpp"
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include "machine/Runtime.hpp"
#include "Tool.hpp"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace {

using base::str;

struct Options {
  unsigned device = 0;
  bool oneDevice = false, echo = false;
  std::vector<std::string> words;
};

void addIfThere(std::vector<std::string> &command, const std::string &device) {
  if (std::filesystem::exists(device))
    command.push_back("--device=" + device);
}

void addFabric(std::vector<std::string> &command) {
  for (const char *word :
       {"--network=host", "--ipc=host", "--ulimit", "memlock=-1:-1", "--cap-add=IPC_LOCK"})
    command.push_back(word);
  addIfThere(command, "/dev/infiniband/");
  if (const auto path = machine::environment("IPUOF_CONFIG_PATH"); !path.empty()) {
    const auto whole = std::filesystem::absolute(path).string();
    for (const auto &word : {std::string("-v"), whole + ":/ipuof.conf:ro", std::string("-e"),
                             std::string("IPUOF_CONFIG_PATH=/ipuof.conf")})
      command.push_back(word);
  } else if (const auto folder = machine::environment("HOME") + "/.ipuof.conf.d";
             std::filesystem::is_directory(folder)) {
    command.insert(command.end(), {"-v", folder + ":/etc/ipuof.conf.d:ro"});
  }
}

void addCards(std::vector<std::string> &command, const machine::Domain &domain,
              const machine::Group &group) {
  for (const auto ipu : domain.numbersOf(group))
    for (const char *part : {"", "_ex", "_mailbox", "_mem"})
      addIfThere(command, str("/dev/ipu", ipu, part));
}

void addMachine(std::vector<std::string> &command) {
  const auto folder = std::filesystem::absolute(machine::runtimeFolder().path()).string();
  command.insert(command.end(),
                 {"-v", folder + ":" + folder, "-e", "OPENIPU_RUNTIME_DIR=" + folder});
  for (const char *name :
       {"OPENIPU_MACHINE", "OPENIPU_NUM_IPUS", "OPENIPU_IPU", "IPUOF_VIPU_API_PARTITION_ID",
        "IPUOF_VIPU_API_GCD_ID", "IPUOF_VIPU_API_HOST"})
    if (const auto value = machine::environment(name); !value.empty())
      command.insert(command.end(), {"-e", str(name, "=", value)});
}

std::vector<std::string> commandOf(const Options &options) {
  const auto domain = machine::activeDomain();
  const auto groups = domain.groups();
  const auto group = options.oneDevice ? gctool::groupOf(domain, options.device) : groups.back();
  std::vector<std::string> command = {CONTAINER_TOOL, "run"};
  if (domain.isFabric())
    addFabric(command);
  else
    addCards(command, domain, group);
  addMachine(command);
  command.insert(command.end(), options.words.begin(), options.words.end());
  return command;
}

// As a shell takes it.
std::string quoted(const std::string &word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || std::strchr("-_=/.:,+@%", c);
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain))
    return word;
  std::string out = "'";
  for (const char c : word)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string echoed(const std::vector<std::string> &command) {
  std::string line;
  for (const auto &word : command)
    line += (line.empty() ? "" : " ") + quoted(word);
  return line + "\n";
}

gctool::Outcome work(const Options &options) {
  if (options.words.empty())
    throw machine::Error("there is nothing to run. Give the arguments of " CONTAINER_TOOL
                         " run after --, such as -- -it IMAGE COMMAND.");
  auto command = commandOf(options);
  if (options.echo)
    return echoed(command);
  std::vector<char *> words;
  for (auto &word : command)
    words.push_back(word.data());
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  throw machine::Error(str(CONTAINER_TOOL " cannot be started: ", std::strerror(errno),
                           ". Install it, or let --echo print the command."));
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  gctool::Tool tool("gc-" CONTAINER_TOOL,
                    "Runs a container that uses the simulated IPUs of this machine: "
                    "gc-" CONTAINER_TOOL " [options] -- arguments of " CONTAINER_TOOL " run");
  tool.number("-d,--device-id", options.device, 0, 2 * machine::mostIpus,
              {"only this device; on systems with PCIe cards"});
  tool.flag("--echo", options.echo, {"print the command instead of running it"});
  tool.rest(options.words, "arguments of " CONTAINER_TOOL " run");
  for (int i = 1; i < argc && std::strcmp(argv[i], "--"); ++i)
    options.oneDevice |=
        !std::strncmp(argv[i], "-d", 2) || !std::strncmp(argv[i], "--device-id", 11);
  return tool.run(argc, argv, [&] { return work(options); });
}
