// SPDX-License-Identifier: MIT
#include "opdef/validate.hpp"

#include "base/Text.hpp"
#include "opdef/opdef.hpp"
#include <popart/error.hpp>

namespace popart::ir {

namespace {

class Validator {
public:
  explicit Validator(const Graph &graph) : graph_(graph), there_(graph.size()) {
    for (std::uint32_t i = 0; i < graph.size(); ++i)
      there_[i] = graph[Value{i}].kind != Kind::Computed;
  }

  void nodes() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto &node = graph_.nodes[n];
      node_ = n;
      if (!node.def)
        wrong("has no operator");
      for (Value v : node.inputs)
        if (v != none)
          reads(v);
      for (Value v : node.outputs)
        if (v != none)
          makes(v);
      for (const auto &body : node.bodies)
        checkBody(body.get());
    }
  }

  void body() {
    for (Value v : graph_.inputs)
      there_.at(v.value) = true;
    nodes();
    for (Value v : graph_.outputs)
      if (v != none && !there_.at(v.value))
        throw error(base::str("The body \"", graph_.name, "\" hands out \"", graph_[v].name,
                              "\", which no node makes."));
  }

private:
  template <class... Parts> [[noreturn]] void wrong(const Parts &...parts) const {
    const auto &node = graph_.nodes[node_];
    throw error(base::str("Node ", node_, " of \"", graph_.name, "\", ",
                          node.def ? node.def->type : "?", ", ", parts..., "."));
  }
  void known(Value v) const {
    if (v.value >= graph_.size())
      wrong("has value ", v.value, " of ", graph_.size());
  }
  void reads(Value v) const {
    known(v);
    if (!there_[v.value])
      wrong("reads \"", graph_[v].name, "\" before it is made");
  }
  void makes(Value v) {
    known(v);
    if (there_[v.value])
      wrong("makes \"", graph_[v].name, "\", which is there already");
    there_[v.value] = true;
  }
  void checkBody(const Graph *body) const {
    if (!body)
      wrong("has a body that is missing");
    Validator(*body).body();
  }

  const Graph &graph_;
  std::vector<bool> there_; // by value
  std::size_t node_ = 0;
};

} // namespace

void validate(const Graph &graph) { Validator(graph).nodes(); }

} // namespace popart::ir
