// SPDX-License-Identifier: MIT
#include "Service.hpp"
#include "base/Text.hpp"
#include "machine/Attributes.hpp"
#include "machine/Error.hpp"
#include "Messages.hpp"

namespace vipu {
namespace {

constexpr std::size_t longestReason = 4000;

std::string metadata(const grpc::ServerContext &context, const char *name) {
  const auto &all = context.client_metadata();
  const auto found = all.find(name);
  return found == all.end() ? "" : std::string(found->second.data(), found->second.size());
}

} // namespace

Service::Status Service::admit(Context *context, Who who) {
  if (!secure_)
    return Status::OK;
  const auto name = metadata(*context, "vipu-user-id");
  if (name.empty())
    return {grpc::StatusCode::UNAUTHENTICATED,
            "This controller is in secure mode: give --api-user-id and "
            "--api-access-key, or put them into ~/.vipu.hcl."};
  const auto user = store_.userWith(name, metadata(*context, "vipu-access-key"));
  if (!user)
    return {grpc::StatusCode::UNAUTHENTICATED,
            base::str("The user ", base::brief(name),
                      " and this access key are not known to the controller.")};
  if (who == Who::Operator && !user->admin)
    return {grpc::StatusCode::PERMISSION_DENIED,
            base::str("The user ", name,
                      " is no operator; an operator was made with `vipu-admin "
                      "create user NAME --admin`.")};
  return Status::OK;
}

template <class Act> Service::Status Service::answer(Context *context, Who who, const Act &act) {
  try {
    const auto admitted = admit(context, who);
    if (admitted.ok())
      act();
    return admitted;
  } catch (const machine::Error &e) { // an answer's header has room for some kilobytes
    return {grpc::StatusCode::FAILED_PRECONDITION, std::string(e.what()).substr(0, longestReason)};
  } catch (const std::exception &e) {
    return {grpc::StatusCode::INTERNAL, base::str("The controller failed: ", e.what())};
  }
}

Service::Status Service::GetVersion(Context *, const api::Empty *, api::VersionReply *reply) {
  reply->set_version(machine::softwareVersion());
  reply->set_host(host_);
  return Status::OK;
}
Service::Status Service::GetState(Context *c, const api::Empty *, api::TextReply *reply) {
  return answer(c, Who::Anybody, [&] { reply->set_text(machine::textOf(store_.state())); });
}
Service::Status Service::CreateAgent(Context *c, const api::AgentSpec *m, api::Empty *) {
  return answer(c, Who::Operator,
                [&] { store_.change([&](auto &s) { createAgent(s, fromMessage(*m)); }); });
}
Service::Status Service::RemoveAgent(Context *c, const api::Name *m, api::Empty *) {
  return answer(c, Who::Operator,
                [&] { store_.change([&](auto &s) { removeAgent(s, m->id()); }); });
}
Service::Status Service::CreateCluster(Context *c, const api::ClusterSpec *m, api::Empty *) {
  return answer(c, Who::Operator,
                [&] { store_.change([&](auto &s) { createCluster(s, fromMessage(*m)); }); });
}
Service::Status Service::RemoveCluster(Context *c, const api::Name *m, api::Empty *) {
  return answer(c, Who::Operator,
                [&] { store_.change([&](auto &s) { removeCluster(s, m->id()); }); });
}
Service::Status Service::CreateAllocation(Context *c, const api::AllocationSpec *m, api::Empty *) {
  return answer(c, Who::Operator,
                [&] { store_.change([&](auto &s) { createAllocation(s, fromMessage(*m)); }); });
}
Service::Status Service::RemoveAllocation(Context *c, const api::Name *m, api::Empty *) {
  return answer(c, Who::Operator,
                [&] { store_.change([&](auto &s) { removeAllocation(s, m->id()); }); });
}
Service::Status Service::CreatePartition(Context *c, const api::PartitionSpec *m, api::Empty *) {
  return answer(c, Who::Anybody,
                [&] { store_.change([&](auto &s) { createPartition(s, fromMessage(*m)); }); });
}
Service::Status Service::ResetPartition(Context *c, const api::Name *m, api::Empty *) {
  return answer(c, Who::Anybody,
                [&] { store_.change([&](auto &s) { resetPartition(s, m->id()); }); });
}
Service::Status Service::RemovePartition(Context *c, const api::Name *m, api::Empty *) {
  return answer(c, Who::Anybody,
                [&] { store_.change([&](auto &s) { removePartition(s, m->id(), m->force()); }); });
}
Service::Status Service::GetPartitionIpuofConfig(Context *c, const api::Name *m,
                                                 api::TextReply *reply) {
  return answer(c, Who::Anybody, [&] {
    const auto state = store_.state();
    reply->set_text(machine::configurationOf(state.domain(partition(state, m->id()), m->gcd_id())));
  });
}
Service::Status Service::CreateUser(Context *c, const api::UserSpec *m, api::TextReply *reply) {
  return answer(c, Who::Operator, [&] { reply->set_text(store_.addUser({m->id(), m->admin()})); });
}
Service::Status Service::RemoveUser(Context *c, const api::Name *m, api::Empty *) {
  return answer(c, Who::Operator, [&] { store_.removeUser(m->id()); });
}
Service::Status Service::ListUsers(Context *c, const api::Empty *, api::UserList *reply) {
  return answer(c, Who::Operator, [&] {
    for (const auto &user : store_.users()) {
      auto *added = reply->add_users();
      added->set_id(user.name);
      added->set_admin(user.admin);
    }
  });
}

} // namespace vipu
