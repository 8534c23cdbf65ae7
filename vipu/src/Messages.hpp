// SPDX-License-Identifier: MIT
// Requests as messages, and back. Whatever comes in a message is checked by Changes.cpp.
#pragma once
#include "vipu.pb.h"
#include "vipu/Controller.hpp"

namespace vipu {

template <class List> std::vector<std::string> texts(const List &list) {
  return {list.begin(), list.end()};
}

inline AgentRequest fromMessage(const api::AgentSpec &m) {
  return {m.id(), m.host(), m.kind().empty() ? "M2000" : m.kind()};
}
inline api::AgentSpec toMessage(const AgentRequest &r) {
  api::AgentSpec m;
  m.set_id(r.name);
  m.set_host(r.host);
  m.set_kind(r.kind);
  return m;
}

inline ClusterRequest fromMessage(const api::ClusterSpec &m) {
  return {m.id(), texts(m.agent_ids()), m.link_domains(), m.topology()};
}
inline api::ClusterSpec toMessage(const ClusterRequest &r) {
  api::ClusterSpec m;
  m.set_id(r.name);
  m.mutable_agent_ids()->Assign(r.agents.begin(), r.agents.end());
  m.set_link_domains(r.linkDomains);
  m.set_topology(r.topology);
  return m;
}

inline AllocationRequest fromMessage(const api::AllocationSpec &m) {
  return {m.id(), m.cluster_id(), texts(m.agent_ids())};
}
inline api::AllocationSpec toMessage(const AllocationRequest &r) {
  api::AllocationSpec m;
  m.set_id(r.name);
  m.set_cluster_id(r.cluster);
  m.mutable_agent_ids()->Assign(r.agents.begin(), r.agents.end());
  return m;
}

inline PartitionRequest fromMessage(const api::PartitionSpec &m) {
  PartitionRequest r;
  r.name = m.id();
  r.size = m.size();
  r.reconfigurable = m.reconfigurable();
  r.gcds = m.gcds();
  r.gcdSyncReplicas = m.gcd_sync_replicas();
  r.gatewayRouting = m.gw_routing();
  r.syncType = m.sync_type();
  r.cluster = m.cluster_id();
  r.allocation = m.allocation_id();
  if (m.has_index())
    r.index = m.index();
  return r;
}
inline api::PartitionSpec toMessage(const PartitionRequest &r) {
  api::PartitionSpec m;
  m.set_id(r.name);
  m.set_size(r.size);
  m.set_reconfigurable(r.reconfigurable);
  m.set_gcds(r.gcds);
  m.set_gcd_sync_replicas(r.gcdSyncReplicas);
  m.set_gw_routing(r.gatewayRouting);
  m.set_sync_type(r.syncType);
  m.set_cluster_id(r.cluster);
  m.set_allocation_id(r.allocation);
  if (r.index)
    m.set_index(*r.index);
  return m;
}

} // namespace vipu
