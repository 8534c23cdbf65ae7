// SPDX-License-Identifier: MIT
// Collectives: reducing, scattering, gathering and moving elements between members.
//   across: the members are replicas (Kernel::runAcross)
//     outputs: the results; read too if there are no inputs
//     inputs:  the sources, one per output, or none: in place
//     AllReduce and Broadcast have equal shapes, AllGather [members, source...] from [source...].
//     AllToAll has the members as first dimension of both. ReduceScatter is [part] from [all];
//     what is beyond all is zero.
//   within: the members are rows of operands
//     AllReduce: [ipus, n] from [ipus, n]. ReduceScatter: an output [part] per row from [ipus, n].
//     AllGather: [ipus, n] from an input [part] per row.
#pragma once
#include "gcl/openipu/CollectiveTypes.hpp"
#include "openipu/Attributes.hpp"
#include "poplar/exceptions.hpp"

namespace gcl::kernels {

inline constexpr char across[] = "gcl.across";
inline constexpr char within[] = "gcl.within";

enum class Kind : std::uint8_t { AllReduce, ReduceScatter, AllGather, AllToAll, Broadcast };

struct Group { // resolved, so that size is never zero
  CommGroupType type;
  std::uint32_t size, stride;
};

struct Request {
  Kind kind;
  CollectiveOperator op;
  Group group;

  std::string write() const {
    return openipu::AttributeWriter().put(kind).put(op).put(group).take();
  }
  static Request read(std::string_view bytes) {
    openipu::AttributeReader reader(bytes);
    Request r;
    r.kind = reader.get<Kind>();
    r.op = reader.get<CollectiveOperator>();
    r.group = reader.get<Group>();
    if (r.group.size == 0 || r.group.stride == 0)
      throw poplar::poplar_error("A collective of this executable has no members: the file is "
                                 "damaged. Compile it again.");
    return r;
  }
};

// The members of every group, in order.
inline std::vector<std::vector<unsigned>> membersOf(const Group &group, unsigned replicas) {
  // ORTHOGONAL is CONSECUTIVE with the largest stride.
  auto stride = group.type == CommGroupType::ORTHOGONAL ? replicas / group.size : group.stride;
  auto block = group.size * stride;
  std::vector<std::vector<unsigned>> groups;
  for (unsigned base = 0; base < replicas; base += block)
    for (unsigned first = base; first != base + stride; ++first) {
      auto &members = groups.emplace_back();
      for (unsigned i = 0; i != group.size; ++i)
        members.push_back(first + i * stride);
    }
  return groups;
}

} // namespace gcl::kernels
