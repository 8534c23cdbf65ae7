// SPDX-License-Identifier: MIT
// What poprun is told, on the command line or by a file that an earlier call has exported.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace poprun {

struct Options {
  unsigned replicas = 1, instances = 1, ipusPerReplica = 1;
  std::optional<unsigned> ilds;
  std::string hosts, hostsFile, hostSubnet;
  std::string vipuHost, partition, allocation, cluster, syncType;
  unsigned vipuPort = 8090, vipuTimeout = 120, partitionAttempts = 1;
  bool updatePartition = false, removePartition = true;
  std::optional<bool> resetPartition; // nothing: fixed partitions are reset
  std::string cachePath, mpiGlobal, mpiLocal;
  bool numaAware = false, printTopology = false, allowRoot = false;
  bool offline = false, debug = false;
  unsigned hostTimeout = 30, stuckTimeout = 600; // seconds
  std::optional<unsigned> onlyOutputFrom;
  unsigned verbosity = 0; // -v, --vv
  std::string importConfig, exportConfig;
  bool overwriteConfig = false;
  std::vector<std::string> program; // and its arguments
};

void addOptions(CLI::App &app, Options &options);
// At blanks that are not within quotes. Error.
std::vector<std::string> wordsOf(const std::string &text);

// Every option but the program and the files themselves, by its name on the command line. Error.
void exportTo(const CLI::App &app, const std::string &path, bool overwrite);
// Words for the command line, to be read before those that the user gave. Error.
std::vector<std::string> importFrom(const std::string &path);

} // namespace poprun
