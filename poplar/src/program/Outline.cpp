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
  std::get<executable::steps::Copy<Tree>>(node.kind).passesArgument = true;
  return Access::program(std::move(node));
}

Program outlined(const Program &program, std::uint32_t code, const std::vector<Argument> &arguments,
                 const poplar::DebugContext &context) {
  auto node = *Access::node(Sequence({program}, context));
  auto &sequence = std::get<executable::steps::Sequence<Tree>>(node.kind);
  sequence.code = code;
  for (const auto &argument : arguments) {
    sequence.arguments.push_back(argument.tensor);
    sequence.arguments.push_back(argument.buffer);
  }
  return Access::program(std::move(node));
}

} // namespace poplar::openipu
