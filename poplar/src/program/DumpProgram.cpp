// SPDX-License-Identifier: MIT
// The program tree as indented text, with the names of compute sets, tensors, streams and
// functions.
#include "Access.hpp"
#include "base/Text.hpp"
#include "executable/ValidateSteps.hpp"
#include "poplar/Program.hpp"
#include <algorithm>
#include <ostream>

namespace poplar {

using base::str;
using program::Node;
using program::Program;
using program::Tree;
namespace steps = executable::steps;

namespace {

// What each kind is, with what it works on.
struct Headline {
  const graph::GraphState &graph;

  static std::string text(const Tensor &tensor) { return tensor.getDebugStr(); }
  static std::string both(const Tree::Moves &data) {
    return str(text(data.from), " -> ", text(data.to));
  }
  static std::string withHost(const char *what, steps::Direction way, const std::string &handle,
                              const Tree::Moves &data) {
    return way == steps::Direction::ToDevice
               ? str(what, ": \"", handle, "\" -> ", text(data.to))
               : str(what, ": ", text(data.from), " -> \"", handle, '"');
  }

  std::string operator()(const steps::Sequence<Tree> &) const { return "Sequence"; }
  std::string operator()(const steps::Execute<Tree> &s) const {
    return str("Execute: ", s.set < graph.computeSets.size() ? graph.computeSets[s.set].name : "?");
  }
  std::string operator()(const steps::Copy<Tree> &s) const { return "Copy: " + both(s.data); }
  template <steps::Direction way>
  std::string operator()(const steps::StreamCopy<Tree, way> &s) const {
    return withHost("StreamCopy", way, s.stream, s.data);
  }
  template <steps::Direction way>
  std::string operator()(const steps::RemoteCopy<Tree, way> &s) const {
    return withHost("RemoteCopy", way, s.buffer, s.data);
  }
  std::string operator()(const steps::Repeat<Tree> &s) const { return str("Repeat: ", s.count); }
  std::string operator()(const steps::RepeatWhile<Tree> &s) const {
    return str(s.wanted ? "RepeatWhileTrue: " : "RepeatWhileFalse: ", text(s.predicate));
  }
  std::string operator()(const steps::If<Tree> &s) const { return "If: " + text(s.predicate); }
  std::string operator()(const steps::Switch<Tree> &s) const {
    std::vector<std::int64_t> values;
    for (const auto &one : s.cases)
      values.push_back(one.value);
    return str("Switch: ", text(s.control), ", cases ", base::list(values));
  }
  std::string operator()(const steps::Call<Tree> &s) const {
    return str("Call: function ", s.target);
  }
  std::string operator()(const steps::HostCall<Tree> &s) const {
    return str("Call: host function \"",
               s.target < graph.hostFunctions.size() ? graph.hostFunctions[s.target].handle : "?",
               '"');
  }
  std::string operator()(const steps::Sync<Tree> &) const { return "Sync"; }
  std::string operator()(const steps::WriteUndef<Tree> &s) const {
    return "WriteUndef: " + text(s.tensor);
  }
  std::string operator()(const steps::Print<Tree> &s) const {
    return "PrintTensor: " + text(s.tensor);
  }
  std::string operator()(const steps::Error<Tree> &s) const { return "Error: " + s.message; }
  std::string operator()(const steps::Abort<Tree> &s) const {
    return s.condition ? "Abort if " + text(*s.condition) : "Abort";
  }
  std::string operator()(const steps::CrossReplicaCopy<Tree> &s) const {
    return "CrossReplicaCopy: " + both(s.data);
  }
  std::string operator()(const steps::AssumeEqual<Tree> &s) const {
    return "AssumeEqualAcrossReplicas: " + text(s.tensor);
  }
  std::string operator()(const steps::Block<Tree> &) const { return "Block"; }
  std::string operator()(const steps::Kernel<Tree> &s) const { return "Kernel: " + s.name; }
  std::string operator()(const steps::CycleStamp<Tree> &s) const {
    return str("CycleStamp: tile ", s.tile);
  }
  std::string operator()(const steps::SetFloatingPoint<Tree> &) const {
    return "SetFloatingPointBehaviour";
  }
  std::string operator()(const steps::GetSeeds<Tree> &) const { return "GetSeeds"; }
  std::string operator()(const steps::SetSeeds<Tree> &) const { return "SetSeeds"; }
};

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
    out << std::string(2 * level, ' ') << std::visit(Headline{graph}, node->kind);
    if (!node->name.empty() && !std::holds_alternative<steps::Execute<Tree>>(node->kind))
      out << " (" << node->name << ")";
    out << "\n";
    const auto first = waiting.size();
    program::EachPart parts([&, below = level + 1](const Program &part) {
      waiting.emplace_back(Access::node(part), below);
    });
    executable::describe(*node, parts);
    std::reverse(waiting.begin() + std::ptrdiff_t(first), waiting.end());
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
