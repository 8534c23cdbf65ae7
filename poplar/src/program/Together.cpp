// SPDX-License-Identifier: MIT
#include "openipu/Together.hpp"

#include "Access.hpp"
#include "program/Node.hpp"

namespace poplar::openipu {

poplar::program::Program together(const std::vector<poplar::program::Program> &programs,
                                  const poplar::DebugContext &context) {
  poplar::program::Sequence sequence(programs, context);
  auto node = *poplar::Access::node(sequence);
  std::get<executable::steps::Sequence<Tree>>(node.kind).together = true;
  poplar::program::Sequence out;
  poplar::Access::setNode(out, std::move(node));
  return out;
}

} // namespace poplar::openipu
