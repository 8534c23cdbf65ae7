// SPDX-License-Identifier: MIT
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "Messages.hpp"
#include "vipu.grpc.pb.h"
#include "vipu/Connect.hpp"
#include <chrono>
#include <grpcpp/grpcpp.h>

namespace vipu {
namespace {

using Stub = api::Controller::Stub;

class Remote : public Controller {
public:
  explicit Remote(const Server &server)
      : server_(server), address_(base::str(server.host, ":", server.port)),
        stub_(api::Controller::NewStub(
            grpc::CreateChannel(address_, grpc::InsecureChannelCredentials()))) {}

  machine::State state() override {
    return machine::parseState(ask<api::TextReply>(&Stub::GetState, api::Empty()).text(),
                               "the answer of " + address_);
  }
  void createAgent(const AgentRequest &r) override { tell(&Stub::CreateAgent, toMessage(r)); }
  void removeAgent(const std::string &name) override { tell(&Stub::RemoveAgent, named(name)); }
  void createCluster(const ClusterRequest &r) override { tell(&Stub::CreateCluster, toMessage(r)); }
  void removeCluster(const std::string &name) override { tell(&Stub::RemoveCluster, named(name)); }
  void createAllocation(const AllocationRequest &r) override {
    tell(&Stub::CreateAllocation, toMessage(r));
  }
  void removeAllocation(const std::string &name) override {
    tell(&Stub::RemoveAllocation, named(name));
  }
  void createPartition(const PartitionRequest &r) override {
    tell(&Stub::CreatePartition, toMessage(r));
  }
  void resetPartition(const std::string &name) override {
    tell(&Stub::ResetPartition, named(name));
  }
  void removePartition(const std::string &name, bool force) override {
    auto message = named(name);
    message.set_force(force);
    tell(&Stub::RemovePartition, message);
  }
  std::string configuration(const std::string &partition, unsigned gcd) override {
    auto message = named(partition);
    message.set_gcd_id(gcd);
    return ask<api::TextReply>(&Stub::GetPartitionIpuofConfig, message).text();
  }
  std::string createUser(const User &user) override {
    api::UserSpec message;
    message.set_id(user.name);
    message.set_admin(user.admin);
    return ask<api::TextReply>(&Stub::CreateUser, message).text();
  }
  void removeUser(const std::string &name) override { tell(&Stub::RemoveUser, named(name)); }
  std::vector<User> users() override {
    std::vector<User> out;
    const auto reply = ask<api::UserList>(&Stub::ListUsers, api::Empty());
    for (const auto &user : reply.users())
      out.push_back({user.id(), user.admin()});
    return out;
  }
  Version version() override {
    const auto found = ask<api::VersionReply>(&Stub::GetVersion, api::Empty());
    return {found.version(), found.host()};
  }

private:
  static api::Name named(const std::string &name) {
    api::Name out;
    out.set_id(name);
    return out;
  }

  template <class Method, class Request> void tell(Method method, const Request &request) {
    ask<api::Empty>(method, request);
  }
  template <class Reply, class Method, class Request>
  Reply ask(Method method, const Request &request) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(server_.seconds));
    if (!server_.user.empty()) {
      context.AddMetadata("vipu-user-id", server_.user);
      context.AddMetadata("vipu-access-key", server_.key);
    }
    Reply reply;
    const auto status = ((*stub_).*method)(&context, request, &reply);
    if (status.ok())
      return reply;
    switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      throw machine::Error(base::str("The controller at ", address_,
                                     " cannot be reached. Is vipu-server "
                                     "running there? (",
                                     status.error_message(), ")"));
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      throw machine::Error(base::str("The controller at ", address_, " did not answer within ",
                                     server_.seconds, " s. Raise --api-timeout, or look at it."));
    default:
      throw machine::Error(status.error_message());
    }
  }

  Server server_;
  std::string address_;
  std::unique_ptr<Stub> stub_;
};

} // namespace

std::unique_ptr<Controller> remoteController(const Server &server) {
  return std::make_unique<Remote>(server);
}

} // namespace vipu
