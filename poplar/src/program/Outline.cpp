// SPDX-License-Identifier: MIT
#include "openipu/Outline.hpp"

#include "Access.hpp"
#include "program/Node.hpp"

namespace poplar::openipu {

using poplar::Access;
using poplar::program::Program;
using poplar::program::Sequence;

Program passArgument(const poplar::Tensor &from, const poplar::Tensor &to,
                     const poplar::DebugContext &context) {
  auto node = *Access::node(poplar::program::Copy(from, to, false, context));
  node.flag = true;
  return Access::program(std::move(node));
}

Program outlined(const Program &program, std::uint32_t code, const std::vector<Argument> &arguments,
                 const poplar::DebugContext &context) {
  auto node = *Access::node(Sequence({program}, context));
  node.index = code;
  for (const auto &argument : arguments) {
    node.operands.push_back(argument.tensor);
    node.operands.push_back(argument.buffer);
  }
  return Access::program(std::move(node));
}

} // namespace poplar::openipu
