// SPDX-License-Identifier: MIT
#include "Options.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "machine/Partition.hpp"
#include <CLI/CLI.hpp>

namespace poprun {
namespace {

void counts(CLI::App &app, Options &o) {
  const auto count = CLI::Range(1u, machine::mostIpus);
  app.add_option("--num-replicas", o.replicas, "replicas of all instances (1)")->check(count);
  app.add_option("--num-instances", o.instances, "processes that share them (1)")->check(count);
  app.add_option("--ipus-per-replica", o.ipusPerReplica, "IPUs of each (1)")->check(count);
  app.add_option_function<unsigned>(
         "--num-ilds", [&o](unsigned n) { o.ilds = n; },
         "IPU-Link domains; as many as the partition has if it is left out")
      ->check(count);
}

void hosts(CLI::App &app, Options &o) {
  auto *list = app.add_option("-H,--host", o.hosts, "hosts of the instances: h0,h1 or h[0-2,4]");
  app.add_option("--hosts-file", o.hostsFile, "a file with a host on each line")->excludes(list);
  app.add_option("--host-subnet", o.hostSubnet, "network between hosts, such as 10.1.0.0/16");
  app.add_option("--host-timeout", o.hostTimeout, "seconds for a host to answer (30)")
      ->check(CLI::Range(1, 3600));
}

void partition(CLI::App &app, Options &o) {
  app.add_option("--vipu-server-host", o.vipuHost,
                 "the controller; this machine's own record if it is left out");
  app.add_option("--vipu-server-port", o.vipuPort, "its port (8090)")->check(CLI::Range(1, 65535));
  app.add_option("--vipu-server-timeout", o.vipuTimeout, "seconds for its answers (120)")
      ->check(CLI::Range(1, 86400));
  app.add_option("--vipu-partition", o.partition, "the partition, which must have the size needed");
  app.add_option("--vipu-partition-attempts", o.partitionAttempts, "attempts to create it (1)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--vipu-allocation", o.allocation, "where to create it");
  app.add_option("--vipu-cluster", o.cluster, "where to create it (deprecated)");
  app.add_option("--update-partition", o.updatePartition,
                 "1: create it if it is missing, and again if it is unsuitable (0)");
  app.add_option_function<bool>(
      "--reset-partition", [&o](bool yes) { o.resetPartition = yes; },
      "1: reset it before the start (fixed partitions: 1)");
  app.add_option("--remove-partition", o.removePartition,
                 "1: remove it at the end if it was created here (1)");
  app.add_option("--sync-type", o.syncType, "of a partition that is created");
}

} // namespace

void addOptions(CLI::App &app, Options &o) {
  counts(app, o);
  hosts(app, o);
  partition(app, o);
  app.add_option("--executable-cache-path", o.cachePath, "folder of executables for all instances");
  app.add_option("--mpi-global-args", o.mpiGlobal, "more arguments of mpirun, for all instances");
  app.add_option("--mpi-local-args", o.mpiLocal, "more arguments of mpirun, for each instance");
  app.add_flag("--numa-aware", o.numaAware, "bind every instance to a NUMA node");
  app.add_option_function<unsigned>(
      "--only-output-from-instance", [&o](unsigned k) { o.onlyOutputFrom = k; },
      "hide what the others print");
  app.add_flag("--offline-mode", o.offline,
               "without IPUs: programs compile, into --executable-cache-path, and do not run");
  app.add_option("--stuck-timeout", o.stuckTimeout,
                 "seconds without a step after which an instance is stuck (600; 0: never)")
      ->check(CLI::Range(0, 864000));
  app.add_flag("--print-topology", o.printTopology, "show hosts, instances and replicas first");
  app.add_flag("--allow-run-as-root", o.allowRoot, "as root, which mpirun refuses otherwise");
  app.add_flag_callback(
      "-v", [&o] { o.verbosity = 1; }, "say what is done");
  app.add_flag_callback(
      "--vv", [&o] { o.verbosity = 2; }, "and with which command");
  app.add_flag_callback(
      "--debug",
      [&o] {
        o.debug = true;
        o.verbosity = 2;
      },
      "and let the layers beneath log everything that they do");
  app.add_option("--import-config", o.importConfig, "read options from a file first");
  app.add_option("--export-config", o.exportConfig, "write the options into a file");
  app.add_option("--overwrite-config", o.overwriteConfig, "1: over a file that is there (0)");
  app.prefix_command(); // what follows the program is its own
}

std::vector<std::string> wordsOf(const std::string &text) {
  std::vector<std::string> words;
  bool within = false; // a word
  char quote = 0;
  for (const char c : text) {
    if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
      if (!within)
        words.emplace_back();
      within = true;
    } else if (!quote && std::isspace(static_cast<unsigned char>(c))) {
      within = false;
    } else {
      if (!within)
        words.emplace_back();
      within = true;
      words.back() += c;
    }
  }
  if (quote)
    throw machine::Error(base::str("a quote is not closed in: ", text));
  return words;
}

} // namespace poprun
