// SPDX-License-Identifier: MIT
// The ir as JSON: an object with one list of nodes per graph, in running order. All values are
// strings. Operators have the vendor's names where they do the same: those that are fused into one
// program stand there one by one, those that write over an input end in Inplace, and what a
// pipeline keeps for a later stage is Stash and Restore.
#include "analysis/storage.hpp"
#include "base/Text.hpp"
#include "opdef/opdef.hpp"
#include "session/impl.hpp"
#include <cstdio>
#include <map>
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

std::string inputText(const std::string &name, const TensorInfo &info, std::size_t i) {
  return base::str("{\"name\":", quoted(name), ",\"shape\":", quoted(base::list(info.shape())),
                   ",\"type\":", quoted(info.data_type_lcase()), ",\"index\":\"", i, "\"}");
}
std::string inputsText(const ir::Graph &graph, const ir::Node &node) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i] != ir::none)
      parts.push_back(inputText(graph[node.inputs[i]].name, graph[node.inputs[i]].info, i));
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

// Add and Mul say which side they write over, as the vendor's do.
std::string typeOf(const ir::Node &node) {
  const auto &type = node.def->type;
  static const std::map<std::string, std::string> others{{"PipelineRestore", "Restore"},
                                                         {"MultiConvolution", "MultiConv"}};
  if (const auto it = others.find(type); it != others.end())
    return it->second;
  if (type == "ScatterElements" &&
      node.attributes.find<std::string>("reduction").value_or("none") != "none")
    return "ScatterReduce";
  const auto input = node.outputs.size() == 1 ? analysis::inPlaceInput(node, 0) : -1;
  if (input < 0 || type.find("Inplace") != std::string::npos)
    return type;
  if (type == "Add" || type == "Mul")
    return type + (input == 0 ? "LhsInplace" : "RhsInplace");
  return node.inputs.size() == 1 ? type + "Inplace" : type;
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
    std::set<ir::Value> kept; // for later stages of a pipeline
    for (const auto &node : graph.nodes)
      if (node.def->restores)
        kept.insert(node.inputs[0]);
    const auto add = [&](const std::string &text) { nodes += (nodes.empty() ? "" : ",") + text; };
    for (const auto &node : graph.nodes) {
      if (node.def->fused) {
        for (const auto &member : node.bodies[0]->nodes)
          add(nodeText(*node.bodies[0], member));
        continue;
      }
      if (isEpilogue(node))
        for (const auto &part : partsText(graph, node))
          add(part);
      else
        add(nodeText(graph, node));
      for (ir::Value v : node.outputs)
        if (kept.erase(v))
          add(stashText(graph, v));
      for (const auto &body : node.bodies)
        if (told_.insert(body.get()).second) // shared bodies are told once
          bodies.emplace_back(body.get(), bodyName(*body));
    }
    for (ir::Value v : kept) // what no node makes
      add(stashText(graph, v));
    text_ += (text_.empty() ? "" : ",") + quoted(name) + ":[" + nodes + "]";
    for (const auto &[body, itsName] : bodies)
      addGraph(*body, itsName);
  }
  std::string bodyName(const ir::Graph &body) const {
    return base::str(body.name == "maingraph" ? "subgraph" : body.name, "/", told_.size());
  }
  static std::string stashText(const ir::Graph &graph, ir::Value v) {
    ir::Node stash;
    stash.inputs = {v};
    return base::str("{\"type\":\"Stash\",\"name\":\"\",\"inputs\":", inputsText(graph, stash),
                     ",\"outputs\":[{\"name\":", quoted("Stashed___" + graph[v].name),
                     ",\"index\":\"0\"}],\"attributes\":{}}");
  }
  std::string nodeText(const ir::Graph &graph, const ir::Node &node) {
    return text(typeOf(node), node, inputsText(graph, node), outputsText(graph, node));
  }
  static std::string text(const std::string &type, const ir::Node &node, const std::string &inputs,
                          const std::string &outputs) {
    std::string attributes;
    for (const auto &[key, value] : attributesOf(node))
      attributes += base::str(attributes.empty() ? "" : ",", quoted(key), ":", quoted(value));
    return base::str("{\"type\":", quoted(type), ",\"name\":", quoted(node.settings.name),
                     ",\"inputs\":", inputs, ",\"outputs\":", outputs, ",\"attributes\":{",
                     attributes, "}}");
  }

  // A product or convolution that takes along what followed it: the operators that it was made of.
  static bool isEpilogue(const ir::Node &node) { return node.def->type.starts_with("Epilogue"); }
  static std::vector<std::string> partsText(const ir::Graph &graph, ir::Node node) {
    std::vector<std::pair<std::string, ir::Value>> parts{{node.def->type.substr(8), ir::none}};
    for (std::size_t i = 2; i < node.inputs.size(); ++i)
      if (node.inputs[i] != ir::none)
        parts.emplace_back("Add", node.inputs[i]);
    if (const auto activation = node.attributes.find<std::string>("activation").value_or("");
        !activation.empty())
      parts.emplace_back(activation, ir::none);
    node.attributes.erase("activation");
    node.inputs.resize(2);
    const auto &result = graph[node.outputs[0]];
    std::vector<std::string> out;
    std::string made;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto &[type, operand] = parts[i];
      std::vector<std::string> inputs{inputText(made, result.info, 0)};
      if (operand != ir::none)
        inputs.push_back(inputText(graph[operand].name, graph[operand].info, 1));
      made = i + 1 == parts.size() ? result.name : base::str(result.name, "/", i, "/", type);
      out.push_back(text(type, node, i ? base::list(inputs) : inputsText(graph, node),
                         base::str("[{\"name\":", quoted(made), ",\"index\":\"0\"}]")));
      node.attributes = {};
    }
    return out;
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
