// SPDX-License-Identifier: MIT
// The record of a machine that was set up: its boxes, how they are grouped, and its partitions. One
// JSON file, "machine.json", in the runtime folder; replaced whole, by one process at a time, so
// that a killed process leaves the record of before or the one of after.
#pragma once
#include "machine/Partition.hpp"
#include <functional>
#include <optional>

namespace machine {

struct Cluster {
  std::string name;
  std::vector<std::string> agents; // of boxes
  bool looped = false;             // links closed to a torus
  unsigned linkDomains = 1;
  bool operator==(const Cluster &) const = default;
};
struct Allocation {
  std::string name, cluster;
  std::vector<std::string> agents;
  bool operator==(const Allocation &) const = default;
};
struct StoredPartition {
  Partition partition;
  unsigned firstIpu = 0, ipus = 0; // numbers in the registry, one after the other
  bool operator==(const StoredPartition &) const = default;
};

struct State {
  std::vector<Box> boxes;
  std::vector<Cluster> clusters;
  std::vector<Allocation> allocations;
  std::vector<StoredPartition> partitions; // the first is the active one

  unsigned ipus() const;
  Ipu ipu(unsigned number) const;
  const StoredPartition *find(const std::string &partition) const;
  Domain domain(const StoredPartition &stored, unsigned gcd) const; // Error if there is no such gcd
  bool operator==(const State &) const = default;
};

// What the environment describes: the machine that OPENIPU_MACHINE names, in one reconfigurable
// partition of that name; or OPENIPU_NUM_IPUS IPUs (default 16) of the chip that OPENIPU_CHIP (a
// description file) or OPENIPU_IPU (a name, default ipu2) gives, in one named ipuof. Throws
// BadVariable for a number that is none, a name that no machine has, and variables that contradict
// each other; and what chipOf throws.
State stateOfEnvironment();
unsigned ipusOfEnvironment();
std::string chipOfEnvironment(); // name or path

std::optional<State> storedState(); // nothing if there is no file; Error if it is damaged
// Reads, changes and replaces it; begins from the environment's. An exception of `change` leaves it
// as it was.
State changeState(const std::function<void(State &)> &change);

// Strict; for tests and fuzzing.
std::string textOf(const State &state);
State parseState(std::string_view text, const std::string &path);

} // namespace machine
