// SPDX-License-Identifier: MIT
// Variables that are kept elsewhere (transforms/memory/movevariables.hpp).
//   RemoteLoad    a variable beside the chip, brought to the tiles
//   RemoteStore   writes it back: inputs are the variable and its new value, which is the output
//                 Both pass over the I/O tiles with attribute ioTiles = 1.
//   ShardGather   a variable of the shape `shape`, of which every replica has a part; attributes
//                 `replicas` and `collectiveCommGroup` as of the collectives
#include "lowering/lowering.hpp"
#include "opdef/groups.hpp"
#include "ops/shared/elementwise.hpp"
#include <gcl/Collectives.hpp>
#include <poputil/TileMapping.hpp>

namespace popart::ops {

namespace {

OpDef moving(const std::string &type, unsigned inputs, const std::string &doc) {
  OpDef op;
  op.type = type;
  op.domain = "openipu";
  op.in = {inputs, inputs};
  op.doc = doc;
  op.noGradient = "tensors are moved after differentiation";
  op.infer = [](const OpView &op) -> Infos { return {op.in(0).info()}; };
  return op;
}

// What is exchanged with the memory beside the chip in place of a tensor: itself, or a landing on
// the I/O tiles.
poplar::Tensor landing(lowering::Lowering &l, const OpView &op, const poplar::Tensor &t) {
  return op.integer("ioTiles", 0) ? l.onIoTiles(t, op.in(0).name()) : t;
}

Tensors load(lowering::Lowering &l, const OpView &op) {
  auto &storage = l.remote(op.in(0));
  auto &layout = storage.layouts[op.node().settings.virtualGraph.value_or(0)];
  const auto t = l.newTensor(op.out(0), layout);
  if (!layout.valid())
    layout = t;
  const auto landed = landing(l, op, t);
  l.program().add(poplar::program::Copy(storage.buffer, landed, l.name()));
  if (landed != t)
    l.program().add(poplar::program::Copy(landed, t, false, l.name("ioTileCopy")));
  return {t};
}
Tensors store(lowering::Lowering &l, const OpView &op) {
  const auto t = l.tensor(op.in(1));
  const auto landed = landing(l, op, t);
  if (landed != t)
    l.program().add(poplar::program::Copy(t, landed, false, l.name("ioTileCopy")));
  l.program().add(poplar::program::Copy(landed, l.remote(op.in(0)).buffer, l.name()));
  return {t};
}

// Straight to where the users want it; what fills up the last part goes nowhere in particular.
Tensors gather(lowering::Lowering &l, const OpView &op) {
  const auto part = l.tensor(op.in(0)).flatten();
  const auto members = static_cast<std::size_t>(membersOf(op));
  const auto t = l.newTensor(op.out(0));
  auto all = t.flatten();
  if (const auto rest = members * part.numElements() - all.numElements()) {
    auto padding = l.graph().addVariable(part.elementType(), {rest}, l.name("padding"));
    l.graph().setTileMapping(padding, 0);
    all = poplar::concat(all, padding);
  }
  std::vector<poplar::Tensor> to{all.reshape({members, part.numElements()})};
  gcl::allGatherToDestinationCrossReplica(l.wholeGraph(), {part}, to, l.program(),
                                          gclGroup(groupOf(op)), l.name(), l.options().gcl);
  return {t};
}

} // namespace

std::vector<OpDef> remoteOps() {
  OpDef from = moving("RemoteLoad", 1, "A variable that is kept off the chip, on the tiles.");
  from.lower = load;
  OpDef to = moving("RemoteStore", 2, "Writes a variable that is kept off the chip.");
  to.lower = store;
  to.updates = 0;
  to.assigns = true;
  OpDef whole = moving("ShardGather", 1, "A variable of which every replica has a part.");
  whole.infer = [](const OpView &op) -> Infos {
    const TensorInfo info(op.in(0).type(), op.integers("shape"));
    const auto parts = op.in(0).elements() * membersOf(op);
    if (parts < info.nelms())
      op.fail("parts of ", op.in(0).elements(), " elements of ", membersOf(op),
              " replicas do not make a tensor of the shape ", ir::text(info.shape()), ".");
    return {info};
  };
  whole.lower = gather;
  from.fetches = whole.fetches = true;
  return {from, to, whole};
}

} // namespace popart::ops
