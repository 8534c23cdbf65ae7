// SPDX-License-Identifier: MIT
// The program tree as indented text, with the names of compute sets, tensors, streams and
// functions.
#include "Access.hpp"
#include "base/Text.hpp"
#include "executable/ValidateSteps.hpp"
#include "poplar/Program.hpp"
#include <ostream>

namespace poplar {

using base::str;
using executable::StepKind;
using program::Node;
using program::Program;

namespace {

std::string headline(const graph::GraphState &graph, const Node &node) {
  auto tensor = [&](std::size_t i) {
    return i < node.operands.size() ? node.operands[i].getDebugStr() : std::string();
  };
  switch (node.kind) {
  case StepKind::Sequence:
    return "Sequence";
  case StepKind::Execute:
    return str("Execute: ",
               node.index < graph.computeSets.size() ? graph.computeSets[node.index].name : "?");
  case StepKind::Copy:
    return str("Copy: ", tensor(0), " -> ", tensor(1));
  case StepKind::HostToDevice:
    return str("StreamCopy: \"", node.handle, "\" -> ", tensor(0));
  case StepKind::DeviceToHost:
    return str("StreamCopy: ", tensor(0), " -> \"", node.handle, "\"");
  case StepKind::RemoteToDevice:
    return str("RemoteCopy: \"", node.handle, "\" -> ", tensor(0));
  case StepKind::DeviceToRemote:
    return str("RemoteCopy: ", tensor(0), " -> \"", node.handle, "\"");
  case StepKind::Repeat:
    return str("Repeat: ", node.count);
  case StepKind::RepeatWhile:
    return str(node.flag ? "RepeatWhileTrue: " : "RepeatWhileFalse: ", tensor(0));
  case StepKind::If:
    return str("If: ", tensor(0));
  case StepKind::Switch:
    return str("Switch: ", tensor(0), ", cases ", base::list(node.cases));
  case StepKind::Call:
    return str("Call: function ", node.index);
  case StepKind::HostCall:
    return str("Call: host function \"",
               node.index < graph.hostFunctions.size() ? graph.hostFunctions[node.index].handle
                                                       : "?",
               "\"");
  case StepKind::Sync:
    return "Sync";
  case StepKind::WriteUndef:
    return str("WriteUndef: ", tensor(0));
  case StepKind::Print:
    return str("PrintTensor: ", tensor(0));
  case StepKind::Error:
    return str("Error: ", node.text);
  case StepKind::Abort:
    return str("Abort", node.operands.empty() ? "" : " if " + tensor(0));
  case StepKind::CrossReplicaCopy:
    return str("CrossReplicaCopy: ", tensor(0), " -> ", tensor(1));
  case StepKind::AssumeEqual:
    return str("AssumeEqualAcrossReplicas: ", tensor(0));
  case StepKind::Block:
    return "Block";
  case StepKind::Kernel:
    return str("Kernel: ", node.text);
  case StepKind::CycleStamp:
    return str("CycleStamp: tile ", node.count);
  case StepKind::SetFloatingPoint:
    return "SetFloatingPointBehaviour";
  case StepKind::GetSeeds:
    return "GetSeeds";
  case StepKind::SetSeeds:
    return "SetSeeds";
  }
  return "?";
}

void dump(const graph::GraphState &graph, const Program &program, unsigned depth,
          std::ostream &out) {
  std::vector<std::pair<const Node *, unsigned>> waiting{{Access::node(program), depth}};
  while (!waiting.empty()) {
    const auto [node, level] = waiting.back();
    waiting.pop_back();
    if (!node)
      continue;
    if (level > executable::maxStepDepth)
      throw control_program_error(str("Programs are nested more than ", executable::maxStepDepth,
                                      " deep, so they are not printed."));
    out << std::string(2 * level, ' ') << headline(graph, *node);
    if (!node->name.empty() && node->kind != StepKind::Execute)
      out << " (" << node->name << ")";
    out << "\n";
    for (auto child = node->children.rbegin(); child != node->children.rend(); ++child)
      waiting.emplace_back(Access::node(*child), level + 1);
  }
}

} // namespace

void dumpProgram(const Graph &graph, const Program &program, std::ostream &out) {
  auto &state = *Access::graph(graph).state;
  dump(state, program, 0, out);
  for (std::size_t i = 0; i < state.functions.size(); ++i) {
    out << "Function " << i << ":\n";
    dump(state, state.functions[i], 1, out);
  }
}

} // namespace poplar
