// SPDX-License-Identifier: MIT
// Collectives as operations: what the kernels are asked, and what the tiles and links take.
#pragma once
#include "Groups.hpp"
#include "openipu/Operation.hpp"

namespace gcl {

using kernels::Kind;

struct Collective {
  Kind kind;
  CollectiveOperator op = CollectiveOperator::LOCAL;
  Group group;
  Options options;
};

// `to` and `from` are pairs, in place if `from` is empty. Element order is the tensors' own: for
// AllReduce and Broadcast the shapes are equal; AllGather and AllToAll have the members as the
// first dimension of the result (and of the source); ReduceScatter is of rank 1.
poplar::program::Program crossReplica(const poplar::Graph &graph, const Collective &what,
                                      const std::vector<poplar::Tensor> &to,
                                      const std::vector<poplar::Tensor> &from,
                                      const poplar::DebugContext &context);

// The same between the rows or chunks of one replica: sources and sinks are the operands
// themselves. AllReduce: [ipus, n] each. ReduceScatter: chunks from [ipus, n]. AllGather: [ipus, n]
// from chunks.
poplar::program::Program withinReplica(const poplar::Graph &graph, const Collective &what,
                                       const std::vector<poplar::Tensor> &to,
                                       const std::vector<poplar::Tensor> &from,
                                       const poplar::DebugContext &context);

// Supersteps of a collective on `data` (all tensors) between `members`, of which `rings` are
// active at once.
openipu::Plan ringPlan(const poplar::Graph &graph, const Collective &what,
                       const std::vector<poplar::Tensor> &data, unsigned members, unsigned rings);

} // namespace gcl
