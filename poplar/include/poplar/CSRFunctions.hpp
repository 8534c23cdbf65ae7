// SPDX-License-Identifier: MIT
// Floating point control of the tiles of a graph, from the point of execution where it stands.
#pragma once
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

// Exceptions on invalid operation, division by zero and overflow; stochastic rounding; NaN instead
// of the largest half on overflow.
struct FloatingPointBehaviour {
  // True stops the program at an invalid operation, a division by zero or an overflow; esr rounds
  // to half at random; nanoo makes NaN, not the largest half, of what overflows.
  bool inv, div0, oflo, esr, nanoo;
  FloatingPointBehaviour(bool inv_ = true, bool div0_ = true, bool oflo_ = true, bool esr_ = true,
                         bool nanoo_ = true)
      : inv(inv_), div0(div0_), oflo(oflo_), esr(esr_), nanoo(nanoo_) {}
  // Every bit turned over.
  FloatingPointBehaviour operator!() const { return {!inv, !div0, !oflo, !esr, !nanoo}; }
  friend bool operator==(const FloatingPointBehaviour &a, const FloatingPointBehaviour &b) {
    return a.inv == b.inv && a.div0 == b.div0 && a.oflo == b.oflo && a.esr == b.esr &&
           a.nanoo == b.nanoo;
  }
};

void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                               const FloatingPointBehaviour &behaviour,
                               const DebugContext &debugContext = {});
// behaviour: as returned by getAndModifyFloatingPointBehaviour.
void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog, const Tensor &behaviour,
                               const DebugContext &debugContext = {});
// Returns the setting before; then clears and sets the bits that are true in `clear` and `set`.
Tensor getAndModifyFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                                          const FloatingPointBehaviour &clear,
                                          const FloatingPointBehaviour &set,
                                          const DebugContext &debugContext = {});
// Switches stochastic rounding on or off for all tiles of the graph: results are rounded up or down
// at random, so that the mean of many is right.
void setStochasticRounding(Graph &graph, program::Sequence &prog, bool enable,
                           const DebugContext &debugContext = {});

} // namespace poplar
