// SPDX-License-Identifier: MIT
// Writes the Builder's operator methods from ONNX's own definitions: one class per opset from 6 to
// 17, each adding to the one before what is new or has other attributes.
//
//   openipu-opsets header FILE | source FILE | python FILE
#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <map>
#include <onnx/defs/schema.h>
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

bool takesInputs(const Method &m) { return m.op != "Constant"; }

std::string parameters(const Method &m, bool defaults) {
  std::string out;
  const auto add = [&](const std::string &p) { out += (out.empty() ? "" : ", ") + p; };
  if (takesInputs(m))
    add("const std::vector<TensorId> &args");
  if (m.numOutputs)
    add("unsigned num_outputs");
  for (const auto &a : m.attributes) {
    const bool reference = a.type.back() == '&';
    add(a.type + (reference ? "" : " ") + a.argument +
        (defaults && !a.value.empty() ? " = " + a.value : ""));
  }
  add(std::string("const DebugContext &debugContext") + (defaults ? " = {}" : ""));
  return out;
}

std::string className(int opset) { return "AiOnnxOpset" + std::to_string(opset); }

void writeHeader(std::ostream &out) {
  out << "// Written by the build from ONNX's definitions of its operators.\n"
         "#ifndef POPART_AIONNX_HPP\n#define POPART_AIONNX_HPP\n"
         "#include <popart/debugcontext.hpp>\n#include <popart/opset.hpp>\n"
         "#include <popart/vendored/optional.hpp>\n#include <popart/voiddata.hpp>\n\n"
         "namespace popart {\n\nclass Builder;\n\n";
  for (const auto &[opset, methods] : allMethods()) {
    const auto base = opset == first ? std::string("DomainOpSet") : className(opset - 1);
    out << "class " << className(opset) << " : public " << base << " {\npublic:\n  explicit "
        << className(opset) << "(std::shared_ptr<OpsetTarget> target) : " << base
        << "(std::move(target)) {}\n"
        << "  int getOpsetVersion() const override { return " << opset << "; }\n";
    for (const auto &m : methods)
      out << "  " << (m.list ? "std::vector<TensorId>" : "TensorId") << " " << m.name << "("
          << parameters(m, true) << ");\n";
    out << "};\n\n";
  }
  out << "} // namespace popart\n#endif\n";
}

void writeSource(std::ostream &out) {
  out << "// Written by the build from ONNX's definitions of its operators.\n"
         "#include <popart/aionnx.hpp>\n#include <popart/builder.hpp>\n\nnamespace popart {\n\n";
  for (const auto &[opset, methods] : allMethods())
    for (const auto &m : methods) {
      out << (m.list ? "std::vector<TensorId> " : "TensorId ") << className(opset) << "::" << m.name
          << "(" << parameters(m, false) << ") {\n  OpsetAttributes attributes;\n";
      for (const auto &a : m.attributes)
        out << "  attributes.add(\"" << a.name << "\", " << a.argument << ");\n";
      out << "  return addOperator(\"" << m.op << "\", getOpsetVersion(), "
          << (takesInputs(m) ? "args" : "std::vector<TensorId>()") << ", attributes, "
          << (m.numOutputs ? "num_outputs" : std::to_string(m.list ? m.outputs : 1))
          << ", debugContext)" << (m.list ? "" : ".front()") << ";\n}\n";
    }
  out << "} // namespace popart\n";
}

void writePython(std::ostream &out) {
  out << "// Written by the build from ONNX's definitions of its operators.\n"
         "#include \"opsets.hpp\"\n\nvoid bindAiOnnx(py::module &m) {\n";
  for (const auto &[opset, methods] : allMethods()) {
    const auto name = className(opset);
    out << "  py::class_<popart::" << name
        << (opset == first ? std::string() : ", popart::" + className(opset - 1)) << ">(m, \""
        << name << "\")\n";
    for (const auto &m : methods) {
      out << "      .def(\"" << m.name << "\", &popart::" << name << "::" << m.name;
      if (takesInputs(m))
        out << ", py::arg(\"args\")";
      if (m.numOutputs)
        out << ", py::arg(\"num_outputs\")";
      for (const auto &a : m.attributes)
        out << ", py::arg(\"" << a.argument << "\")"
            << (a.value.empty() ? std::string() : " = " + a.pythonValue);
      out << ", py::arg(\"debugContext\") = popart::DebugContext())\n";
    }
    out << "      ;\n";
  }
  out << "}\n";
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: openipu-opsets header|source|python FILE\n";
    return 2;
  }
  const std::string what = argv[1];
  std::ofstream out(argv[2]);
  if (what == "header")
    writeHeader(out);
  else if (what == "source")
    writeSource(out);
  else if (what == "python")
    writePython(out);
  else
    return 2;
  return out.good() ? 0 : 1;
}
