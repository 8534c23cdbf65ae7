// SPDX-License-Identifier: MIT
// Which operators there are, by ONNX's own list of versions.
#include "opdef/opdef.hpp"
#include <algorithm>
#include <onnx/defs/schema.h>
#include <popart/opmanager.hpp>

namespace popart {
namespace {

constexpr int oldest = 6, newest = 17;

bool lowerable(const ops::OpDef &op) { return op.decompose || op.expr || op.lower; }

OperatorIdentifier identifier(const ops::OpDef &op, int version) {
  const auto count = [](unsigned n) { return n == ops::any ? -1 : int(n); };
  return {op.domain.empty() ? Domain::ai_onnx : op.domain,
          op.type,
          OpVersion(version),
          {count(op.in.min), count(op.in.max)},
          count(op.out.max)};
}

// Newest first: each version in which ONNX changed the operator, down to the oldest opset we take.
std::vector<int> versions(const std::string &type) {
  std::vector<int> out;
  for (int v = newest; v >= oldest; v = out.back() - 1) {
    const auto *schema = onnx::OpSchemaRegistry::Schema(type, v, "");
    if (!schema)
      break;
    out.push_back(schema->SinceVersion());
  }
  return out;
}

// "tensor(float)" and its like; others are no types that tensors here have.
void addType(const std::string &text, OpDefinition::DataTypes &out) {
  static const std::map<std::string, DataType> all = {
      {"tensor(float)", DataType::FLOAT},   {"tensor(float16)", DataType::FLOAT16},
      {"tensor(double)", DataType::DOUBLE}, {"tensor(bfloat16)", DataType::BFLOAT16},
      {"tensor(int8)", DataType::INT8},     {"tensor(int16)", DataType::INT16},
      {"tensor(int32)", DataType::INT32},   {"tensor(int64)", DataType::INT64},
      {"tensor(uint8)", DataType::UINT8},   {"tensor(uint16)", DataType::UINT16},
      {"tensor(uint32)", DataType::UINT32}, {"tensor(uint64)", DataType::UINT64},
      {"tensor(bool)", DataType::BOOL}};
  if (const auto it = all.find(text); it != all.end())
    out.push_back(it->second);
}
OpDefinition::DataTypes typesOf(const onnx::OpSchema::FormalParameter &parameter) {
  OpDefinition::DataTypes out;
  for (const auto *type : parameter.GetTypes())
    addType(*type, out);
  std::sort(out.begin(), out.end());
  return out;
}

// From ONNX's definition; of operators that ONNX does not know, tensors by number.
OpDefinition definition(const OperatorIdentifier &id) {
  OpDefinition out;
  if (id.domain == Domain::ai_onnx) {
    const auto *schema = onnx::OpSchemaRegistry::Schema(id.type, int(id.version), "");
    for (const auto &input : schema->inputs())
      out.inputs.emplace_back(input.GetName(), typesOf(input));
    for (const auto &output : schema->outputs())
      out.outputs.emplace_back(output.GetName(), typesOf(output));
    for (const auto &[name, attribute] : schema->attributes())
      out.attributes.emplace(name, "*");
    return out;
  }
  const auto name = [](const char *what, int i) { return what + std::to_string(i); };
  for (int i = 0; i < id.numInputs.max; ++i)
    out.inputs.emplace_back(name("input", i), OpDefinition::DataTypes());
  for (int i = 0; i < id.numOutputs; ++i)
    out.outputs.emplace_back(name("output", i), OpDefinition::DataTypes());
  return out;
}

} // namespace

const OpDefinitions OpManager::getSupportedOperationsDefinition(bool includeInternal) {
  OpDefinitions out;
  for (const auto &id : getSupportedOperations(includeInternal))
    out.emplace(id, definition(id));
  return out;
}

const std::vector<OperatorIdentifier> OpManager::getSupportedOperations(bool includeInternal) {
  std::vector<OperatorIdentifier> out;
  for (const auto &op : ops::allOps()) {
    if (!lowerable(op) || (op.domain == "openipu" && !includeInternal))
      continue;
    if (!op.domain.empty())
      out.push_back(identifier(op, 1));
    else
      for (int v : versions(op.type))
        out.push_back(identifier(op, v));
  }
  return out;
}

const std::vector<OperatorIdentifier> OpManager::getUnsupportedOperations(int opsetVersion) {
  std::vector<OperatorIdentifier> out;
  for (const auto &schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    const auto *current = onnx::OpSchemaRegistry::Schema(schema.Name(), opsetVersion, "");
    if (!schema.domain().empty() || !current || current->SinceVersion() != schema.SinceVersion() ||
        current->Deprecated())
      continue;
    const auto *op = ops::findOp("", schema.Name());
    if (!(op ? lowerable(*op) : current->HasFunction())) // functions are written out at import
      out.emplace_back(Domain::ai_onnx, schema.Name(), OpVersion(schema.SinceVersion()));
  }
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace popart
