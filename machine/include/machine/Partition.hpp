// SPDX-License-Identifier: MIT
// A partition: IPUs that were set aside under a name. A process sees one graph compile domain (GCD)
// of it: all of the partition, or one of equal parts.
#pragma once
#include "machine/Boxes.hpp"
#include "machine/Groups.hpp"

namespace machine {

constexpr unsigned mostIpus = 4096; // of a machine

constexpr const char *nameRule =
    "letters, digits, '.', '-' and '_', at most 64 of them, and begins with a letter, digit or '_'";
bool isName(const std::string &text); // of a partition, cluster, allocation, agent or user

struct Partition {
  std::string name = "ipuof";
  std::string chip = "ipu2"; // a name, or the path of a description
  bool reconfigurable = true;
  unsigned gcds = 1, gcdSyncReplicas = 1;
  std::string routing = "DNC", gatewayRouting = "DEFAULT", syncType = "c2-compatible";
  std::string cluster, allocation; // empty: none
  std::string state = "ACTIVE";    // or PENDING, ERROR
  bool operator==(const Partition &) const = default;
};
const std::vector<std::string> &routings(), &gatewayRoutings(), &syncTypes(), &partitionStates();

struct Domain {
  Partition partition;
  unsigned gcd = 0;
  std::vector<Ipu> ipus;

  std::vector<Group> groups() const;
  bool isFabric() const { return ipus.empty() || !ipus.front().host.empty(); }
  std::vector<unsigned> numbersOf(const Group &group) const; // ascending
  bool operator==(const Domain &) const = default;
};

// The text of an IPUoF configuration file: one domain, and all that a process needs of it.
std::string configurationOf(const Domain &domain);
// Strict. `path` is for messages. Throws Error.
Domain parseConfiguration(std::string_view text, const std::string &path);

} // namespace machine
