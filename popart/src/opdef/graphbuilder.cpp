// SPDX-License-Identifier: MIT
#include "opdef/graphbuilder.hpp"

#include "base/CheckedSize.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart::ops {

namespace {

constexpr std::int64_t foldedElements = 1 << 20; // larger constants are computed on the device

void checkArity(const ir::Graph &graph, const ir::Node &node, unsigned outputs) {
  const auto &def = *node.def;
  if (node.inputs.size() < def.in.min || node.inputs.size() > def.in.max)
    throw error(base::str(describe(graph, node), ": ", node.inputs.size(),
                          " inputs given; it takes ", def.in.min,
                          def.in.max == def.in.min ? std::string()
                          : def.in.max == any      ? std::string(" or more")
                                                   : base::str(" to ", def.in.max),
                          "."));
  if (outputs < def.out.min || outputs > def.out.max)
    throw error(base::str(
        describe(graph, node), ": ", outputs, " outputs asked for; it has ", def.out.min,
        def.out.max == def.out.min ? std::string() : base::str(" to ", def.out.max), "."));
  for (std::size_t i = 0; i < def.in.min; ++i)
    if (node.inputs[i] == none)
      throw error(base::str(describe(graph, node), ": input ", i, " may not be left out."));
}

// Shapes come from models: one that overflows or is absurd must not get further.
void checkSizes(const OpView &op, const Infos &infos) {
  for (const auto &info : infos)
    if (!fitsAnIpu(info))
      op.fail("its output would be ", info, ", more than a device can hold.");
}

bool canFold(const ir::Graph &graph, const ir::Node &node, const Infos &infos) {
  if (!node.def->fold || node.def->random || node.def->sideEffect)
    return false;
  if ((node.def->lower || node.def->expr) &&
      std::any_of(infos.begin(), infos.end(),
                  [](const TensorInfo &info) { return info.nelms() > foldedElements; }))
    return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](Value v) {
    return v == none ||
           (graph[v].kind == ir::Kind::Constant && graph[v].info.nelms() <= foldedElements);
  });
}

// A number for the random generator that hardly any other node of its graph has: a hash of its
// name. It becomes part of the node, so that the gradient and recomputed copies draw the same.
// Bodies have their own seeds.
std::int64_t modifierFor(const ir::Graph &graph, Value output) {
  std::uint32_t hash = 2166136261u;
  for (char c : graph[output].name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

} // namespace

bool drawsNumbers(const ir::Node &node) {
  const auto draws = [](const auto &body) {
    return std::any_of(body->nodes.begin(), body->nodes.end(), drawsNumbers);
  };
  return node.def->random || std::any_of(node.bodies.begin(), node.bodies.end(), draws);
}

bool fitsAnIpu(const TensorInfo &info) {
  constexpr std::uint64_t mostBytes = std::uint64_t(1) << 32;
  const auto bytes = std::max<std::uint64_t>(bytesOf(info.dataType()), 1);
  return base::checkedElements(info.shape(), mostBytes / bytes).has_value();
}

void requireFewNumbers(const OpView &op, double count) {
  constexpr double most = 1 << 25;
  if (!(count <= most))
    op.fail("it would make ", count, " numbers, more than ", most, ", when the model is compiled.");
}

Value addUnfolded(ir::Graph &graph, std::vector<ir::Node> &nodes, const char *type,
                  const Values &inputs, const Attributes &attributes, const ir::Settings &settings,
                  const std::string &name) {
  ir::Node node;
  node.def = &opOf(type);
  node.inputs = inputs;
  node.attributes = attributes;
  node.settings = settings;
  const auto info = node.def->infer(OpView(graph, node))[0];
  node.outputs = {graph.add({name, info, ir::Kind::Computed, {}})};
  nodes.push_back(std::move(node));
  return nodes.back().outputs[0];
}

Values GraphBuilder::ops(const std::string &type, const Values &inputs, unsigned outputs,
                         Attributes attributes) {
  ir::Node node;
  node.def = &opOf(type);
  node.inputs = inputs;
  node.attributes = std::move(attributes);
  return append(std::move(node), outputs);
}

Values GraphBuilder::append(ir::Node node, unsigned outputs) {
  node.settings = settings;
  node.pass = pass;
  while (!node.inputs.empty() && node.inputs.back() == none)
    node.inputs.pop_back();
  checkArity(graph_, node, outputs);
  node.outputs.clear();
  const OpView view(graph_, node);
  if (node.def->decompose)
    return node.def->decompose(*this, view);
  const auto infos = node.def->infer(view);
  if (infos.size() < outputs)
    view.fail("it has ", infos.size(), " outputs here, ", outputs, " are asked for.");
  checkSizes(view, infos);
  std::vector<HostTensor> folded;
  if (canFold(graph_, node, infos))
    folded = node.def->fold(view);
  for (unsigned i = 0; i < outputs; ++i) {
    ir::ValueData value{
        base::str(prefix, node.def->type, ':', i), infos[i], ir::Kind::Computed, {}};
    if (i < folded.size()) {
      value.kind = ir::Kind::Constant;
      value.data = folded[i];
    }
    node.outputs.push_back(graph_.add(std::move(value)));
  }
  if (drawsNumbers(node) && !node.attributes.has("seedModifier") && !node.outputs.empty())
    node.attributes.set("seedModifier", modifierFor(graph_, node.outputs[0]));
  const Values made = node.outputs;
  if (folded.empty())
    nodes_.push_back(std::move(node));
  return made;
}

Value GraphBuilder::constant(HostTensor data, const std::string &name) {
  return graph_.addConstant(prefix + name, std::move(data));
}
const HostTensor *GraphBuilder::valuesOf(Value v) const {
  const auto &value = graph_[v];
  return value.kind == ir::Kind::Constant ? &value.data : nullptr;
}

Value GradBuilder::unbroadcast(Value gradient, Value forward) {
  if (gradient == none)
    return none;
  const Shape from = shape(gradient), to = shape(forward);
  if (from == to)
    return gradient;
  const std::size_t extra = from.size() - to.size();
  Integers axes;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (i < extra || (to[i - extra] == 1 && from[i] != 1))
      axes.push_back(static_cast<std::int64_t>(i));
  return reshape(reduceSum(gradient, axes, false), to);
}

Shape broadcast(const OpView &op, const Shape &a, const Shape &b) {
  Shape out(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      op.fail("shapes ", ir::text(a), " and ", ir::text(b), " do not broadcast: dimension ",
              out.size() - 1 - i, " is ", x, " and ", y, ". Make them equal, or one of them 1.");
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

} // namespace popart::ops
