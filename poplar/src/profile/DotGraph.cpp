// SPDX-License-Identifier: MIT
#include "profile/DotGraph.hpp"
#include "base/Text.hpp"
#include "profile/LowerPrograms.hpp"
#include "profile/StepVariables.hpp"
#include <ostream>
#include <set>

namespace poplar::profile {

using codelet::FieldDirection;
using executable::Image;

namespace {

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

void writeVariable(std::ostream &out, const Image &image, std::size_t i) {
  const auto &v = image.variables[i];
  out << "  v" << i << " [shape=box, label="
      << quoted(base::str(v.name.empty() ? "<anonymous>" : v.name, " ", spelling(v.type),
                          base::list(v.shape)))
      << "];\n";
}

// One arrow for each variable that a field touches.
void writeField(std::ostream &out, const Image &image, std::uint32_t vertex, std::size_t field) {
  const auto &info = image.vertexType(vertex).fields[field];
  std::set<std::uint32_t> vars;
  addVariables(image, image.slots[image.vertices[vertex].firstSlot + field], vars);
  for (auto var : vars) {
    const auto label = base::str(" [label=", quoted(info.name), "];\n");
    if (info.direction != FieldDirection::Output)
      out << "  v" << var << " -> x" << vertex << label;
    if (info.direction == FieldDirection::Output || info.direction == FieldDirection::InOut)
      out << "  x" << vertex << " -> v" << var << label;
  }
}

std::string labelOf(const LoweredProgram &program) {
  const auto type = pva::toString(program.type);
  return program.name.empty() ? type : type + ": " + program.name;
}

} // namespace

void writeVertexGraph(std::ostream &out, const Image &image) {
  out << "digraph vertices {\n";
  for (std::size_t i = 0; i < image.variables.size(); ++i)
    writeVariable(out, image, i);
  for (std::size_t set = 0; set < image.computeSets.size(); ++set) {
    out << "  subgraph cluster_" << set << " {\n    label=" << quoted(image.computeSets[set].name)
        << ";\n";
    for (auto id : image.computeSets[set].vertices)
      out << "    x" << id << " [label="
          << quoted(base::str(image.vertexType(id).name, " on tile ", image.vertices[id].tile))
          << "];\n";
    out << "  }\n";
  }
  for (std::uint32_t id = 0; id < image.vertices.size(); ++id)
    for (std::size_t field = 0; field < image.vertexType(id).fields.size(); ++field)
      writeField(out, image, id, field);
  out << "}\n";
}

void writeComputeGraph(std::ostream &out, const Image &image) {
  const auto lowered = lowerPrograms(image, nullptr);
  StepVariables variablesOf(image);
  std::set<std::uint32_t> shown;
  out << "digraph programs {\n";
  for (std::size_t i = 0; i < lowered.programs.size(); ++i) {
    const auto &program = lowered.programs[i];
    out << "  p" << i << " [label=" << quoted(labelOf(program)) << "];\n";
    for (std::size_t c = 0; c < program.children.size(); ++c)
      out << "  p" << i << " -> p" << program.children[c] << " [label=" << c << "];\n";
    if (!program.isMain)
      continue;
    for (auto var : variablesOf(image.steps[program.step])) {
      if (shown.insert(var).second)
        writeVariable(out, image, var);
      out << "  p" << i << " -> v" << var << " [style=dashed, dir=none];\n";
    }
  }
  out << "}\n";
}

} // namespace poplar::profile
