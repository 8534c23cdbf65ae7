// SPDX-License-Identifier: MIT
#include "Hosts.hpp"
#include "base/NewFile.hpp"
#include "base/Text.hpp"
#include "Command.hpp"
#include "machine/Error.hpp"
#include "Run.hpp"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <set>
#include <thread>
#include <unistd.h>

namespace poprun {
namespace {

using base::str;

constexpr const char *probeCall = "--probe-host";
constexpr const char *fine = "poprun-probe: ok";

// As execvp looks for it.
bool canBeStarted(const std::string &program) {
  if (program.find('/') != std::string::npos)
    return ::access(program.c_str(), X_OK) == 0;
  const char *path = std::getenv("PATH");
  std::string folders = path ? path : "/usr/bin:/bin";
  folders += ':';
  for (std::size_t begin = 0, end; (end = folders.find(':', begin)) != std::string::npos;
       begin = end + 1)
    if (::access((folders.substr(begin, end - begin) + "/" + program).c_str(), X_OK) == 0)
      return true;
  return false;
}

bool isThisMachine(const std::string &host) {
  char own[256] = "";
  ::gethostname(own, sizeof own - 1);
  return host == "localhost" || host == "127.0.0.1" || host == own;
}

void checkMpirun(const Options &options) {
  if (!canBeStarted("mpirun"))
    throw machine::Error("there is no mpirun. Install Open MPI (Debian: apt install openmpi-bin).");
  const auto words = mpirunWords(options, false); // --mpi-global-args may allow it too
  if (::geteuid() == 0 && !std::getenv("OMPI_ALLOW_RUN_AS_ROOT") &&
      std::ranges::find(words, "--allow-run-as-root") == words.end())
    throw machine::Error("mpirun refuses to run as root. Be another user, or give "
                         "--allow-run-as-root.");
}

// The line that says most: not mpirun's frames and headings.
std::string reasonIn(const std::string &output) {
  std::string reason;
  for (std::size_t begin = 0; begin < output.size();) {
    const auto end = std::min(output.find('\n', begin), output.size());
    const auto line = output.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty() || line.find_first_not_of("- ") == std::string::npos ||
        line.find("plm:rsh: Warning:") != std::string::npos) // of the agent's process, which runs
      continue;
    if (const auto at = line.find("poprun-probe: "); at != std::string::npos)
      return line.substr(at + std::strlen("poprun-probe: "));
    if (line.find("find an executable") != std::string::npos ||
        line.find("find the executable") != std::string::npos)
      return "poprun is not there: the SDK must have the same path on every host";
    if (reason.empty())
      reason = line;
  }
  return reason.empty() ? "mpirun gives no reason" : reason;
}

// Several are asked at once, and an mpirun that ends removes the folder that another is about to
// use: each has one of its own.
std::string problemOf(const Options &options, const std::string &host) try {
  const base::TemporaryFolder folder;
  auto words = mpirunWords(options, true);
  words.insert(words.end(),
               {"--mca", "orte_local_tmpdir_base", folder.path(), "-np", "1", "--host", host});
  words.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  words.push_back(probeCall);
  words.push_back(options.program.empty() ? "true" : options.program[0]);
  const auto result = captured(words, std::chrono::seconds(options.hostTimeout));
  if (!result.ended)
    return str("it does not answer within ", options.hostTimeout, " s (--host-timeout)");
  return result.output.find(fine) != std::string::npos ? "" : reasonIn(result.output);
} catch (const std::exception &e) { // no folder, no process
  return str("it cannot be asked: ", e.what());
}

void checkHosts(const Options &options, const Plan &plan) {
  const std::set<std::string> names(plan.hosts.begin(), plan.hosts.end());
  std::vector<std::pair<std::string, std::string>> problems;
  std::vector<std::thread> threads;
  for (const auto &name : names)
    if (!isThisMachine(name))
      problems.emplace_back(name, "");
  for (auto &entry : problems) // all at once: a host that is down costs the time only once
    threads.emplace_back([&options, &entry] { entry.second = problemOf(options, entry.first); });
  for (auto &thread : threads)
    thread.join();
  std::string text;
  for (const auto &[name, problem] : problems)
    if (!problem.empty())
      text += str("\n  ", name, ": ", problem);
  if (!text.empty())
    throw machine::Error(str("these hosts cannot be used:", text,
                             "\nHosts need ssh without a password (or another agent: "
                             "--mpi-global-args '--mca plm_rsh_agent ...'), and the SDK and the "
                             "program at the same path as here."));
}

} // namespace

void checkLaunch(const Options &options, const Plan &plan) {
  checkMpirun(options);
  const bool here = std::ranges::all_of(plan.hosts, isThisMachine);
  if (here && !canBeStarted(options.program[0]))
    throw machine::Error(str("there is no program \"", options.program[0],
                             "\" that can be started: neither a path nor in PATH."));
  if (!options.partition.empty() && options.vipuHost.empty() && !here)
    throw machine::Error("other hosts cannot see this machine's record of partitions: name the "
                         "controller with --vipu-server-host.");
  if (plan.isRemote)
    checkHosts(options, plan);
}

bool isProbeCall(int argc, char **argv) { return argc > 2 && std::strcmp(argv[1], probeCall) == 0; }

int probe(int, char **argv) {
  if (canBeStarted(argv[2]))
    std::cout << fine << std::endl;
  else
    std::cout << "poprun-probe: there is no program \"" << argv[2] << "\" that can be started"
              << std::endl;
  return 0;
}

} // namespace poprun
