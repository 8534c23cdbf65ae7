// SPDX-License-Identifier: MIT
#include "session/dot.hpp"

#include "base/OutputFile.hpp"
#include "base/Text.hpp"
#include "opdef/opdef.hpp"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <popart/error.hpp>
#include <sstream>

namespace popart::session {
namespace {

const std::vector<std::string> names{"fwd0", "fwd1", "bwd0", "prealias", "final"};
// Of passes that are made otherwise here, so that there is nothing to see.
const std::vector<std::string> others{"mainloops", "explicitpipelinebeforeouter", "all"};

std::string lowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

bool has(const std::vector<std::string> &list, const std::string &name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::vector<std::string> wanted(const SessionOptions &options) {
  std::vector<std::string> out;
  for (const auto &check : options.dotChecks)
    out.push_back(lowerCase(check));
  std::istringstream text(std::getenv("POPART_DOT_CHECKS") ? std::getenv("POPART_DOT_CHECKS") : "");
  for (std::string check; std::getline(text, check, ':');)
    out.push_back(lowerCase(check));
  return out;
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + '"';
}

const char *colourOf(ir::Pass pass) {
  return pass == ir::Pass::Forward ? "blue" : pass == ir::Pass::Backward ? "red" : "darkgreen";
}

} // namespace

void checkDotOptions(const SessionOptions &options) {
  for (const auto &check : wanted(options))
    if (!has(names, check) && !has(others, check))
      throw error(base::str("dotChecks: there is no check \"", check, "\". Use ", base::list(names),
                            " or all."));
}

std::string dotText(const ir::Graph &graph, int first, int last, bool outputNames) {
  base::TextStream out;
  out << "digraph " << quoted(graph.name) << " {\nsize=\"6,6\";\n";
  std::vector<int> maker(graph.size(), -1);
  for (int i = 0; i < int(graph.nodes.size()); ++i)
    for (ir::Value v : graph.nodes[std::size_t(i)].outputs)
      if (v != ir::none)
        maker[v.value] = i;
  for (int i = std::max(first, 0); i < std::min(last, int(graph.nodes.size())); ++i) {
    const auto &node = graph.nodes[std::size_t(i)];
    auto label = base::str(node.def->type, "\n", node.settings.name);
    if (outputNames && !node.outputs.empty() && node.outputs[0] != ir::none)
      label = base::str(node.def->type, "\n", graph[node.outputs[0]].name);
    out << "n" << i << " [shape=box, color=" << colourOf(node.pass) << ", label=" << quoted(label)
        << "];\n";
    for (ir::Value v : node.inputs) {
      if (v == ir::none)
        continue;
      const auto &value = graph[v];
      const auto edge = base::str(value.name, "\n", value.info);
      if (maker[v.value] < 0)
        out << quoted(value.name) << " -> n" << i << " [label=" << quoted(edge) << "];\n";
      else if (maker[v.value] >= first)
        out << "n" << maker[v.value] << " -> n" << i << " [label=" << quoted(edge) << "];\n";
    }
  }
  out << "}\n";
  return out.str();
}

bool wantsDot(const SessionOptions &options, DotCheck check) {
  const auto list = wanted(options);
  return has(list, names[std::size_t(check)]) || has(list, "all");
}

void writeDot(const ir::Graph &graph, const SessionOptions &options, DotCheck check) {
  if (!wantsDot(options, check))
    return;
  const auto &name = names[std::size_t(check)];
  const auto folder = std::filesystem::path(options.logDir.empty() ? "." : options.logDir);
  const auto file = folder / (name + ".dot");
  try {
    base::writeWhole(file.string(),
                     dotText(graph, options.firstDotOp, options.finalDotOp, options.dotOpNames));
  } catch (const base::FileError &e) {
    throw error(base::str("The picture of the model (logDir): ", e.what()));
  }
}

} // namespace popart::session
