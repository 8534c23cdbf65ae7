// SPDX-License-Identifier: MIT
// What an Opx is connected to, handed through by its constructor.
#ifndef POPART_DEVICEX_HPP
#define POPART_DEVICEX_HPP
#include <popart/popx/irlowering.hpp>

namespace popart {
namespace popx {

class Devicex {
public:
  virtual ~Devicex();
  virtual IrLowering &lowering() = 0;        // the lowering that is under way
  const Ir &ir() { return lowering().ir(); } // the ir that is lowered
};

} // namespace popx
} // namespace popart
#include <popart/popx/opx.hpp>
#endif
