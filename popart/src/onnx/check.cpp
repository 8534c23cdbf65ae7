// SPDX-License-Identifier: MIT
#include "onnx/check.hpp"

#include "base/Text.hpp"
#include "onnx/newer.hpp"
#include <algorithm>
#include <array>
#include <onnx/checker.h>
#include <popart/error.hpp>
#include <set>

namespace popart::onnxmodel {

using onnx::ModelProto;
using onnx::NodeProto;

namespace {

// A name that contains one of these anywhere is refused.
constexpr std::array reserved{"Gradient___",
                              "UpdatedVar___",
                              "Accum___",
                              "Accl___",
                              "Accl1___",
                              "Accl2___",
                              "Accl3___",
                              "Step___",
                              "Counter___",
                              "AcclIntoReduce___",
                              "AcclIntoUpdate___",
                              "AcclOutOfAcclUpdate___",
                              "FinalReducedGradient___",
                              "AdamUpdater___",
                              "AdaptiveUpdater___",
                              "LambR1Sq___",
                              "LambR2Sq___",
                              "lossScaling_",
                              "AutomaticLossScaleProxy___",
                              "Stashed___",
                              "Restored___",
                              "randomSeed___",
                              "randomSeedModifier___",
                              "RemoteArg___",
                              "anchorSum___",
                              "anchorFinal___",
                              "cycleCount___",
                              "ConcatInit___",
                              "ConstValue___",
                              "GlobalNorm___",
                              "Index___",
                              "Init___",
                              "Iterator___",
                              "LoopCond___",
                              "___default___",
                              "___specific___"};

// Line breaks of the checker's messages become blanks.
std::string oneLine(const std::string &text) {
  std::string out;
  for (char c : text) {
    const bool blank = c == '\n' || c == ' ' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == '.'))
    out.pop_back();
  return out + ".";
}

// The checker prints a warning for operators whose type was experimental in ONNX once, even in
// another domain. It gets to see them under another name.
bool wasExperimental(const NodeProto &node) {
  static const std::set<std::string> types{"ATen",
                                           "Affine",
                                           "ConstantFill",
                                           "Crop",
                                           "DynamicSlice",
                                           "GRUUnit",
                                           "GivenTensorFill",
                                           "ImageScaler",
                                           "ParametricSoftplus",
                                           "Scale",
                                           "ScaledTanh"};
  return !node.domain().empty() && node.domain() != "ai.onnx" && types.count(node.op_type());
}
bool hasOnceExperimental(const onnx::GraphProto &graph) {
  return std::any_of(graph.node().begin(), graph.node().end(), [](const NodeProto &node) {
    return wasExperimental(node) ||
           std::any_of(node.attribute().begin(), node.attribute().end(),
                       [](const auto &a) { return a.has_g() && hasOnceExperimental(a.g()); });
  });
}
void renameOnceExperimental(onnx::GraphProto &graph) {
  for (auto &node : *graph.mutable_node()) {
    for (auto &a : *node.mutable_attribute())
      if (a.has_g())
        renameOnceExperimental(*a.mutable_g());
    if (wasExperimental(node))
      node.set_op_type("Custom" + node.op_type());
  }
}
// Which ONNX has not: our own reader knows what may be read.
bool hasAbsoluteData(const onnx::TensorProto &tensor) {
  const auto &entries = tensor.external_data();
  return isExternal(tensor) && std::any_of(entries.begin(), entries.end(), [](const auto &entry) {
           return entry.key() == "location" && entry.value().rfind('/', 0) == 0;
         });
}
// A copy with the types renamed and, since it is only looked at, without the values of
// initialisers, which are checked one by one instead.
onnx::GraphProto renamed(const onnx::GraphProto &graph,
                         const onnx::checker::CheckerContext &context) {
  onnx::GraphProto copy;
  copy.set_name(graph.name());
  *copy.mutable_node() = graph.node();
  *copy.mutable_input() = graph.input();
  *copy.mutable_output() = graph.output();
  std::set<std::string> inputs;
  for (const auto &input : graph.input())
    inputs.insert(input.name());
  for (const auto &tensor : graph.initializer()) {
    if (!hasAbsoluteData(tensor))
      onnx::checker::check_tensor(tensor, context);
    if (inputs.count(tensor.name()))
      continue;
    auto *input = copy.add_input();
    input->set_name(tensor.name());
    auto *type = input->mutable_type()->mutable_tensor_type();
    type->set_elem_type(tensor.data_type());
    for (auto d : tensor.dims())
      type->mutable_shape()->add_dim()->set_dim_value(d);
    type->mutable_shape();
  }
  renameOnceExperimental(copy);
  return copy;
}

// Builders do not know the types of what Call, If, Loop and Scan make, and say nothing of them; the
// import finds them out.
bool hasUntypedOutputs(const onnx::GraphProto &graph) {
  return std::any_of(graph.output().begin(), graph.output().end(),
                     [](const auto &output) { return !output.has_type(); });
}
void setMissingTypes(onnx::GraphProto &graph) {
  for (auto &output : *graph.mutable_output())
    if (!output.has_type()) {
      auto *type = output.mutable_type()->mutable_tensor_type();
      type->set_elem_type(onnx::TensorProto::FLOAT);
      type->mutable_shape();
    }
}

void runChecker(const ModelProto &model, const std::filesystem::path &folder) {
  if (hasUntypedOutputs(model.graph())) {
    ModelProto copy = model;
    setMissingTypes(*copy.mutable_graph());
    return runChecker(copy, folder);
  }
  try {
    if (model.ir_version() < 1)
      throw error("its IR version {} is below 1", model.ir_version());
    // Files of a newer ONNX have fields that are not read here; what operators mean is the opset's.
    const int version = int(std::min<std::int64_t>(model.ir_version(), onnx::Version::IR_VERSION));
    onnx::checker::CheckerContext context;
    context.set_ir_version(version);
    context.set_model_dir(folder.empty() ? "." : folder.string());
    std::unordered_map<std::string, int> imports;
    for (const auto &opset : model.opset_import())
      imports[opset.domain() == "ai.onnx" ? "" : opset.domain()] =
          static_cast<int>(opset.version());
    context.set_opset_imports(imports);
    onnx::checker::LexicalScopeContext names;
    const auto &tensors = model.graph().initializer();
    if (hasOnceExperimental(model.graph()) ||
        std::any_of(tensors.begin(), tensors.end(), hasAbsoluteData))
      onnx::checker::check_graph(renamed(model.graph(), context), context, names);
    else
      onnx::checker::check_graph(model.graph(), context, names);
    if (version >= 8)
      onnx::checker::check_model_local_functions(model, context, names);
  } catch (const std::exception &e) {
    throw error(base::str("The ONNX checker refuses the model \"", model.graph().name(),
                          "\": ", oneLine(e.what())));
  }
}

// ONNX withdrew the operator at or before this version of its domain.
bool isWithdrawn(const NodeProto &node, int version) {
  if (!node.domain().empty() && node.domain() != "ai.onnx")
    return false;
  const auto *schema = onnx::OpSchemaRegistry::Schema(node.op_type(), version, "");
  return schema && schema->Deprecated();
}

// Of a version that the library does not know: the import says that there is no such operator.
bool isUnknown(const NodeProto &node, int version) {
  return version > libraryOpset && (node.domain().empty() || node.domain() == "ai.onnx") &&
         !onnx::OpSchemaRegistry::Schema(node.op_type(), version, "");
}

// Resize with inputs left out before version 13 or attributes of version 11 before that, which the
// vendor reads.
bool isLenientResize(const NodeProto &node) {
  if (node.op_type() != "Resize" || !node.domain().empty())
    return false;
  const bool leftOut = node.input_size() > 2 && (node.input(1).empty() || node.input(2).empty());
  return leftOut || (node.input_size() == 2 && node.attribute_size() > 1);
}
bool hasNothing(const NodeProto &node) { return !node.input_size() && !node.output_size(); }

// Nodes that the checker need not see: withdrawn ones, if that is allowed, those that it does not
// know yet, and what we take though ONNX does not.
struct Hidden {
  int version;
  bool withdrawn;
  bool operator()(const NodeProto &node) const {
    return (withdrawn && isWithdrawn(node, version)) || isLenientResize(node) ||
           isNewer(node, version) || isUnknown(node, version) || hasNothing(node);
  }
};

bool hasHidden(const onnx::GraphProto &graph, const Hidden &hidden) {
  return std::any_of(graph.node().begin(), graph.node().end(), [&](const NodeProto &node) {
    return hidden(node) ||
           std::any_of(node.attribute().begin(), node.attribute().end(),
                       [&](const auto &a) { return a.has_g() && hasHidden(a.g(), hidden); });
  });
}

// In a copy that only the checker sees: they get a domain it knows nothing of, or go.
void hide(onnx::GraphProto &graph, const Hidden &hidden, const std::string &domain) {
  auto &nodes = *graph.mutable_node();
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(), hasNothing), nodes.end());
  for (auto &node : nodes) {
    for (auto &a : *node.mutable_attribute())
      if (a.has_g())
        hide(*a.mutable_g(), hidden, domain);
    if (hidden(node))
      node.set_domain(domain);
  }
}
void runLenientChecker(const ModelProto &model, const std::filesystem::path &folder,
                       const Hidden &hidden) {
  ModelProto copy = model;
  auto *opset = copy.add_opset_import();
  opset->set_domain("openipu.hidden");
  opset->set_version(1);
  hide(*copy.mutable_graph(), hidden, opset->domain());
  runChecker(copy, folder);
}

void checkNames(const onnx::GraphProto &graph) {
  std::set<TensorId> initialised, inputs;
  for (const auto &tensor : graph.initializer())
    initialised.insert(tensor.name());
  for (const auto &input : graph.input()) {
    if (!inputs.insert(input.name()).second)
      throw error("The model has two inputs called \"{}\".", input.name());
    if (!initialised.count(input.name()))
      refuseReservedName(input.name());
  }
  for (const auto &node : graph.node())
    for (const auto &output : node.output())
      refuseReservedName(output);
}

} // namespace

void refuseReservedName(const TensorId &id) {
  for (const char *name : reserved)
    if (id.find(name) != std::string::npos)
      throw error(base::str("Tensor \"", id, "\" has \"", name,
                            "\" in its name, which is reserved. Rename it."));
}

// Operators that are the same in `version` and in the oldest opset we take need no conversion.
static void requireUnchanged(const onnx::GraphProto &graph, std::int64_t version) {
  for (const auto &node : graph.node()) {
    for (const auto &a : node.attribute())
      if (a.has_g())
        requireUnchanged(a.g(), version);
    if (!node.domain().empty() && node.domain() != "ai.onnx")
      continue;
    const auto *then = onnx::OpSchemaRegistry::Schema(node.op_type(), int(version), "");
    const auto *now = onnx::OpSchemaRegistry::Schema(node.op_type(), int(oldestOpset), "");
    if (!then || !now || then->SinceVersion() != now->SinceVersion())
      throw error(
          "The model uses version {} of ai.onnx, in which {} is not the operator that it is "
          "in version {}; {} to {} are supported. Convert it with onnx.version_converter.",
          version, node.op_type(), oldestOpset, oldestOpset, newestOpset);
  }
}

Importer::Opsets opsetsOf(const ModelProto &model) {
  Importer::Opsets out;
  for (const auto &opset : model.opset_import())
    out[opset.domain() == "ai.onnx" ? "" : opset.domain()] = opset.version();
  const auto onnx = out.find("");
  if (onnx == out.end())
    return out;
  if (onnx->second < 1 || onnx->second > newestOpset)
    throw error("The model uses version {} of ai.onnx; {} to {} are supported. Convert it with "
                "onnx.version_converter.",
                onnx->second, oldestOpset, newestOpset);
  if (onnx->second < oldestOpset)
    requireUnchanged(model.graph(), onnx->second);
  onnx->second = std::max(onnx->second, oldestOpset);
  return out;
}

void checkModel(const ModelProto &model, const std::filesystem::path &folder, bool strict) {
  const auto opsets = opsetsOf(model);
  const Hidden hidden{opsets.count("") ? int(opsets.at("")) : int(newestOpset), !strict};
  if (hasHidden(model.graph(), hidden))
    runLenientChecker(model, folder, hidden);
  else
    runChecker(model, folder);
  checkNames(model.graph());
}

} // namespace popart::onnxmodel
