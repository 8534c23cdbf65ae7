// SPDX-License-Identifier: MIT
// Writes the Builder's operator methods from ONNX's own definitions: one class per opset from 6 to
// 17, each adding to the one before what is new or has other attributes.
//
//   openipu-opsets header FILE | graphcore FILE | operators FILE | source FILE | python FILE
#include "docs.hpp"
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

namespace {

constexpr int first = 6, last = 17;

struct Attribute {
  std::string name;     // in ONNX
  std::string argument; // in C++
  std::string type;     // of the argument
  std::string value;    // default; empty: required
  std::string pythonValue;
};
struct Method {
  std::string op, name;
  bool list = false;       // returns several ids
  bool numOutputs = false; // the caller says how many
  unsigned outputs = 1;
  std::vector<Attribute> attributes;
  bool inputs = true;               // takes tensors
  bool optionalInputs = false;      // or none
  std::size_t attributesBefore = 0; // of the debug context; most have it last
  std::string doc;
  std::string signature() const {
    std::string out = std::to_string(list) + std::to_string(numOutputs) + std::to_string(outputs);
    for (const auto &a : attributes)
      out += a.type + a.argument + a.value;
    return out;
  }
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string methodName(const std::string &op) {
  const std::string name = lower(op);
  static const std::set<std::string> keywords = {"and", "or", "not", "xor", "if"};
  return keywords.count(name) ? "logical_" + name : name;
}

std::string number(float value) {
  std::ostringstream out;
  out.precision(17);
  out << value;
  auto text = out.str();
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// nonstd::optional where ONNX has neither a default nor a demand; lists are empty instead, except
// where an empty list has a meaning of its own.
Attribute convert(const std::string &op, const onnx::OpSchema::Attribute &from) {
  using Proto = onnx::AttributeProto;
  Attribute a{from.name, from.name, "", "", ""};
  const auto &value = from.default_value;
  const bool given = value.has_name() || value.has_type();
  const auto choose = [&](const std::string &type, const std::string &cpp,
                          const std::string &python) {
    if (from.required)
      a.type = type;
    else if (given)
      a.type = type, a.value = cpp, a.pythonValue = python;
    else
      a.type = "const nonstd::optional<" + type + "> &",
      a.value = "nonstd::optional<" + type + ">()", a.pythonValue = "py::none()";
  };
  const auto chooseList = [&](const std::string &element) {
    const std::string list = "std::vector<" + element + ">";
    if (from.required)
      a.type = "const " + list + " &";
    else if (op.rfind("Reduce", 0) == 0)
      a.type = "const nonstd::optional<" + list + "> &",
      a.value = "nonstd::optional<" + list + ">()", a.pythonValue = "py::none()";
    else
      a.type = "const " + list + " &", a.value = list + "()", a.pythonValue = list + "()";
  };
  if (op == "Cast" && from.name == "to") { // by name, as the vendor has it
    a.type = "const std::string &";
    return a;
  }
  switch (from.type) {
  case Proto::INT:
    choose("std::int64_t", std::to_string(value.i()),
           "std::int64_t(" + std::to_string(value.i()) + ")");
    break;
  case Proto::FLOAT:
    choose("float", number(value.f()) + "f", number(value.f()) + "f");
    break;
  case Proto::STRING:
    choose("std::string", "\"" + value.s() + "\"", "\"" + value.s() + "\"");
    if (a.type == "std::string")
      a.type = "const std::string &";
    break;
  case Proto::INTS:
    chooseList("std::int64_t");
    break;
  case Proto::FLOATS:
    chooseList("float");
    break;
  case Proto::STRINGS:
    chooseList("std::string");
    break;
  case Proto::TENSOR:
    a.type = "const ConstVoidData &";
    break;
  case Proto::GRAPH:
    a.type = "const Builder &";
    break;
  default:
    a.type = ""; // cannot be said through the Builder
  }
  return a;
}

Method method(const onnx::OpSchema &schema) {
  Method m;
  m.op = schema.Name();
  m.name = methodName(schema.Name());
  m.doc = documentation(schema);
  m.list = schema.max_output() > 1;
  m.numOutputs = m.list && schema.min_output() != schema.max_output();
  m.outputs = static_cast<unsigned>(std::min(schema.max_output(), 16));
  std::vector<Attribute> optional;
  for (const auto &[name, attribute] : schema.attributes()) {
    if (name == "auto_pad")
      continue; // the vendor's Builder takes pads
    auto a = convert(m.op, attribute);
    if (m.op == "Constant" && name != "value")
      continue;
    if (a.type.empty())
      continue;
    (a.value.empty() ? m.attributes : optional).push_back(a);
  }
  if (m.op == "Constant")
    for (auto &a : m.attributes)
      a.value.clear();
  m.attributes.insert(m.attributes.end(), optional.begin(), optional.end());
  m.attributesBefore = m.attributes.size();
  m.inputs = schema.max_input() > 0;
  return m;
}

// What an opset adds or changes, by name.
std::map<int, std::vector<Method>> allMethods() {
  std::map<int, std::vector<Method>> out;
  std::set<std::string> names;
  for (const auto &schema : onnx::OpSchemaRegistry::get_all_schemas_with_history())
    if (schema.domain().empty())
      names.insert(schema.Name());
  for (const auto &name : names) {
    std::string before;
    for (int opset = first; opset <= last; ++opset) {
      const auto *schema = onnx::OpSchemaRegistry::Schema(name, opset, "");
      if (!schema || schema->Deprecated())
        continue;
      const auto m = method(*schema);
      if (m.signature() != before)
        out[opset].push_back(m);
      before = m.signature();
    }
  }
  return out;
}

// ---- ai.graphcore: method, operator, outputs (a number: one id, or a list of so many; n: the
// caller says), attributes
struct Graphcore {
  const char *method, *doc;
};
const Graphcore graphcore[] = {
    {"l1loss L1 1 float lambda, reduction reduction=Mean",
     "L1: the sum of absolute values times lambda, a loss."},
    {"nllloss Nll 1 reduction reduction=Mean, int? ignoreIndex, bool inputIsLogProbability=false",
     "Nll: the negative log likelihood of the labels (args: probabilities, labels), a loss."},
    {"identityloss IdentityLoss 1 reduction reduction=Mean",
     "IdentityLoss: the input itself as a loss, reduced as said."},
    {"ctcloss Ctc 1 reduction reduction=Mean, int blank=0, string outDataType=UNDEFINED, bool "
     "zeroInfinity=false",
     "Ctc: the loss of connectionist temporal classification (args: log probabilities, targets, "
     "input lengths, target lengths)."},
    {"_ctcloss Ctc 2 reduction reduction=Mean, int blank=0, string outDataType=UNDEFINED, bool "
     "zeroInfinity=false",
     "Ctc with two outputs: the loss, and the gradient of the log probabilities."},
    {"ctcbeamsearchdecoder CtcBeamSearchDecoder 3 int blank=0, int beam_width=100, int top_paths=1",
     "CtcBeamSearchDecoder: the likeliest label sequences (args: log probabilities, lengths). "
     "Gives their probabilities, lengths and labels."},
    {"groupnormalization GroupNormalization 3 int num_groups, float epsilon=1e-05",
     "GroupNormalization over groups of channels (args: x, scale, bias). Gives y, mean and inverse "
     "standard deviation."},
    {"batchnormalization BatchNormalization n float epsilon=1e-05, float momentum=0.9",
     "BatchNormalization (args: x, scale, bias, mean, variance); with 5 outputs for training, with "
     "1 for inference."},
    {"scale Scale 1 float scale", "Scale: the input times a constant."},
    {"scaledadd ScaledAdd 1 float scale0=1.0, float scale1=1.0",
     "ScaledAdd: scale0 * a + scale1 * b; the scales may come as third and fourth input."},
    {"gelu Gelu 1", "Gelu: the Gaussian error linear unit, by the approximation with tanh."},
    {"geluerf GeluErf 1", "GeluErf: the Gaussian error linear unit, exact."},
    {"swish Swish 1", "Swish: x * sigmoid(x)."},
    {"expm1 Expm1 1", "Expm1: exp(x) - 1, exact near zero."},
    {"log1p Log1p 1", "Log1p: log(1 + x), exact near zero."},
    {"atan2 Atan2 1", "Atan2: the angle of the point (args: y, x)."},
    {"fmod Fmod 1", "Fmod: the remainder of a division, with the sign of the dividend."},
    {"remainder Remainder 1",
     "Remainder: the remainder of a division, with the sign of the divisor."},
    {"round Round 1", "Round: to the nearest integer, halves away from zero."},
    {"nearbyint NearbyInt 1", "NearbyInt: to the nearest integer, halves to the even one."},
    {"bitwiseand BitwiseAnd 1", "BitwiseAnd of two integer tensors."},
    {"bitwiseor BitwiseOr 1", "BitwiseOr of two integer tensors."},
    {"bitwisexor BitwiseXor 1", "BitwiseXor of two integer tensors."},
    {"bitwisexnor BitwiseXnor 1", "BitwiseXnor of two integer tensors."},
    {"bitwisenot BitwiseNot 1", "BitwiseNot of an integer tensor."},
    {"slice Slice 1 ints ends, ints starts, ints axes=",
     "Slice: the part from starts to ends along the axes."},
    {"detach Detach 1", "Detach: the input; no gradient goes through it."},
    {"nop Nop 1", "Nop: the input, which no transformation takes away."},
    {"subsample Subsample 1 ints strides",
     "Subsample: every n-th element of each dimension, n from strides."},
    {"reverse Reverse 1 ints dimensions",
     "Reverse: the input with these dimensions back to front."},
    {"depthtospace DepthToSpace 1 int blocksize, string mode=DCR",
     "DepthToSpace: blocks of channels become blocks of pixels."},
    {"reducemedian ReduceMedian 2 ints? axes, int keepdims=1",
     "ReduceMedian along axes. Gives the medians and their indices."},
    {"sort Sort 2 int axis=-1, int descending=0, int stable=0",
     "Sort along an axis. Gives the values in order and where they came from."},
    {"scatterreduce ScatterReduce 1 int axis_size, int axis=-1, scatter reduction=Sum, int "
     "enable_index_broadcast=1",
     "ScatterReduce: rows of a source reduced into the rows that indices name (args: source, "
     "indices[, initial values])."},
    {"groupedscatterreduce GroupedScatterReduce 1 int axis_size, int axis=-1, scatter "
     "reduction=Sum, int group_size=1, "
     "int enable_index_broadcast=1",
     "GroupedScatterReduce: ScatterReduce group by group."},
    {"groupedgather GroupedGather 1 int axis=0, int group_size=1",
     "GroupedGather: Gather group by group (args: data, indices)."},
    {"bucketize Bucketize 1 int right=0",
     "Bucketize: the bucket that each element falls into (args: x, boundaries)."},
    {"dynamicslice DynamicSlice 1 ints axes, ints sizes, int noOverlap=0",
     "DynamicSlice: a part of these sizes at an offset known when it runs (args: x, offset)."},
    {"dynamicupdate DynamicUpdate 1 ints axes, ints sizes, int noOverlap=0",
     "DynamicUpdate: the tensor with a part replaced at an offset (args: x, offset, part)."},
    {"dynamiczero DynamicZero 1 ints axes, ints sizes",
     "DynamicZero: the tensor with zeros at an offset (args: x, offset)."},
    {"dynamicadd DynamicAdd 1 ints axes, ints sizes",
     "DynamicAdd: the tensor with a part added at an offset (args: x, offset, part)."},
    {"sequenceslice SequenceSlice 1 int zeroUnused=0",
     "SequenceSlice: rows of one tensor moved to rows of another (args: source, destination, "
     "counts, source offsets, destination offsets)."},
    {"shapeddropout ShapedDropout 1 ints shape, float ratio=0.5",
     "ShapedDropout: Dropout whose mask has this shape and is broadcast."},
    {"lstm LSTM 2 int outputFullSequence=1", "LSTM with fused weights (args: x, weights, biases, "
                                             "initial state). Gives outputs and cell state."},
    {"copyvarupdate CopyVarUpdate 1",
     "CopyVarUpdate: writes a tensor into a variable (args: variable, new value)."},
    {"splinebasis SplineBasis 2 int degree=1",
     "SplineBasis: B-spline basis values and weight indices of points (args: pseudo coordinates, "
     "kernel size, is open spline)."},
    {"splineweighting SplineWeighting 1", "SplineWeighting: features weighted by a spline basis "
                                          "(args: input, weight, basis, weight index)."},
    {"tensorremap TensorRemap 1 int remap_type=0",
     "TensorRemap: the input with a new layout on tiles; the values stay."},
    {"incrementmod IncrementMod 1 float increment, float modulus",
     "IncrementMod: (x + increment) mod modulus."},
    {"normalize_image NormalizeImage 1 float scale=1.0",
     "NormalizeImage: (x * scale - offset) * factor per channel, padded to four channels (args: x, "
     "offsets, scales)."},
    {"abort Abort 0",
     "Abort: ends the run with an error; with an input, only if that is not zero."},
    {"call Call n graph callee",
     "Call: runs the graph of another Builder (one of createSubgraphBuilder)."},
    {"printtensor PrintTensor 1 int print_gradient=1, string title=, int summariseThreshold=1000, "
     "int edgeItems=3, "
     "int maxLineWidth=75, int digits=8, int floatFormat=0, string separator= , string "
     "openBracket=[, string closeBracket=]",
     "PrintTensor: prints a tensor when it is computed, and its gradient, and passes it on."},
    {"init Init 1 ints shape, int data_type, int init_type, int batch_axis=-1",
     "Init: a tensor of this shape, of zeros or undefined."},
    {"replicatedallreduce ReplicatedAllReduce 1 collective? collectiveOperator, group? commGroup",
     "ReplicatedAllReduce: the reduction of a tensor over replicas, on each of them."},
    {"replicatedreducescatter ReplicatedReduceScatter 1 collective? collectiveOperator, group? "
     "commGroup",
     "ReplicatedReduceScatter: the reduction of a tensor over replicas, of which each keeps its "
     "part."},
};

std::string trimmed(const std::string &text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first);
}

Attribute graphcoreAttribute(const std::string &text) {
  const auto space = text.find(' '), equals = text.find('=');
  std::string kind = text.substr(0, space), name = text.substr(space + 1, equals - space - 1);
  static const std::map<std::string, std::string> inModel = {{"collectiveOperator", "collectiveOp"},
                                                             {"commGroup", "collectiveCommGroup"}};
  const auto known = inModel.find(name);
  Attribute a{known == inModel.end() ? name : known->second, name, "", "", ""};
  const bool given = equals != std::string::npos;
  const std::string value = given ? text.substr(equals + 1) : "";
  const bool optional = kind.back() == '?';
  if (optional)
    kind.pop_back();
  static const std::map<std::string, std::string> types = {{"int", "std::int64_t"},
                                                           {"float", "float"},
                                                           {"bool", "bool"},
                                                           {"string", "std::string"},
                                                           {"ints", "std::vector<std::int64_t>"},
                                                           {"reduction", "ReductionType"},
                                                           {"scatter", "ScatterReduction"},
                                                           {"collective", "CollectiveOperator"},
                                                           {"group", "CommGroup"},
                                                           {"graph", "Builder"}};
  const auto &type = types.at(kind);
  const bool plain = kind == "int" || kind == "float" || kind == "bool" || kind == "reduction" ||
                     kind == "scatter";
  if (optional) {
    a.type = "const nonstd::optional<" + type + "> &";
    a.value = "nonstd::optional<" + type + ">()";
    a.pythonValue = "py::none()";
    return a;
  }
  a.type = plain ? type : "const " + type + " &";
  if (!given)
    return a;
  if (kind == "float")
    a.value = value + "f";
  else if (kind == "string")
    a.value = "\"" + value + "\"";
  else if (kind == "ints")
    a.value = type + "()";
  else if (kind == "reduction" || kind == "scatter")
    a.value = type + "::" + value;
  else
    a.value = value;
  a.pythonValue = kind == "int"                              ? "std::int64_t(" + value + ")"
                  : kind == "reduction" || kind == "scatter" ? "popart::" + a.value
                                                             : a.value;
  return a;
}

std::vector<Method> graphcoreMethods() {
  std::vector<Method> out;
  for (const auto &line : graphcore) {
    std::istringstream in(line.method);
    Method m;
    m.doc = line.doc;
    std::string outputs, rest;
    in >> m.name >> m.op >> outputs;
    std::getline(in, rest);
    m.numOutputs = outputs == "n";
    m.outputs = m.numOutputs ? 0 : unsigned(std::stoul(outputs));
    m.list = m.numOutputs || m.outputs > 1;
    for (std::size_t at = 0; !trimmed(rest).empty() && at != std::string::npos;) {
      const auto comma = rest.find(", ", at);
      m.attributes.push_back(graphcoreAttribute(trimmed(rest.substr(at, comma - at))));
      at = comma == std::string::npos ? comma : comma + 2;
    }
    m.inputs = m.op != "Init";
    m.optionalInputs = m.op == "Abort";
    m.attributesBefore = m.op == "PrintTensor" ? 1 : m.attributes.size(); // as the vendor has it
    out.push_back(m);
  }
  return out;
}

std::string parameters(const Method &m, bool defaults) {
  std::string out;
  const auto add = [&](const std::string &p) { out += (out.empty() ? "" : ", ") + p; };
  if (m.inputs)
    add(std::string("const std::vector<TensorId> &args") +
        (defaults && m.optionalInputs ? " = {}" : ""));
  if (m.numOutputs)
    add("unsigned num_outputs");
  for (std::size_t i = 0; i <= m.attributes.size(); ++i) {
    if (i == m.attributesBefore)
      add(std::string("const DebugContext &debugContext") + (defaults ? " = {}" : ""));
    if (i == m.attributes.size())
      break;
    const auto &a = m.attributes[i];
    const bool reference = a.type.back() == '&';
    add(a.type + (reference ? "" : " ") + a.argument +
        (defaults && !a.value.empty() ? " = " + a.value : ""));
  }
  return out;
}

std::string className(int opset) { return "AiOnnxOpset" + std::to_string(opset); }

std::string returns(const Method &m) {
  return m.list ? "std::vector<TensorId>" : m.outputs ? "TensorId" : "void";
}
void writeMethod(std::ostream &out, const std::string &owner, const Method &m) {
  out << returns(m) << " " << owner << "::" << m.name << "(" << parameters(m, false)
      << ") {\n  OpsetAttributes attributes;\n";
  for (const auto &a : m.attributes)
    out << "  attributes.add(\"" << a.name << "\", " << a.argument << ");\n";
  out << "  " << (m.outputs || m.list ? "return " : "") << "addOperator(\"" << m.op
      << "\", getOpsetVersion(), " << (m.inputs ? "args" : "std::vector<TensorId>()")
      << ", attributes, "
      << (m.numOutputs ? "num_outputs"
                       : std::to_string(m.list ? m.outputs : std::min(m.outputs, 1u)))
      << ", debugContext)" << (m.list || !m.outputs ? "" : ".front()") << ";\n}\n";
}

void writeGraphcoreHeader(std::ostream &out) {
  out << "// Written by the build. Operators of ai.graphcore, version 1: what Graphcore adds to "
         "ONNX.\n"
         "#ifndef POPART_AIGRAPHCORE_HPP\n#define POPART_AIGRAPHCORE_HPP\n"
         "#include <popart/aigraphcorebase.hpp>\n\n"
         "namespace popart {\n\nclass AiGraphcoreOpset1 : public AiGraphcoreBase {\npublic:\n"
         "  using AiGraphcoreBase::AiGraphcoreBase;\n";
  for (const auto &m : graphcoreMethods())
    out << "  " << returns(m) << " " << m.name << "(" << parameters(m, true) << ");\n";
  out << "};\n\n} // namespace popart\n#endif\n";
}

void writeHeader(std::ostream &out) {
  out << "// Written by the build from ONNX's definitions of its operators.\n"
         "#ifndef POPART_AIONNX_HPP\n#define POPART_AIONNX_HPP\n"
         "#include <popart/debugcontext.hpp>\n#include <popart/opset.hpp>\n"
         "#include <popart/vendored/optional.hpp>\n#include <popart/voiddata.hpp>\n"
         "#include <type_traits>\n\n"
         "namespace popart {\n\nclass Builder;\n\n";
  for (const auto &[opset, methods] : allMethods()) {
    const auto base = opset == first ? std::string("DomainOpSet") : className(opset - 1);
    out << "class " << className(opset) << " : public " << base << " {\npublic:\n  explicit "
        << className(opset) << "(std::shared_ptr<OpsetTarget> target) : " << base
        << "(std::move(target)) {}\n"
        << "  int getOpsetVersion() const override { return " << opset << "; }\n";
    for (const auto &m : methods) {
      out << "  " << (m.list ? "std::vector<TensorId>" : "TensorId") << " " << m.name << "("
          << parameters(m, true) << ");\n";
      if (m.op == "Constant") // a template: a name must not become a bool
        out << "  template <class Bool>\n"
               "  typename std::enable_if<std::is_same<Bool, bool>::value, TensorId>::type\n"
               "  constant(const ConstVoidData &value, Bool is_value_sparse, "
               "const DebugContext &debugContext = {}) {\n"
               "    requireDense(is_value_sparse);\n"
               "    return constant(value, debugContext);\n  }\n";
    }
    out << "};\n\n";
  }
  out << "} // namespace popart\n#endif\n";
}

// Identifiers of operators: Onnx::Operators::Add_7, Onnx::AiOnnx::OpSet9::Add and their like.
void writeIdentifier(std::ostream &out, const std::string &name, const std::string &domain,
                     const std::string &type, int version, const std::string &counts) {
  out << "const static OperatorIdentifier " << name << "(\"" << domain << "\", \"" << type << "\", "
      << version << counts << ");\n";
}
void writeOperators(std::ostream &out) {
  constexpr int newest = 11; // of the vendor's
  out << "// Written by the build from ONNX's definitions of its operators: their identifiers.\n"
         "#ifndef POPART_OPERATORS_HPP\n#define POPART_OPERATORS_HPP\n"
         "#include <popart/operatoridentifier.hpp>\n\nnamespace popart {\nnamespace Onnx {\n\n"
         "namespace Operators {\n";
  std::map<std::string, const onnx::OpSchema *> all; // by name and version
  std::set<std::string> names;
  for (const auto &schema : onnx::OpSchemaRegistry::get_all_schemas_with_history())
    if (schema.domain().empty())
      names.insert(schema.Name());
  for (const auto &name : names)
    for (int opset = 1; opset <= newest; ++opset)
      if (const auto *schema = onnx::OpSchemaRegistry::Schema(name, opset, ""))
        all.emplace(name + "_" + std::to_string(schema->SinceVersion()), schema);
  for (const auto &[name, schema] : all)
    writeIdentifier(out, name, "ai.onnx", schema->Name(), schema->SinceVersion(),
                    ", {" + std::to_string(schema->min_input()) + ", " +
                        std::to_string(schema->max_input()) + "}, " +
                        std::to_string(schema->max_output()));
  std::set<std::string> own;
  for (const auto &m : graphcoreMethods())
    own.insert(m.op);
  for (const auto &op : own)
    if (!all.count(op + "_1"))
      writeIdentifier(out, op + "_1", "ai.graphcore", op, 1, "");
  out << "} // namespace Operators\n\nnamespace AiOnnx {\n";
  for (int opset = first; opset <= newest; ++opset) {
    out << "namespace OpSet" << opset << " {\n";
    for (const auto &name : names)
      if (const auto *schema = onnx::OpSchemaRegistry::Schema(name, opset, ""))
        out << "__attribute__((unused)) static const OperatorIdentifier &" << name
            << " = Operators::" << name << "_" << schema->SinceVersion() << ";\n";
    out << "} // namespace OpSet" << opset << "\n";
  }
  out << "} // namespace AiOnnx\n\nnamespace AiGraphcore {\nnamespace OpSet1 {\n";
  for (const auto &op : own)
    writeIdentifier(out, op, "ai.graphcore", op, 1, "");
  out << "} // namespace OpSet1\n} // namespace AiGraphcore\n\n"
         "// Of gradients that are operators of their own here.\nnamespace GradOperators {\n";
  for (const char *op : {"BatchNormGrad", "ConvDataGrad", "ConvWeightGrad", "GatherGrad",
                         "GroupNormGrad", "MaxPoolGrad", "SliceGrad", "SoftmaxGrad"})
    writeIdentifier(out, op, "ai.graphcore", op, 1, "");
  out << "} // namespace GradOperators\n\n} // namespace Onnx\n} // namespace popart\n#endif\n";
}

void writeSource(std::ostream &out) {
  out << "// Written by the build from ONNX's definitions of its operators.\n"
         "#include <popart/aigraphcore.hpp>\n#include <popart/aionnx.hpp>\n#include "
         "<popart/builder.hpp>\n\n"
         "namespace popart {\n\n";
  for (const auto &[opset, methods] : allMethods())
    for (const auto &m : methods)
      writeMethod(out, className(opset), m);
  for (const auto &m : graphcoreMethods())
    writeMethod(out, "AiGraphcoreOpset1", m);
  out << "} // namespace popart\n";
}

// The last argument, as the vendor has it in Python.
std::string debugArgument(const Method &m) {
  return m.op == "If" ? "name" : m.op == "Call" ? "debugName" : "debugContext";
}
void writePythonMethod(std::ostream &out, const std::string &owner, const Method &m) {
  if (m.op == "Constant") {
    out << "  constants(c" << owner << ", " << literal(m.doc) << ");\n";
    return;
  }
  out << "  c" << owner << ".def(\"" << m.name << "\", &popart::" << owner << "::" << m.name;
  if (m.inputs)
    out << ", py::arg(\"args\")" << (m.optionalInputs ? " = std::vector<popart::TensorId>()" : "");
  if (m.numOutputs)
    out << ", py::arg(\"num_outputs\")";
  for (std::size_t i = 0; i <= m.attributes.size(); ++i) {
    if (i == m.attributesBefore)
      out << ", py::arg(\"" << debugArgument(m) << "\") = popart::DebugContext()";
    if (i == m.attributes.size())
      break;
    const auto &a = m.attributes[i];
    out << ", py::arg(\"" << a.argument << (a.argument == "lambda" ? "_" : "") << "\")" // a keyword
        << (a.value.empty() ? std::string() : " = " + a.pythonValue);
  }
  out << ",\n" << literal(m.doc) << ");\n";
}

void writePythonClass(std::ostream &out, const std::string &name, const std::string &base,
                      const std::string &doc, const std::vector<Method> &methods) {
  out << "  py::class_<popart::" << name << (base.empty() ? "" : ", popart::" + base) << "> c"
      << name << "(m, \"" << name << "\", " << literal(doc) << ");\n  opset(c" << name << ");\n";
  for (const auto &m : methods)
    writePythonMethod(out, name, m);
}
void writePython(std::ostream &out) {
  out << "// Written by the build from ONNX's definitions of its operators.\n"
         "#include \"opsets.hpp\"\n\nvoid bindAiOnnx(py::module &m) {\n";
  for (const auto &[opset, methods] : allMethods())
    writePythonClass(out, className(opset), opset == first ? "" : className(opset - 1),
                     "Operators of ai.onnx, opset " + std::to_string(opset) +
                         ": each adds a node to the Builder and returns the names of its outputs.",
                     methods);
  writePythonClass(out, "AiGraphcoreOpset1", "AiGraphcoreBase",
                   "Operators of ai.graphcore, version 1: what Graphcore adds to ONNX.",
                   graphcoreMethods());
  out << "}\n";
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: openipu-opsets header|graphcore|operators|source|python FILE\n";
    return 2;
  }
  const std::string what = argv[1];
  std::ostringstream out;
  if (what == "header")
    writeHeader(out);
  else if (what == "graphcore")
    writeGraphcoreHeader(out);
  else if (what == "operators")
    writeOperators(out);
  else if (what == "source")
    writeSource(out);
  else if (what == "python")
    writePython(out);
  else
    return 2;
  // A file that stays the same stays as old as it is, and nothing is compiled again for it.
  std::ifstream before(argv[2]);
  if (before && std::string(std::istreambuf_iterator<char>(before), {}) == out.str())
    return 0;
  std::ofstream file(argv[2]);
  file << out.str();
  return file.good() ? 0 : 1;
}
