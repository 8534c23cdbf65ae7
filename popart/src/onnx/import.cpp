// SPDX-License-Identifier: MIT
#include "onnx/import.hpp"

#include "base/Text.hpp"
#include "onnx/attributes.hpp"
#include "onnx/formals.hpp"
#include "onnx/newer.hpp"
#include "onnx/sequences.hpp"
#include "opdef/mixing.hpp"
#include "opdef/refusals.hpp"
#include <onnx/defs/schema.h>
#include <popart/error.hpp>

namespace popart::onnxmodel {

using ir::HostTensor;
using ir::Kind;
using ir::none;
using ir::Value;
using ir::Values;
using onnx::NodeProto;

namespace {

// How many outputs are asked for: up to the last that has a name.
unsigned outputsOf(const NodeProto &node) {
  int n = node.output_size();
  while (n > 0 && node.output(n - 1).empty())
    --n;
  return static_cast<unsigned>(n);
}

std::string firstOutput(const NodeProto &node) {
  for (const auto &name : node.output())
    if (!name.empty())
      return name;
  return {};
}

// `message` with node and output, unless it names them already.
std::string located(const NodeProto &node, const std::string &message) {
  const std::string output = firstOutput(node);
  std::string where;
  if (!node.name().empty() && message.find('"' + node.name() + '"') == std::string::npos)
    where += base::str("node \"", node.name(), '"');
  if (!output.empty() && message.find('"' + output + '"') == std::string::npos)
    where += base::str(where.empty() ? "" : ", ", "output \"", output, '"');
  if (message.find(node.op_type()) == std::string::npos)
    where = base::str(node.op_type(), where.empty() ? "" : ", ", where);
  return where.empty() ? message : base::str(message, " (", where, ")");
}

std::string domainName(const NodeProto &node) {
  return node.domain().empty() ? std::string("ai.onnx") : node.domain();
}

// Attributes of ONNX's Constant, one of which is given.
HostTensor constantOf(const ir::Attributes &attributes) {
  if (auto t = attributes.find<HostTensor>("value"))
    return *t;
  if (auto v = attributes.find<float>("value_float"))
    return HostTensor::of<float>({}, {*v});
  if (auto v = attributes.find<std::int64_t>("value_int"))
    return HostTensor::of<std::int64_t>({}, {*v});
  if (auto v = attributes.find<std::vector<float>>("value_floats"))
    return HostTensor::of<float>({std::int64_t(v->size())}, *v);
  if (auto v = attributes.find<ir::Integers>("value_ints"))
    return HostTensor::of<std::int64_t>({std::int64_t(v->size())}, *v);
  throw error("Constant: it must have a tensor, a number or a list of numbers as its value; texts "
              "and sparse tensors cannot be used.");
}

} // namespace

Importer::Importer(ir::Graph &graph, Opsets opsets, TensorReader reader)
    : graph_(graph), builder_(graph), opsets_(std::move(opsets)), reader_(std::move(reader)),
      root_(std::make_shared<Root>()), scopes_(1) {}
Importer::Importer(ir::Graph &graph, Importer &parent)
    : graph_(graph), builder_(graph), opsets_(parent.opsets_), reader_(parent.reader_),
      root_(parent.root_), parent_(&parent), scopes_(1) {}

Value Importer::addInput(const TensorId &id, const TensorInfo &info) {
  if (!ops::fitsAnIpu(info))
    throw error(base::str("Input \"", id, "\" is ", info, ", more than a device can hold."));
  Value v = graph_.add({id, info, parent_ ? Kind::Computed : Kind::Stream, {}});
  graph_.inputs.push_back(v);
  return publish(v, id);
}
Value Importer::addInitializer(const TensorId &id, HostTensor values, Kind kind) {
  const TensorInfo info = values.info();
  return publish(graph_.add({id, info, kind, std::move(values)}), id);
}

std::vector<std::string> Importer::visibleNames() const {
  std::vector<std::string> names;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    for (const auto &[name, value] : scope->names)
      names.push_back(name);
    if (scope->closed)
      return names;
  }
  if (parent_)
    for (auto &name : parent_->visibleNames())
      names.push_back(std::move(name));
  return names;
}

Value Importer::resolve(const TensorId &id) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (auto it = scope->names.find(id); it != scope->names.end())
      return it->second;
    if (const auto it = scope->others.find(id); it != scope->others.end())
      throw no_tensor(base::str("\"", id, "\" is ",
                                it->second.kind == Followed::Absent
                                    ? "an optional value that is not there"
                                    : "a sequence",
                                ", and compiled programs have fixed tensors: only operators of "
                                "sequences can read it, in the graph that makes it."));
    if (scope->closed)
      throw error(
          base::str("No tensor is called \"", id, "\".", base::didYouMean(id, visibleNames())));
  }
  if (parent_)
    return capture(id);
  throw error(base::str("No tensor is called \"", id, "\".", base::didYouMean(id, visibleNames())));
}

// A value of the outer graph seen in a body: constants are repeated, others become inputs.
Value Importer::capture(const TensorId &id) {
  const Value outer = parent_->resolve(id);
  const auto &value = parent_->graph_[outer];
  Value inner;
  if (value.kind == Kind::Constant)
    inner = graph_.addConstant(id, value.data);
  else {
    inner = graph_.add({id, value.info, Kind::Computed, {}});
    graph_.inputs.push_back(inner);
    captured_.push_back(outer);
  }
  named_.insert(inner);
  scopes_.front().names[id] = inner;
  return inner;
}

std::int64_t Importer::versionOf(const std::string &domain) const {
  auto it = opsets_.find(domain == "ai.onnx" ? "" : domain);
  if (it != opsets_.end())
    return it->second;
  if (domain.empty() || domain == "ai.onnx")
    throw error("The model does not say which version of ai.onnx it uses.");
  return 1;
}

Values Importer::addNode(const NodeProto &node) {
  try {
    return importNode(node);
  } catch (const std::bad_alloc &) {
    throw error(located(node, "The host has not enough memory for the node's values."));
  } catch (const internal_error &e) {
    throw internal_error(located(node, e.what()));
  } catch (const no_tensor &e) {
    throw no_tensor(located(node, e.what()));
  } catch (const ops::not_constant &e) {
    throw ops::not_constant(located(node, e.what()));
  } catch (const ops::wrong_type &e) {
    throw ops::wrong_type(located(node, e.what()));
  } catch (const error &e) {
    throw error(located(node, e.what()));
  }
}

Values Importer::importNode(const NodeProto &node) {
  const bool onnx = node.domain().empty() || node.domain() == "ai.onnx";
  if (Values made; onnx && importSequence(node, made))
    return made;
  const auto *def = definitionOf(node, versionOf(node.domain()));
  if (def && def->domain == "openipu") // what rewrites make is nothing for models
    noOperator(node);
  if (!isOwnFunction(node))
    checkFormals(node, def);
  if (onnx || node.domain() == "ai.graphcore")
    checkNumbers(node);
  if (onnx && node.op_type() == "Constant")
    return importConstant(node);
  if (onnx && node.op_type() == "If" && node.input_size() == 1) {
    const ops::ValueView condition(graph_, resolve(node.input(0)));
    if (condition.isConstant() && condition.elements() == 1)
      return inlineBranch(node, condition.data().integers().front() != 0);
  }
  if (Values made; expand(node, made))
    return made;
  if (!def)
    noOperator(node);
  if (onnx && node.op_type() == "Loop")
    return importLoop(node, *def);
  if (onnx && node.op_type() == "If")
    return importIf(node, *def);
  return importOperator(node, *def);
}

// Against the operator's definition, before anything else looks at the inputs.
void Importer::checkFormals(const NodeProto &node, const ops::OpDef *def) {
  std::vector<bool> given;
  for (const auto &name : node.input())
    given.push_back(!name.empty() && (findOther(name) || resolve(name) != none));
  while (!given.empty() && !given.back())
    given.pop_back();
  if (isNewer(node, versionOf(node.domain())))
    checkNewer(node);
  if (const auto *schema = schemaOf(node, versionOf(node.domain())))
    checkFormalsOf(*schema, node, given, outputsOf(node));
  else if (def)
    checkFormalsOf(*def, node, given, outputsOf(node));
}

Values Importer::importOperator(const NodeProto &node, const ops::OpDef &def) {
  const std::size_t firstNew = graph_.size();
  auto facts = factsOf(node, reader_);
  ir::Node out;
  out.def = &def;
  out.attributes = std::move(facts.attributes);
  out.settings = facts.settings;
  for (const auto &name : node.input())
    out.inputs.push_back(name.empty() ? none : resolve(name));
  if (root_->replicas && def.collective && !out.attributes.has("replicas"))
    out.attributes.set("replicas", root_->replicas);
  importBodies(node, out);
  builder_.settings = facts.settings;
  builder_.prefix = scopes_.back().prefix + firstOutput(node) + "/";
  ops::Importing importing(builder_, out, static_cast<unsigned>(versionOf(node.domain())),
                           outputsOf(node));
  ops::castLoneNumbers(importing);
  if (def.canonical)
    def.canonical(importing);
  auto made = builder_.append(out, importing.outputs);
  if (importing.after)
    made[0] = importing.after(builder_, made[0]);
  for (std::size_t i = 0; importing.afterEach && i < made.size(); ++i)
    made[i] = importing.afterEach(builder_, i, made[i]);
  return publishOutputs(node, made, firstNew);
}

Values Importer::importConstant(const NodeProto &node) {
  const auto facts = factsOf(node, reader_);
  const std::size_t firstNew = graph_.size();
  const Value v = graph_.addConstant(scopes_.back().prefix + firstOutput(node) + "/constant",
                                     constantOf(facts.attributes));
  return publishOutputs(node, {v}, firstNew);
}

// Under another name: a model may give one tensor two.
Value Importer::copyOf(Value v) {
  if (graph_[v].kind == Kind::Constant)
    return graph_.addConstant(graph_[v].name, graph_[v].data);
  return builder_.op("Identity", {v});
}

// Gives a value the name it has in the model. Names made on the way yield.
Value Importer::publish(Value v, const TensorId &id) {
  auto &scope = scopes_.back();
  if (!scope.names.emplace(id, v).second)
    throw error("Two tensors are called \"{}\".", id);
  const std::string name = scope.prefix + id;
  const Value holder = graph_.find(name);
  if (holder != none && holder != v) {
    if (!named_.count(holder))
      graph_.rename(holder, graph_.freeName(name));
    else if (scopes_.size() == 1 && !parent_)
      throw error("Two tensors are called \"{}\".", id);
  }
  graph_.rename(v, graph_.find(name) == v ? name : graph_.freeName(name));
  named_.insert(v);
  return v;
}

Values Importer::publishOutputs(const NodeProto &node, const Values &made, std::size_t firstNew) {
  Values out;
  std::set<Value> used;
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) {
      out.push_back(none);
      continue;
    }
    if (static_cast<std::size_t>(i) >= made.size())
      throw error(base::str(node.op_type(), ": it has ", made.size(), " outputs, not ",
                            node.output_size(), "."));
    Value v = made[static_cast<std::size_t>(i)];
    if (v == none)
      throw error(base::str(node.op_type(), ": output ", i, " is not there to be used."));
    if (v.value < firstNew || !used.insert(v).second)
      v = copyOf(v);
    out.push_back(publish(v, node.output(i)));
  }
  return out;
}

void Importer::noOperator(const NodeProto &node) const {
  const auto *schema = onnx::OpSchemaRegistry::Schema(
      node.op_type(), static_cast<int>(versionOf(node.domain())), node.domain());
  std::vector<std::string> names;
  for (const auto &op : ops::allOps())
    if (op.domain == (node.domain() == "ai.onnx" ? "" : node.domain()))
      names.push_back(op.type);
  std::string where;
  if (!node.name().empty())
    where = base::str("node \"", node.name(), "\", ");
  throw error(base::str("No operator for ", domainName(node), ".", node.op_type(), ":",
                        schema ? schema->SinceVersion() : versionOf(node.domain()), " (", where,
                        "output \"", firstOutput(node), "\").",
                        schema ? std::string() : base::didYouMean(node.op_type(), names)));
}

} // namespace popart::onnxmodel
