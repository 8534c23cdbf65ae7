// SPDX-License-Identifier: MIT
// One function of the compiler's output as basic blocks, with the order in which they can be
// reached, who dominates whom, and natural loops.
#pragma once
#include "codelet/HostInstruction.hpp"
#include <string>
#include <vector>

namespace poplar::codelet {

struct Block {
  std::string label; // may be empty
  std::vector<HostInstruction> instructions;
  std::vector<unsigned> successors, predecessors;
};

constexpr int noLoop = -1;

struct Loop {
  unsigned header = 0;
  std::vector<bool> contains; // by block
  unsigned size = 0;          // blocks
  int parent = noLoop;
};

class ControlFlow {
public:
  // Blocks in the order of the text. Successors are found here; a block without jump at its end
  // falls into the next.
  explicit ControlFlow(std::vector<Block> blocks);

  const std::vector<Block> &blocks() const { return blocks_; }
  const std::vector<unsigned> &order() const { return order_; } // reverse post-order
  bool reached(unsigned block) const { return position_[block] >= 0; }
  unsigned dominator(unsigned block) const { return unsigned(dominators_[block]); }
  const std::vector<Loop> &loops() const { return loops_; }
  int loopOf(unsigned block) const { return innermost_[block]; } // the innermost, or noLoop
  bool isIn(unsigned block, int loop) const {
    return loop == noLoop || loops_[unsigned(loop)].contains[block];
  }

private:
  void connect();
  void sort();
  void dominate();
  void findLoops();
  bool dominates(unsigned a, unsigned b) const;

  std::vector<Block> blocks_;
  std::vector<unsigned> order_;
  std::vector<int> position_, dominators_, innermost_;
  std::vector<Loop> loops_;
};

} // namespace poplar::codelet
