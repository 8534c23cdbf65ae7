// SPDX-License-Identifier: MIT
// The ir as JSON: an object with one list of nodes per graph, in running order. All values are
// strings.
#include "base/Text.hpp"
#include "ops/core/opdef.hpp"
#include "session/impl.hpp"
#include <cstdio>
#include <popart/error.hpp>

namespace popart {

namespace {

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const unsigned char c : text) {
    char code[8];
    if (c == '"' || c == '\\')
      (out += '\\') += static_cast<char>(c);
    else if (c < 0x20) {
      std::snprintf(code, sizeof code, "\\u%04x", c);
      out += code;
    } else
      out += static_cast<char>(c);
  }
  return out + "\"";
}

std::string inputsText(const ir::Graph &graph, const ir::Node &node) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == ir::none)
      continue;
    const auto &value = graph[node.inputs[i]];
    parts.push_back(base::str(
        "{\"name\":", quoted(value.name), ",\"shape\":", quoted(base::list(value.info.shape())),
        ",\"type\":", quoted(value.info.data_type_lcase()), ",\"index\":\"", i, "\"}"));
  }
  return base::list(parts);
}
std::string outputsText(const ir::Graph &graph, const ir::Node &node) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i] != ir::none)
      parts.push_back(
          base::str("{\"name\":", quoted(graph[node.outputs[i]].name), ",\"index\":\"", i, "\"}"));
  return base::list(parts);
}

// Attributes of the operator, and what the user said of its place.
std::map<std::string, std::string> attributesOf(const ir::Node &node) {
  std::map<std::string, std::string> out;
  for (const auto *all : {&node.attributes, &node.settings.extra})
    for (const auto &[name, value] : all->all())
      out[name] = ir::text(value);
  if (node.settings.virtualGraph)
    out["__ipu_number"] = std::to_string(*node.settings.virtualGraph);
  if (node.settings.pipelineStage)
    out["__pipeline_stage"] = std::to_string(*node.settings.pipelineStage);
  if (node.settings.executionPhase)
    out["__execution_phase"] = std::to_string(*node.settings.executionPhase);
  if (node.settings.recompute != ir::Recompute::Undefined)
    out["recompute"] = node.settings.recompute == ir::Recompute::Recompute ? "YES" : "NO";
  return out;
}

class Writer {
public:
  std::string write(const ir::Graph &main) {
    addGraph(main, main.name);
    return "{" + text_ + "}";
  }

private:
  void addGraph(const ir::Graph &graph, const std::string &name) {
    std::string nodes;
    std::vector<std::pair<const ir::Graph *, std::string>> bodies;
    for (const auto &node : graph.nodes) {
      nodes += (nodes.empty() ? "" : ",") + nodeText(graph, node);
      for (const auto &body : node.bodies)
        if (told_.insert(body.get()).second) // shared bodies are told once
          bodies.emplace_back(body.get(), bodyName(*body));
    }
    text_ += (text_.empty() ? "" : ",") + quoted(name) + ":[" + nodes + "]";
    for (const auto &[body, itsName] : bodies)
      addGraph(*body, itsName);
  }
  std::string bodyName(const ir::Graph &body) const {
    return base::str(body.name == "maingraph" ? "subgraph" : body.name, "/", told_.size());
  }
  std::string nodeText(const ir::Graph &graph, const ir::Node &node) {
    std::string attributes;
    for (const auto &[key, value] : attributesOf(node))
      attributes += base::str(attributes.empty() ? "" : ",", quoted(key), ":", quoted(value));
    return base::str("{\"type\":", quoted(node.def->type), ",\"name\":", quoted(node.settings.name),
                     ",\"inputs\":", inputsText(graph, node),
                     ",\"outputs\":", outputsText(graph, node), ",\"attributes\":{", attributes,
                     "}}");
  }

  std::string text_;
  std::set<const ir::Graph *> told_; // never walked
};

} // namespace

std::string Session::serializeIr(IrSerializationFormat) const {
  const auto turn = impl_->turns.look();
  return Writer().write(impl_->graph());
}

} // namespace popart
