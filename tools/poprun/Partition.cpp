// SPDX-License-Identifier: MIT
#include "Partition.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include "Outer.hpp"
#include "Run.hpp"
#include "vipu/Connect.hpp"
#include <chrono>
#include <iostream>
#include <thread>

namespace poprun {
namespace {

using base::str;

std::unique_ptr<vipu::Controller> controllerOf(const Options &o) {
  if (o.vipuHost.empty())
    return vipu::localController();
  const char *user = std::getenv("VIPU_CLI_API_USER_ID"),
             *key = std::getenv("VIPU_CLI_API_ACCESS_KEY");
  return vipu::remoteController(
      {o.vipuHost, o.vipuPort, user ? user : "", key ? key : "", o.vipuTimeout});
}

unsigned ildsOf(unsigned ipus, const std::string &chip) {
  const unsigned rack = machine::chipOf(chip).links.ipusPerDomain;
  return base::ceilDiv(ipus, rack);
}

// Why the partition does not suit, or nothing.
std::string problemOf(const machine::StoredPartition &stored, const Options &o) {
  const auto &p = stored.partition;
  const unsigned needed = o.replicas * o.ipusPerReplica;
  if (p.reconfigurable ? stored.ipus < needed : stored.ipus != needed)
    return str("has ", stored.ipus, " IPUs, but ", o.replicas, " replicas of ", o.ipusPerReplica,
               " need ", needed);
  if (!p.reconfigurable && p.gcds != o.instances)
    return str("has ", p.gcds, " GCDs, but there are ", o.instances,
               " instances, which need one each");
  return "";
}

} // namespace

PreparedPartition::PreparedPartition(const Options &options) : options_(options) {
  if (options.offline)
    return; // nothing is looked at
  if (!options.partition.empty()) {
    controller_ = controllerOf(options);
    useNamed();
    return;
  }
  if (!options.hosts.empty() || !options.hostsFile.empty() || slurmHosts().size() > 1)
    return; // every host has a machine of its own
  const auto domain = machine::activeDomain();
  const unsigned needed = options.replicas * options.ipusPerReplica;
  if (domain.ipus.size() < needed)
    throw machine::Error(str("partition ", domain.partition.name, " has ", domain.ipus.size(),
                             " IPUs, but ", options.replicas, " replicas of ",
                             options.ipusPerReplica, " need ", needed,
                             ". Ask for fewer, or name a larger one with --vipu-partition."));
  ilds_ = ildsOf(needed, domain.partition.chip);
}

void PreparedPartition::useNamed() {
  auto state = controller_->state();
  const auto *found = state.find(options_.partition);
  const auto problem = found ? problemOf(*found, options_) : std::string("is not there");
  if (!problem.empty()) {
    if (!options_.updatePartition)
      throw machine::Error(str("partition ", options_.partition, " ", problem,
                               ". --update-partition 1 creates one that suits."));
    if (found)
      controller_->removePartition(options_.partition, false);
    create();
    state = controller_->state();
    found = state.find(options_.partition);
    if (!found)
      throw machine::Error(str("partition ", options_.partition, " was removed meanwhile."));
  }
  fixed_ = !found->partition.reconfigurable;
  gcds_ = found->partition.gcds;
  ilds_ = ildsOf(found->ipus, found->partition.chip);
  if (options_.resetPartition.value_or(fixed_))
    controller_->resetPartition(options_.partition);
}

void PreparedPartition::create() {
  vipu::PartitionRequest request;
  request.name = options_.partition;
  request.size = options_.replicas * options_.ipusPerReplica;
  request.gcds = options_.instances;
  request.syncType = options_.syncType;
  request.allocation = options_.allocation;
  request.cluster = options_.cluster;
  for (unsigned attempt = 1;; ++attempt)
    try {
      controller_->createPartition(request);
      created_ = true;
      return;
    } catch (const machine::Error &) {
      if (attempt >= options_.partitionAttempts)
        throw;
      std::this_thread::sleep_for(std::chrono::seconds(1));
      throwIfSignalled();
    }
}

PreparedPartition::~PreparedPartition() {
  if (!created_ || !options_.removePartition)
    return;
  try {
    controller_->removePartition(options_.partition, false);
  } catch (const std::exception &e) {
    std::cerr << "poprun: partition " << options_.partition << " was not removed: " << e.what()
              << '\n';
  }
}

} // namespace poprun
