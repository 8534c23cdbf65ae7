// SPDX-License-Identifier: MIT
// Which operators there are, by ONNX's own list of versions.
#include "ops/core/opdef.hpp"
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

} // namespace

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
