// SPDX-License-Identifier: MIT
#include "elementwise/MapNans.hpp"
#include "popops/kernels/Map.hpp"

namespace popops {

using kernels::MapProgram;
using kernels::MapStep;
using poplar::TypeId;

namespace {

bool isFloating(TypeId type) { return type == TypeId::Float || type == TypeId::Half; }

bool compares(const MapStep &step) {
  using Op = expr::BinaryOpType;
  if (step.kind != MapStep::Binary || !isFloating(step.type))
    return false;
  switch (Op(step.op)) {
  case Op::EQUAL:
  case Op::NOT_EQUAL:
  case Op::LESS_THAN:
  case Op::LESS_THAN_EQUAL:
  case Op::GREATER_THAN:
  case Op::GREATER_THAN_EQUAL:
    return true;
  default:
    return false;
  }
}

bool computes(const MapStep &step) {
  const bool arithmetic =
      step.kind == MapStep::Unary || step.kind == MapStep::Binary || step.kind == MapStep::Joined ||
      (step.kind == MapStep::Ternary && expr::TernaryOpType(step.op) == expr::TernaryOpType::CLAMP);
  return arithmetic && isFloating(step.type) && isFloating(step.result);
}

} // namespace

openipu::Nans nansOfMap(std::string_view attributes) {
  const auto program = MapProgram::read(attributes);
  openipu::Nans out{.computed = false};
  const auto compare = [&](std::uint16_t value) {
    for (std::size_t i = value; value < program.inputs && i < 64; i += program.inputs)
      out.compared |= std::uint64_t(1) << i;
  };
  for (const auto &step : program.steps) {
    out.computed = out.computed || computes(step);
    if (!compares(step))
      continue;
    compare(step.a);
    compare(step.b);
  }
  return out;
}

} // namespace popops
