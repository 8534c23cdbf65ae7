// SPDX-License-Identifier: MIT
#include "onnx/formals.hpp"

#include "base/Text.hpp"
#include "onnx/newer.hpp"
#include "opdef/importing.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart::onnxmodel {

namespace {

using onnx::NodeProto;
using onnx::OpSchema;
using ops::Arity;

std::string text(Arity arity) {
  if (arity.max == arity.min)
    return base::str(arity.min);
  return arity.max >= ops::any ? base::str(arity.min, " or more")
                               : base::str(arity.min, " to ", arity.max);
}

void checkCount(const NodeProto &node, std::size_t count, Arity arity, const char *what,
                const char *verb) {
  if (count < arity.min || count > arity.max)
    throw error(base::str(node.op_type(), ": ", count, what, count == 1 ? "" : "s", "; it ", verb,
                          " ", text(arity), "."));
}
void checkOutputs(const NodeProto &node, unsigned outputs, unsigned most) {
  checkCount(node, outputs, {0, std::min(most, mostOutputs)}, " output", "has");
}

// ONNX says so since version 13; the vendor reads older models in this way too.
bool mayBeLeftOut(const OpSchema &schema, std::size_t input) {
  return schema.Name() == "Resize" && schema.SinceVersion() > 10 && (input == 1 || input == 2);
}

} // namespace

const OpSchema *schemaOf(const NodeProto &node, std::int64_t version) {
  if (isNewer(node, version))
    return nullptr;
  const std::string domain = node.domain() == "ai.onnx" ? std::string() : node.domain();
  const auto find = [&](std::int64_t v) {
    return onnx::OpSchemaRegistry::Schema(node.op_type(), static_cast<int>(v), domain);
  };
  const auto *schema = find(version);
  while (schema && schema->Deprecated())
    schema = find(schema->SinceVersion() - 1);
  return schema;
}

void checkFormalsOf(const OpSchema &schema, const NodeProto &node, const std::vector<bool> &given,
                    unsigned outputs) {
  const auto &formals = schema.inputs();
  for (std::size_t i = 0; i < std::max(given.size(), formals.size()); ++i) {
    if (formals.empty() || (i < given.size() && given[i]))
      continue;
    const auto &formal = formals[std::min(i, formals.size() - 1)];
    const bool isList = formal.GetOption() == OpSchema::Variadic;
    if (mayBeLeftOut(schema, i))
      continue;
    if (isList ? i < given.size() : formal.GetOption() == OpSchema::Single)
      throw error(base::str(node.op_type(), ": input ", i, " (", formal.GetName(),
                            ") may not be left out."));
  }
  checkCount(node, given.size(), {unsigned(schema.min_input()), unsigned(schema.max_input())},
             " input", "takes");
  checkOutputs(node, outputs, unsigned(schema.max_output()));
}

void checkFormalsOf(const ops::OpDef &def, const NodeProto &node, const std::vector<bool> &given,
                    unsigned outputs) {
  checkCount(node, given.size(), def.in, " input", "takes");
  const bool isList = def.in.min && def.in.max == ops::any; // of which none may be left out
  for (std::size_t i = 0; i < given.size() && (isList || i < def.in.min); ++i)
    if (!given[i])
      throw error(base::str(node.op_type(), ": input ", i, " may not be left out."));
  checkOutputs(node, outputs, def.out.max);
}

void checkNumbers(const NodeProto &node) {
  const auto check = [&](const std::string &name, std::int64_t n) {
    if (n > ops::largestNumber || n < -ops::largestNumber)
      throw error(base::str(node.op_type(), ": attribute \"", name, "\" is ", n,
                            "; numbers beyond ", ops::largestNumber,
                            " are no sizes or positions of tensors."));
  };
  for (const auto &a : node.attribute()) {
    if (a.name().rfind("__", 0) == 0 || ops::takesAnyNumber(node.op_type(), a.name()))
      continue;
    if (a.type() == onnx::AttributeProto::INT)
      check(a.name(), a.i());
    for (auto n : a.ints())
      check(a.name(), n);
  }
}

} // namespace popart::onnxmodel
