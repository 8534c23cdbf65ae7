// SPDX-License-Identifier: MIT
// Who answers the commands: this machine's own record, or a vipu-server somewhere. Errors are
// machine::Error, whose text a command shows as it is.
#pragma once
#include "vipu/Changes.hpp"
#include <memory>

namespace vipu {

struct User {
  std::string name;
  bool admin = false;
};

class Controller {
public:
  virtual ~Controller() = default;
  virtual machine::State state() = 0;
  virtual void createAgent(const AgentRequest &) = 0;
  virtual void removeAgent(const std::string &) = 0;
  virtual void createCluster(const ClusterRequest &) = 0;
  virtual void removeCluster(const std::string &) = 0;
  virtual void createAllocation(const AllocationRequest &) = 0;
  virtual void removeAllocation(const std::string &) = 0;
  virtual void createPartition(const PartitionRequest &) = 0;
  virtual void resetPartition(const std::string &) = 0;
  virtual void removePartition(const std::string &, bool force) = 0;
  virtual std::string configuration(const std::string &partition, unsigned gcd) = 0;
  virtual std::string createUser(const User &) = 0; // the access key, which is shown once
  virtual void removeUser(const std::string &) = 0;
  virtual std::vector<User> users() = 0;
  struct Version {
    std::string version, host;
  };
  virtual Version version() = 0;
};

// The record under the runtime folder. The machine that the environment describes, with its one
// partition, counts as not set up: the first partition that is created takes its place.
std::unique_ptr<Controller> localController();

} // namespace vipu
