// SPDX-License-Identifier: MIT
// The controller's answers. In secure mode everybody gives his name and access key; only an
// operator changes agents, clusters, allocations and users.
#pragma once
#include "Store.hpp"
#include "vipu.grpc.pb.h"

namespace vipu {

class Service final : public api::Controller::Service {
public:
  Service(Store &store, bool secure, std::string host)
      : store_(store), secure_(secure), host_(std::move(host)) {}

  using Context = grpc::ServerContext;
  using Status = grpc::Status;
  Status GetVersion(Context *, const api::Empty *, api::VersionReply *) override;
  Status GetState(Context *, const api::Empty *, api::TextReply *) override;
  Status CreateAgent(Context *, const api::AgentSpec *, api::Empty *) override;
  Status RemoveAgent(Context *, const api::Name *, api::Empty *) override;
  Status CreateCluster(Context *, const api::ClusterSpec *, api::Empty *) override;
  Status RemoveCluster(Context *, const api::Name *, api::Empty *) override;
  Status CreateAllocation(Context *, const api::AllocationSpec *, api::Empty *) override;
  Status RemoveAllocation(Context *, const api::Name *, api::Empty *) override;
  Status CreatePartition(Context *, const api::PartitionSpec *, api::Empty *) override;
  Status ResetPartition(Context *, const api::Name *, api::Empty *) override;
  Status RemovePartition(Context *, const api::Name *, api::Empty *) override;
  Status GetPartitionIpuofConfig(Context *, const api::Name *, api::TextReply *) override;
  Status CreateUser(Context *, const api::UserSpec *, api::TextReply *) override;
  Status RemoveUser(Context *, const api::Name *, api::Empty *) override;
  Status ListUsers(Context *, const api::Empty *, api::UserList *) override;

private:
  enum class Who { Anybody, Operator };
  template <class Act> Status answer(Context *context, Who who, const Act &act);
  Status admit(Context *context, Who who);
  Store &store_;
  bool secure_;
  std::string host_;
};

} // namespace vipu
