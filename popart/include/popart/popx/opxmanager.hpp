// SPDX-License-Identifier: MIT
// Registers how custom operators are computed: a static OpxCreator<MyOpx>(ids).
#ifndef POPART_OPXMANAGER_HPP
#define POPART_OPXMANAGER_HPP
#include <functional>
#include <popart/popx/opx.hpp>

namespace popart {
namespace popx {

class OpxManager {
public:
  using OpxFactoryFunc = std::function<std::unique_ptr<Opx>(Op *, Devicex *)>; // makes an Opx
  // Makes an Opx known. OpxCreator calls it.
  static void registerOpx(const OperatorIdentifier &opid, OpxFactoryFunc factory);
};

// A static object that makes OPX the implementation of operators.
template <class OPX> class OpxCreator {
public:
  OpxCreator(const OperatorIdentifier &opid) : OpxCreator(std::vector<OperatorIdentifier>{opid}) {}
  OpxCreator(const std::vector<OperatorIdentifier> &opids) {
    for (const auto &opid : opids)
      OpxManager::registerOpx(opid, [](Op *op, Devicex *devicex) {
        return std::unique_ptr<Opx>(new OPX(op, devicex));
      });
  }
};

} // namespace popx
} // namespace popart
#endif
