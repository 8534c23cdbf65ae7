// SPDX-License-Identifier: MIT
// Builds the nodes of a function block by block; Decode.cpp says what each instruction does.
#pragma once
#include "codelet/Values.hpp"
#include <unordered_map>

namespace poplar::codelet {

class ValueBuilder {
public:
  explicit ValueBuilder(const ControlFlow &flow)
      : flow_(flow), byBlock(flow.blocks().size()), written_(flow.blocks().size()),
        found_(flow.blocks().size()) {}

  // Places: registers 0 to 31, the flags, and spill slots by the text of their address.
  static constexpr int flags = 32;
  int slot(const std::string &address) {
    return slots_.emplace(address, flags + 1 + int(slots_.size())).first->second;
  }

  void enter(unsigned block) { block_ = block; }
  void begin(const HostInstruction &instruction) { mark_ = instruction.mark; }
  ValueId read(int place) { return valueAtEnd(block_, place); }
  void write(int place, ValueId value) { written_[block_][place] = value; }
  bool isWritten(int place) const { return written_[block_].count(place) != 0; } // in this block
  ValueId add(Node node);
  Node &node(ValueId id) { return nodes[id]; }

  // Phis get their operands; those that choose between one value and themselves vanish.
  void finish();

private:
  const ControlFlow &flow_;

public:
  std::vector<Node> nodes;
  std::vector<std::vector<ValueId>> byBlock;

private:
  using Places = std::unordered_map<int, ValueId>;
  ValueId valueAtEnd(unsigned block, int place);
  ValueId valueAtStart(unsigned block, int place);
  ValueId makePlain(Op op, unsigned block, int place);
  void simplify();

  unsigned block_ = 0, mark_ = 0;
  std::vector<Places> written_, found_; // by block: at its end, and at its start
  std::map<std::string, int> slots_;
  std::vector<ValueId> phis_;
};

// Adds what the instruction does to the block that was entered last.
void decode(ValueBuilder &to, const HostInstruction &instruction);

} // namespace poplar::codelet
