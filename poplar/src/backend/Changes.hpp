// SPDX-License-Identifier: MIT
// What a run that ended early has done of the changes that its program makes to some variables.
// Whole variables count, and all that a step might write: the safe side is that they are changed in
// part.
#pragma once
#include "backend/Flow.hpp"
#include "openipu/Resume.hpp"
#include <map>

namespace poplar::backend {

// Where a run ended: the blocks it was in, the innermost first.
struct Frame {
  const Block *block;
  const Instruction *at; // null: it had begun nothing of the block
};
using Trail = std::vector<Frame>;

class Changes {
public:
  // Flags by variable and by remote buffer of the image.
  Changes(const executable::Image &image, std::vector<bool> variables, std::vector<bool> buffers);
  openipu::Changed until(const Trail &trail, std::uint64_t turns);

private:
  bool by(const Instruction &in); // and all that runs within it
  bool by(const Block *block);
  bool byAny(const Instruction *begin, const Instruction *end);
  bool byStep(const executable::Step &step) const;

  const executable::Image &image_;
  std::vector<bool> variables_, buffers_;
  std::map<const Block *, bool> blocks_; // those that were asked for
};

} // namespace poplar::backend
