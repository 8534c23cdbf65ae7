// SPDX-License-Identifier: MIT
// Expressions as the map kernel runs them: values numbered from the inputs, through the constants,
// to one result per step; each step an operator on values before it. Travels as the kernel's
// attributes.
#pragma once
#include "openipu/Attributes.hpp"
#include "openipu/TypeId.hpp"
#include <cstdint>
#include <string>
#include <vector>

namespace popops {

using poplar::TypeId;

struct MapStep {
  // Joined: not in programs; the next step does it (MapKernel.cpp).
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

} // namespace popops
