// SPDX-License-Identifier: MIT
#include "machine/Attributes.hpp"
#include "machine/State.hpp"
#include "Store.hpp"
#include "vipu/Controller.hpp"
#include <unistd.h>

namespace vipu {
namespace {

using machine::State;

class Local : public Controller {
public:
  State state() override {
    auto stored = machine::storedState();
    return stored ? *stored : machine::stateOfEnvironment();
  }
  void createAgent(const AgentRequest &r) override {
    change([&](State &s) { vipu::createAgent(s, r); });
  }
  void removeAgent(const std::string &name) override {
    change([&](State &s) { vipu::removeAgent(s, name); });
  }
  void createCluster(const ClusterRequest &r) override {
    change([&](State &s) { vipu::createCluster(s, r); });
  }
  void removeCluster(const std::string &name) override {
    change([&](State &s) { vipu::removeCluster(s, name); });
  }
  void createAllocation(const AllocationRequest &r) override {
    change([&](State &s) { vipu::createAllocation(s, r); });
  }
  void removeAllocation(const std::string &name) override {
    change([&](State &s) { vipu::removeAllocation(s, name); });
  }
  void createPartition(const PartitionRequest &r) override {
    machine::changeState([&](State &s) {
      if (!machine::storedState())
        s.partitions.clear();
      vipu::createPartition(s, r);
    });
  }
  void resetPartition(const std::string &name) override {
    change([&](State &s) { vipu::resetPartition(s, name); });
  }
  void removePartition(const std::string &name, bool force) override {
    change([&](State &s) { vipu::removePartition(s, name, force); });
  }
  std::string configuration(const std::string &name, unsigned gcd) override {
    const auto now = state();
    return machine::configurationOf(now.domain(vipu::partition(now, name), gcd));
  }
  std::string createUser(const User &user) override { return store().addUser(user); }
  void removeUser(const std::string &name) override { store().removeUser(name); }
  std::vector<User> users() override { return store().users(); }
  Version version() override {
    char host[256] = "localhost";
    ::gethostname(host, sizeof host - 1);
    return {machine::softwareVersion(), std::string(host) + " (this machine, no controller)"};
  }

private:
  template <class Change> static void change(const Change &what) { machine::changeState(what); }
  // Users are a controller's: here they are those that a `vipu-server --secure` of this machine
  // will admit. Partitions of the local record belong to the user of the system whose folder it is.
  static Store store() { return Store(defaultStore()); }
};

} // namespace

std::unique_ptr<Controller> localController() { return std::make_unique<Local>(); }

} // namespace vipu
