// SPDX-License-Identifier: MIT
// Init: a tensor to write parts of. Zero asks for zeros; NoInit leaves the values open, and zeros
// are as good as any. batch_axis only says which dimension is the batch.
#include "ops/shared/arithmetic.hpp"

namespace popart::ops {

namespace {
// By its number in DataType, as the Builder writes it (not ONNX's), or by its name.
DataType typeOf(const OpView &op) {
  const auto &all = op.node().attributes.all();
  const auto it = all.find("data_type");
  if (it == all.end() || !std::holds_alternative<std::int64_t>(it->second))
    return typeAttribute(op, "data_type");
  const auto number = std::get<std::int64_t>(it->second);
  if (number < 0 || number >= std::int64_t(DataType::UNDEFINED) ||
      DataType(number) == DataType::STRING)
    op.fail("data_type is ", number, ", which is no type of elements.");
  return DataType(number);
}
} // namespace

OpDef initOp() {
  OpDef op;
  op.type = "Init";
  op.domain = "ai.graphcore";
  op.doc = "A tensor to write parts of.";
  op.in = {0, 0};
  op.decompose = [](GraphBuilder &b, const OpView &op) -> Values {
    if (const auto init = op.integer("init_type", 0); init != 0 && init != 1)
      op.fail("init_type is ", init, "; it must be 0 (NoInit) or 1 (Zero).");
    const auto type = typeOf(op);
    return {b.expand(b.constant(HostTensor::scalar(type, 0)), op.integers("shape"))};
  };
  return op;
}

} // namespace popart::ops
