// SPDX-License-Identifier: MIT
#ifndef POPART_POPX_OP_COLLECTIVES_COLLECTIVESX_HPP
#define POPART_POPX_OP_COLLECTIVES_COLLECTIVESX_HPP
#include <popart/op/collectives/collectives.hpp>
#include <popart/popx/opx.hpp>

namespace popart {

namespace popx {

// What collectives compute, for classes that add to it.
class CollectivesBaseOpx : public BuiltinOpx {
public:
  CollectivesBaseOpx(Op *op, Devicex *devicex) : BuiltinOpx(op, devicex) {}
};

} // namespace popx

} // namespace popart
#endif
