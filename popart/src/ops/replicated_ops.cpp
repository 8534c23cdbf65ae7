// SPDX-License-Identifier: MIT
// Collectives between replicas, of any number of tensors at once. Attributes: `collectiveOp`, the
// number of a CollectiveOperator [Add], and `collectiveCommGroup`, {CommGroupType, size} [All].
//   ReplicatedAllReduce           every member of a group gets the reduced value
//   ReplicatedAllReduceInplace    the same, written to the variables given
//   ReplicatedReduceScatter       member i gets part i of the elements, zeros behind the last
//   ReplicatedAllGather           the elements of all members one after the other
//   ReplicatedAllToAll            row i of all members, [members, ...]; its own transpose
// ReplicaIndex: the number of the replica, an INT32 scalar.
#include "lowering/lowering.hpp"
#include "opdef/groups.hpp"
#include "ops/shared/elementwise.hpp"
#include <popops/Cast.hpp>

namespace popart::ops {

namespace {

gcl::CollectiveOperator operatorOf(const OpView &op) {
  using O = gcl::CollectiveOperator;
  constexpr O all[] = {O::ADD,         O::MEAN,       O::MUL,        O::MIN,  O::MAX,
                       O::LOGICAL_AND, O::LOGICAL_OR, O::SQUARE_ADD, O::LOCAL};
  const auto i = op.integer("collectiveOp", 0);
  if (i < 0 || i >= static_cast<std::int64_t>(std::size(all)))
    op.fail("collectiveOp is ", i, "; it must be 0 (Add) to 8 (Local).");
  return all[i];
}

Tensors inputsOf(lowering::Lowering &l, const OpView &op) {
  Tensors out;
  for (std::size_t i = 0; i < op.inputs(); ++i)
    out.push_back(l.tensor(op.in(i)));
  return out;
}

OpDef collective(const std::string &type, const std::string &doc) {
  OpDef op;
  op.type = type;
  op.domain = "ai.graphcore";
  op.in = {1, any};
  op.out = {1, any};
  op.doc = doc;
  op.infer = [](const OpView &op) {
    operatorOf(op);
    groupOf(op);
    Infos out;
    for (std::size_t i = 0; i < op.inputs(); ++i)
      out.push_back(op.in(i).info());
    return out;
  };
  op.collective = true;
  return op;
}

OpDef allReduce() {
  OpDef op = collective("ReplicatedAllReduce", "Reduces tensors over replicas.");
  op.noGradient = "replicas are differentiated one by one";
  op.lower = [](lowering::Lowering &l, const OpView &op) {
    return gcl::allReduceCrossReplica(l.wholeGraph(), inputsOf(l, op), operatorOf(op), l.program(),
                                      gclGroup(groupOf(op)), l.name(), l.options().gcl);
  };
  return op;
}
OpDef allReduceInPlace() {
  OpDef op = collective("ReplicatedAllReduceInplace", "Reduces variables over replicas.");
  op.noGradient = "it changes variables";
  op.updates = 0;
  op.lower = [](lowering::Lowering &l, const OpView &op) {
    auto variables = inputsOf(l, op);
    gcl::allReduceInPlaceCrossReplica(l.wholeGraph(), variables, operatorOf(op), l.program(),
                                      gclGroup(groupOf(op)), l.name(), l.options().gcl);
    return variables;
  };
  return op;
}

std::int64_t elementsPerMember(const OpView &op, std::size_t i) {
  const auto members = membersOf(op);
  return (op.in(i).elements() + members - 1) / members;
}
OpDef reduceScatter() {
  OpDef op = collective("ReplicatedReduceScatter", "Reduces over replicas; each keeps a part.");
  op.infer = [](const OpView &op) {
    operatorOf(op);
    Infos out;
    for (std::size_t i = 0; i < op.inputs(); ++i)
      out.emplace_back(op.in(i).type(), Shape{elementsPerMember(op, i)});
    return out;
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) {
    Tensors flat;
    for (const auto &t : inputsOf(l, op))
      flat.push_back(t.flatten());
    return gcl::reduceScatterCrossReplica(l.wholeGraph(), flat, operatorOf(op), l.program(),
                                          gclGroup(groupOf(op)), l.name(), l.options().gcl);
  };
  op.grad = [](GradBuilder &g, const OpView &op) {
    if (op.integer("collectiveOp", 0) != 0)
      op.fail("only the sum of replicas (Add) has a gradient.");
    Values out;
    for (unsigned i = 0; i < op.inputs(); ++i) {
      if (g.dy(i) == none) {
        out.push_back(none);
        continue;
      }
      const Value all = g.op("ReplicatedAllGather", {g.dy(i)}, op.node().attributes);
      const Value cut = g.op("Slice", {all},
                             {{"starts", Integers{0}},
                              {"ends", Integers{op.in(i).elements()}},
                              {"axes", Integers{0}}});
      out.push_back(g.reshape(cut, op.in(i).shape()));
    }
    return out;
  };
  return op;
}
OpDef allGather() {
  OpDef op = collective("ReplicatedAllGather", "What all replicas have, one after the other.");
  op.noGradient = "replicas are differentiated one by one";
  op.infer = [](const OpView &op) {
    Infos out;
    for (std::size_t i = 0; i < op.inputs(); ++i)
      out.emplace_back(op.in(i).type(), Shape{op.in(i).elements() * membersOf(op)});
    return out;
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) {
    auto made = gcl::allGatherCrossReplica(l.wholeGraph(), inputsOf(l, op), l.program(),
                                           gclGroup(groupOf(op)), l.name(), l.options().gcl);
    for (auto &t : made)
      t = t.flatten();
    return made;
  };
  return op;
}

OpDef replicaIndex() {
  OpDef op;
  op.type = "ReplicaIndex";
  op.domain = "openipu";
  op.doc = "The number of the replica.";
  op.in = {0, 0};
  op.out = {1, 1};
  op.noGradient = "it is a whole number";
  op.infer = [](const OpView &) { return Infos{{DataType::INT32, {}}}; };
  op.lower = [](lowering::Lowering &l, const OpView &) -> Tensors {
    auto &graph = l.wholeGraph();
    const auto index = graph.addReplicationIndexConstant(l.name());
    graph.setTileMapping(index, 0);
    return {popops::cast(graph, index, poplar::INT, l.program(), l.name())};
  };
  return op;
}

OpDef allToAll() {
  OpDef op;
  op.type = "ReplicatedAllToAll";
  op.domain = "openipu";
  op.doc = "Replicas exchange rows: each gets those with its number.";
  op.in = op.out = {1, 1};
  op.collective = true;
  op.infer = [](const OpView &op) {
    const auto rows = op.integer("replicas", 0);
    if (op.in(0).rank() < 1 || (rows && op.in(0).dim(0) != rows))
      op.fail("input \"", op.in(0).name(), "\" is ", op.in(0).info(),
              "; it needs a row for each of ", rows, " replicas.");
    return Infos{op.in(0).info()};
  };
  op.grad = [](GradBuilder &g, const OpView &op) {
    return g.dy() == none
               ? Values{none}
               : Values{g.op("openipu.ReplicatedAllToAll", {g.dy()}, op.node().attributes)};
  };
  op.lower = [](lowering::Lowering &l, const OpView &op) -> Tensors {
    return {gcl::allToAllCrossReplica(l.wholeGraph(), l.tensor(op.in(0)), l.program(), {}, l.name(),
                                      l.options().gcl)};
  };
  return op;
}

} // namespace

std::vector<OpDef> replicatedOps() {
  return {allReduce(), allReduceInPlace(), reduceScatter(),
          allGather(), allToAll(),         replicaIndex()};
}

} // namespace popart::ops
