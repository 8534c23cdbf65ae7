// SPDX-License-Identifier: MIT
// poprun: starts the instances of a distributed program with Open MPI's mpirun.
#include "base/NewFile.hpp"
#include "base/Text.hpp"
#include "Command.hpp"
#include "Hosts.hpp"
#include "machine/Attributes.hpp"
#include "machine/Error.hpp"
#include "Outer.hpp"
#include "Partition.hpp"
#include "Run.hpp"
#include "Watch.hpp"
#include <chrono>
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <ctime>
#include <iostream>

namespace {

using namespace poprun;

// 03:04:05.123 1 POPRUN [D] text
void say(const Options &options, unsigned level, const std::string &text) {
  if (options.verbosity < level)
    return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const std::time_t seconds = millis / 1000;
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char time[32];
  std::snprintf(time, sizeof time, "%02d:%02d:%02d.%03d", local.tm_hour, local.tm_min, local.tm_sec,
                int(millis % 1000));
  std::cerr << time << ' ' << ::getpid() << " POPRUN [" << (level == 1 ? 'I' : 'D') << "] " << text
            << std::endl;
}

// Of mpiruns that begin at the same time, one may fail to make the folder that they all use, or
// lose it when another ends. On this host each has one of its own, unless the user says where.
std::vector<std::string> inFolder(std::vector<std::string> command, const std::string &folder) {
  if (!std::getenv("OMPI_MCA_orte_tmpdir_base"))
    command.insert(command.begin() + 1, {"--mca", "orte_tmpdir_base", folder});
  return command;
}

std::string versionText(const std::string &format) {
  const auto version = machine::softwareVersion();
  if (format == "full-json")
    return base::str("{\"name\": \"poprun\", \"version\": \"", version,
                     "\", \"package\": \"OpenIPU\"}");
  return format == "full-text" ? "poprun " + version + " (OpenIPU, simulated IPUs)" : version;
}

void parse(CLI::App &app, Options &options, const std::vector<std::string> &given) {
  auto words = given;
  std::ranges::reverse(words); // as CLI11 takes them
  app.parse(words);
  if (!options.importConfig.empty()) {
    words = importFrom(options.importConfig);
    words.insert(words.end(), given.begin(), given.end());
    options = Options();
    std::ranges::reverse(words);
    app.clear();
    app.parse(words);
  }
  options.program = app.remaining();
  if (!options.program.empty() && options.program[0] == "--")
    options.program.erase(options.program.begin());
  else if (!options.program.empty() && options.program[0][0] == '-')
    throw CLI::ExtrasError({options.program[0]});
}

// mpirun tells of hosts that it has lost; users think in instances.
void sayLost(const Plan &plan, const std::string &line) {
  constexpr std::string_view on = " on node ";
  const auto at = line.find(on);
  if (line.find("Remote daemon:") == std::string::npos || at == std::string::npos)
    return;
  const auto host =
      line.substr(at + on.size(), line.find_first_of(" \n", at + on.size()) - at - on.size());
  std::string ranks;
  for (const auto &instance : plan.instances)
    if (plan.hosts[instance.host] == host)
      ranks += base::str(ranks.empty() ? "" : ", ", instance.index);
  std::cerr << base::str("poprun: host ", host, " is lost, and with it the instances (ranks) ",
                         ranks, ".\n")
            << std::flush;
}

// Within mpirun or srun, which have started a process for every instance: this one's part.
int startRank(Options options, const Rank &rank, bool countGiven) {
  if (!countGiven)
    options.instances = rank.size;
  if (options.instances != rank.size)
    throw machine::Error(base::str(
        rank.launcher, " has started ", rank.size, " processes, but --num-instances is ",
        options.instances, ". Start as many as there are instances, or start poprun once (",
        rank.launcher == "srun" ? "srun -n 1, or in the script of sbatch" : "without mpirun",
        "), which starts them."));
  if (options.updatePartition || options.resetPartition.value_or(false))
    throw machine::Error(base::str("--update-partition and --reset-partition are for the one "
                                   "process that starts the others; ",
                                   rank.launcher, " has started this one."));
  options.resetPartition = false;
  const PreparedPartition partition(options);
  auto plan = planOf(options, partition.ilds());
  auto &instance = plan.instances[rank.rank];
  instance.local = rank.local;
  for (const auto &[name, value] :
       environmentOf(options, plan, instance, {partition.isFixed(), partition.gcds()}))
    ::setenv(name.c_str(), value.c_str(), 1);
  nameRank(rank);
  char host[256] = "localhost";
  ::gethostname(host, sizeof host - 1);
  return watch({rank.rank, host, options.stuckTimeout, options.program});
}

int start(const Options &options) {
  // What needs no partition first: nothing is created in vain.
  if (!options.program.empty())
    checkLaunch(options, planOf(options, options.ilds.value_or(1)));
  const PreparedPartition partition(options);
  throwIfSignalled();
  const auto plan = planOf(options, partition.ilds());
  if (options.printTopology)
    std::cout << topologyOf(plan) << std::flush;
  if (options.program.empty()) {
    if (options.printTopology || !options.exportConfig.empty())
      return 0;
    throw machine::Error("there is no program to run: poprun [options] program [arguments].");
  }
  const base::TemporaryFolder folder;
  auto command = commandOf(options, plan, {partition.isFixed(), partition.gcds()});
  if (!plan.isRemote)
    command = inFolder(std::move(command), folder.path());
  say(options, 1,
      base::str("starting ", plan.instances.size(), " instances with ", plan.replicasPerInstance,
                " replicas each"));
  say(options, 2, asText(command));
  const int status = runCommand(command, options.onlyOutputFrom,
                                [&](const std::string &line) { sayLost(plan, line); });
  say(options, 1, base::str("ended with status ", status));
  return status;
}

} // namespace

int main(int argc, char **argv) {
  if (isWatchCall(argc, argv))
    return watch(argc, argv);
  if (isProbeCall(argc, argv))
    return probe(argc, argv);
  Options options;
  CLI::App app("Starts the instances of a program whose replicas are spread over processes and "
               "hosts.\nUsage: poprun [OPTIONS] program [arguments]",
               "poprun");
  addOptions(app, options);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  for (auto *option : app.get_options())
    if (option->get_name() != "--help")
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  bool version = false;
  std::string format = "text";
  app.add_flag("--version", version, "print the version");
  app.add_option("--version-format", format, "text, full-text or full-json")
      ->check(CLI::IsMember({"text", "full-json", "full-text"}));
  try {
    parse(app, options, {argv + 1, argv + argc});
    if (version) {
      std::cout << versionText(format) << '\n';
      return 0;
    }
    if (!options.exportConfig.empty())
      exportTo(app, options.exportConfig, options.overwriteConfig);
    if (const auto rank = outerRank(); rank && !options.program.empty())
      return startRank(options, *rank, app.count("--num-instances") > 0);
    noteSignals();
    return start(options);
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() == 0)
      return app.exit(e);
    std::cerr << "poprun: " << e.what() << "\nRun with --help for more information.\n";
    return 2;
  } catch (const std::exception &e) {
    std::cerr << "poprun: " << e.what() << '\n';
    return 1;
  }
}
