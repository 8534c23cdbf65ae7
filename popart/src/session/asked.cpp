// SPDX-License-Identifier: MIT
// What users ask a model for by name.
#include "session/preparation.hpp"

#include "base/Text.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart::session {

using ir::Kind;
using ir::Value;

std::set<Value> anchoredGradients(const ir::Graph &graph, const DataFlow &flow) {
  std::set<Value> out;
  for (const auto &id : flow.anchors())
    if (id.rfind(gradientPrefix, 0) == 0)
      if (const Value v = graph.find(id.substr(std::string(gradientPrefix).size())); v != ir::none)
        out.insert(v);
  return out;
}

void findAnchors(Preparation &p) {
  const auto &graph = p.graph();
  auto &model = p.model();
  p.kept.clear();
  for (const auto &id : model.flow.anchors()) {
    const auto it = p.names.find(id);
    const Value v = it != p.names.end() ? it->second : graph.find(id);
    if (v == ir::none) {
      std::vector<std::string> known;
      for (std::uint32_t i = 0; i < graph.size(); ++i)
        known.push_back(graph[Value{i}].name);
      throw error(base::str("Anchor tensor `", id, "' not in Ir Tensors.",
                            id.rfind(gradientPrefix, 0) == 0
                                ? " No gradient reaches that tensor from the loss."
                                : base::didYouMean(id, known)));
    }
    model.anchors[id] = v;
    p.kept.insert(v);
  }
}

std::set<Value> askedFor(const Preparation &p) {
  std::set<Value> out = anchoredGradients(p.graph(), p.request.flow);
  for (const auto &id : p.request.flow.anchors())
    if (const Value v = p.graph().find(id); v != ir::none)
      out.insert(v);
  if (const Value v = p.graph().find(p.request.loss); v != ir::none)
    out.insert(v);
  return out;
}

bool anchorsVariables(const lowering::Model &model) {
  return std::any_of(model.anchors.begin(), model.anchors.end(), [&](const auto &anchor) {
    return model.graph[anchor.second].kind == Kind::Variable;
  });
}

} // namespace popart::session
