// SPDX-License-Identifier: MIT
#include "machine/Discovery.hpp"
#include "AskController.hpp"
#include "base/Folder.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "machine/Runtime.hpp"
#include "machine/State.hpp"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace machine {
namespace {

constexpr off_t longestFile = 4 << 20;

std::string contentsOf(int file, const std::string &path) {
  struct stat info {};
  std::string text;
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > longestFile)
    throw Error(base::str("\"", path, "\" is no IPUoF configuration: such a file has at most ",
                          longestFile, " bytes. Name another file, or remove it."));
  if (!base::readAll(file, text))
    throw Error(base::str("\"", path, "\" cannot be read: ", std::strerror(errno), "."));
  return text;
}

// A file that the user names himself may belong to anybody: in a container it often does.
Domain domainOfPath(const std::string &path) {
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file)
    throw Error(base::str("IPUOF_CONFIG_PATH names \"", path,
                          "\", which cannot be read: ", std::strerror(errno),
                          ". Write it with vipu get partition NAME --gcd 0 --ipu-configs, or unset "
                          "the variable."));
  return parseConfiguration(contentsOf(file.get(), path), path);
}

std::vector<std::string> configurationsIn(const base::Folder &folder) {
  std::vector<std::string> names;
  for (const auto &name : base::namesIn(folder.get()))
    if (name.size() > 5 && name[0] != '.' && name.ends_with(".conf"))
      names.push_back(name);
  std::ranges::sort(names);
  return names;
}

std::vector<Domain> domainsOfFolder(const std::string &path) {
  struct stat info {};
  std::vector<Domain> found;
  if (::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return found;
  try {
    const base::Folder folder(path, base::Missing::Refuse, "set IPUOF_CONFIG_PATH to one file");
    for (const auto &name : configurationsIn(folder)) {
      std::string why;
      const auto file = folder.open(name, why);
      if (!file)
        throw Error(base::str("\"", folder.pathOf(name),
                              "\" is not used: ", why.empty() ? "it is gone" : why,
                              ". Correct that, or set IPUOF_CONFIG_PATH to another file."));
      found.push_back(
          parseConfiguration(contentsOf(file.get(), folder.pathOf(name)), folder.pathOf(name)));
    }
  } catch (const base::FileError &e) {
    throw Error(e.what());
  }
  return found;
}

std::vector<Domain> domainsOf(const State &state) {
  std::vector<Domain> all;
  for (const auto &stored : state.partitions)
    all.push_back(state.domain(stored, 0));
  return all;
}

State localState() {
  auto stored = storedState();
  return stored ? std::move(*stored) : stateOfEnvironment();
}

// Of the controller that IPUOF_VIPU_API_HOST names, else of this machine.
Domain domainOfController(const std::string &name) {
  const auto gcd = numberOf("IPUOF_VIPU_API_GCD_ID", 0, 0, mostIpus - 1);
  if (auto host = environment("IPUOF_VIPU_API_HOST"); !host.empty()) {
    const auto seconds = numberOf("IPUOF_VIPU_API_TIMEOUT", 10, 1, 86400);
    if (const auto port = numberOf("IPUOF_VIPU_API_PORT", 0, 0, 65535))
      host += base::str(":", port);
    return parseConfiguration(askController({host, name, gcd, seconds}), "the answer of " + host);
  }
  const auto state = localState();
  if (const auto *stored = state.find(name))
    return state.domain(*stored, gcd);
  throw Error(base::str("IPUOF_VIPU_API_PARTITION_ID names the partition \"", base::brief(name),
                        "\", which this machine does not have. Create it with vipu create "
                        "partition, set IPUOF_VIPU_API_HOST to the controller that has it, or "
                        "unset the variable."));
}

bool environmentDescribes() {
  return !environment("OPENIPU_MACHINE").empty() || !environment("OPENIPU_NUM_IPUS").empty() ||
         !environment("OPENIPU_CHIP").empty() || !environment("OPENIPU_IPU").empty();
}

std::string userFolder() {
  const auto home = environment("HOME");
  return home.empty() ? home : home + "/.ipuof.conf.d";
}

} // namespace

std::vector<Domain> allDomains() {
  if (const auto path = environment("IPUOF_CONFIG_PATH"); !path.empty())
    return {domainOfPath(path)};
  if (const auto name = environment("IPUOF_VIPU_API_PARTITION_ID"); !name.empty())
    return {domainOfController(name)};
  if (environmentDescribes())
    return domainsOf(stateOfEnvironment());
  for (const auto &folder : {userFolder(), std::string("/etc/ipuof.conf.d")})
    if (auto found = folder.empty() ? std::vector<Domain>() : domainsOfFolder(folder);
        !found.empty())
      return found;
  return domainsOf(localState());
}

Domain activeDomain() {
  auto all = allDomains();
  if (all.empty())
    throw Error("There is no partition. Create one with vipu create partition NAME --size N, or "
                "set OPENIPU_NUM_IPUS.");
  return std::move(all.front());
}

} // namespace machine
