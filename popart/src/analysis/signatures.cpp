// SPDX-License-Identifier: MIT
#include "analysis/signatures.hpp"

#include "base/Text.hpp"
#include "ir/held.hpp"
#include "opdef/opdef.hpp"
#include <unordered_map>

namespace popart::analysis {

using ir::Graph;
using ir::Kind;
using ir::Node;
using ir::none;
using ir::Value;

namespace {

void addAttributes(std::string &key, const ir::Attributes &attributes) {
  for (const auto &[name, value] : attributes.all())
    if (name != "seedModifier")
      key += base::str('/', name, '=', value.index(), ':', text(value));
}
void addInfo(std::string &key, const ir::ValueData &value) {
  key += base::str(int(value.info.dataType()));
  for (auto d : value.info.shape())
    key += base::str('x', d);
}
void addValue(std::string &key, const ir::ValueData &value) {
  // Whether the host sent it or a node made it is the same to the code.
  const Kind kind = value.kind == Kind::Stream ? Kind::Computed : value.kind;
  key += base::str(',', int(kind), ':');
  addInfo(key, value);
  // Small constants are part of the program.
  if (value.kind == Kind::Constant && !ir::isHeld(value))
    key.append(static_cast<const char *>(value.data.data()), value.data.bytes());
}

void addBody(std::string &key, const Graph &body);
void addNode(std::string &key, const Graph &graph, const Node &node) {
  key += base::str(node.def->domain, '.', node.def->type);
  addAttributes(key, node.attributes);
  addAttributes(key, node.settings.extra);
  for (Value v : node.inputs) {
    if (v == none)
      key += ",-";
    else
      addValue(key, graph[v]);
  }
  for (Value v : node.outputs) {
    key += '>';
    if (v != none)
      addInfo(key, graph[v]);
  }
  for (const auto &body : node.bodies)
    addBody(key, *body);
}
// Here the values count as well, by their numbers.
void addBody(std::string &key, const Graph &body) {
  key += '{';
  for (const auto &node : body.nodes) {
    addNode(key, body, node);
    for (const auto *list : {&node.inputs, &node.outputs})
      for (Value v : *list)
        key += base::str(' ', v.value);
  }
  for (const auto *list : {&body.inputs, &body.outputs})
    for (Value v : *list)
      key += base::str(';', v.value);
  key += '}';
}

} // namespace

std::vector<std::uint32_t> signatures(const Graph &graph) {
  std::unordered_map<std::string, std::uint32_t> known;
  std::vector<std::uint32_t> out;
  for (const Node &node : graph.nodes) {
    const auto pass = ir::isOfForward(node) ? ir::Pass::Forward : node.pass;
    std::string key = base::str(int(pass), '/', node.settings.virtualGraph.value_or(-1), '/',
                                node.settings.pipelineStage.value_or(-1), '/');
    addNode(key, graph, node);
    out.push_back(known.emplace(std::move(key), std::uint32_t(known.size())).first->second);
  }
  return out;
}

} // namespace popart::analysis
