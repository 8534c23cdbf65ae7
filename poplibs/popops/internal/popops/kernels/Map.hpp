// SPDX-License-Identifier: MIT
// Expressions as the map kernel runs them: values numbered from the inputs, through the constants,
// to one result per step; each step an operator on values before it.
//   outputs: one per expression
//   inputs:  one per place holder, all of the outputs' shape (broadcast ones with stride zero)
// Several lists of operands after each other: the same for each list.
#pragma once
#include "openipu/Attributes.hpp"
#include "openipu/Overwrite.hpp"
#include "openipu/TypeId.hpp"
#include "popops/ExprOp.hpp"
#include <cstdint>
#include <string>
#include <vector>

namespace popops::kernels {

using poplar::TypeId;

inline constexpr char map[] = "popops.map";

struct MapStep {
  // Joined: not in programs; the next step does it (kernels/elementwise/Map.cpp).
  enum Kind : std::uint8_t { Unary, Binary, Ternary, Cast, RoundToHalf, Copy, Joined };
  Kind kind;
  std::uint8_t op;     // of the enumeration that belongs to the kind
  TypeId type, result; // of the (first) operand and of the result
  std::uint16_t a = 0, b = 0, c = 0;
};

struct MapConstant {
  TypeId type;
  std::uint8_t unused[7] = {}; // no holes: attributes are compared byte for byte
  double number = 0;           // floating types
  std::uint64_t integer = 0;   // the others, two's complement
};

struct MapProgram {
  std::uint16_t inputs = 0;
  std::vector<MapConstant> constants;
  std::vector<MapStep> steps;
  std::vector<std::uint16_t> results; // values, one per output

  std::string write() const {
    return openipu::AttributeWriter().put(inputs).put(constants).put(steps).put(results).take();
  }
  static MapProgram read(std::string_view bytes) {
    openipu::AttributeReader reader(bytes);
    MapProgram program;
    program.inputs = reader.get<std::uint16_t>();
    program.constants = reader.getVector<MapConstant>();
    program.steps = reader.getVector<MapStep>();
    program.results = reader.getVector<std::uint16_t>();
    return program;
  }
};

// Every element is read before it is written, by the same list.
inline bool mapMayOverwrite(std::string_view attributes, std::size_t, std::size_t output,
                            std::size_t input) {
  const auto program = MapProgram::read(attributes);
  return output / program.results.size() == input / program.inputs;
}

// What steps there are, beside the operators of popops/Operators.def.
constexpr bool mapComputes(TypeId type) {
  return type <= TypeId::Float && type != TypeId::Long && type != TypeId::UnsignedLong;
}
constexpr bool mapCasts(TypeId from, TypeId to) { return mapComputes(from) && mapComputes(to); }
constexpr bool mapTakes(expr::TernaryOpType op, TypeId type) {
  return mapComputes(type) && (op != expr::TernaryOpType::CLAMP || type != TypeId::Bool);
}

// Results that are halves again if the operands are; others are rounded by a step of their own.
inline bool keepsHalves(expr::UnaryOpType op) {
  switch (op) {
  case expr::UnaryOpType::ABSOLUTE:
  case expr::UnaryOpType::CEIL:
  case expr::UnaryOpType::FLOOR:
  case expr::UnaryOpType::NEGATE:
  case expr::UnaryOpType::NEARBY_INT:
  case expr::UnaryOpType::RELU:
  case expr::UnaryOpType::ROUND:
  case expr::UnaryOpType::SIGNUM:
  case expr::UnaryOpType::TRUNC:
    return true;
  default:
    return false;
  }
}
inline bool keepsHalves(expr::BinaryOpType op) {
  return op == expr::BinaryOpType::MAXIMUM || op == expr::BinaryOpType::MINIMUM ||
         op == expr::BinaryOpType::REMAINDER;
}

} // namespace popops::kernels
