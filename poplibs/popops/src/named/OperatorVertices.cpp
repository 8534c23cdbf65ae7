// SPDX-License-Identifier: MIT
// Vertices that apply one element-wise operator: unary, binary, and binary with a broadcast scalar
// or vector. What an operator computes and what its loops cost is in popops/Operators.def.
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "named/CodeletText.hpp"
#include "named/Tables.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/ExprOp.hpp"

namespace popops {

using base::str;
using expr::BinaryOpType;
using expr::UnaryOpType;
using named::Name;
using named::Priced;
using named::Words;

namespace {

const char *const arithmeticSource =
#include "../../codelets/Arithmetic.cpp"
    ;
const char *const unarySource =
#include "../../codelets/UnaryOp.cpp"
    ;
const char *const binarySource =
#include "../../codelets/BinaryOp.cpp"
    ;
const char *const scalarSource =
#include "../../codelets/BroadcastScalar.cpp"
    ;
const char *const vectorSource =
#include "../../codelets/BroadcastVector.cpp"
    ;
const char *const selectSource =
#include "../../codelets/Select.cpp"
    ;
const char *const castSource =
#include "../../codelets/Cast.cpp"
    ;

// ---- operators

struct Operator {
  const char *name, *result, *expression;
  bool isBool() const { return std::string(result) == "Bool"; }
};
const Operator unaryOperators[] = {
#define UNARY(name, result, f, fi, h, hi, i, u, l, ul, s, b, bi, expression)                       \
  {#name, #result, #expression},
#include "popops/Operators.def"
};
const Operator binaryOperators[] = {
#define BINARY(name, result, f, fs, h, hs, i, is, u, us, l, ls, ul, uls, s, ss, b_, bs, flops, e)  \
  {#name, #result, #e},
#include "popops/Operators.def"
};
const std::string unaryPrefix = "popops::expr::UnaryOpType::",
                  binaryPrefix = "popops::expr::BinaryOpType::";

template <std::size_t N> Words spelled(const Operator (&all)[N], const std::string &prefix) {
  Words words;
  for (const auto &op : all)
    words.push_back(prefix + op.name);
  return words;
}

template <std::size_t N>
unsigned indexOf(const Operator (&all)[N], const std::string &prefix, const std::string &text) {
  for (unsigned i = 0; i < N; ++i)
    if (text.compare(prefix.size(), std::string::npos, all[i].name) == 0)
      return i;
  return 0; // not reached: the mechanism knows the choices
}
UnaryOpType unaryOf(const Name &name) {
  return UnaryOpType(indexOf(unaryOperators, unaryPrefix, name.arguments[0]));
}
BinaryOpType binaryOf(const Name &name) {
  return BinaryOpType(indexOf(binaryOperators, binaryPrefix, name.arguments[0]));
}

// ---- source

template <std::size_t N> std::string enumeration(const char *name, const Operator (&all)[N]) {
  return str("enum class ", name, " { ", named::joined(spelled(all, ""), ", "), " };\n");
}

// std::sqrt(x) as the compiler knows it without <cmath>: __builtin_sqrtf(x).
std::string withoutHeader(std::string text) {
  const std::string space = "std::";
  for (auto at = text.find(space); at != std::string::npos; at = text.find(space, at)) {
    const auto open = text.find('(', at);
    const std::string function = text.substr(at + space.size(), open - at - space.size());
    text.replace(at, open - at, "__builtin_" + function + "f");
  }
  return text;
}

// The specialisation that computes one operator; parameters as in Operators.def.
std::string computation(const char *holder, const std::string &op, const Operator &chosen,
                        const char *parameters) {
  return str("namespace popops {\ntemplate <> struct ", holder, "<", op,
             "> {\n  static constexpr bool isBool = ", chosen.isBool() ? "true" : "false",
             ";\n  template <class T> static auto of(", parameters, ") { return ",
             withoutHeader(chosen.expression), "; }\n};\n} // namespace popops\n");
}

template <const char *const &source> void unaryText(const Name &name, Words &pieces) {
  pieces.insert(pieces.end(), {codeletPrelude(), codeletOperator(unaryOf(name)), source});
}
template <const char *const &source> void binaryText(const Name &name, Words &pieces) {
  pieces.insert(pieces.end(), {codeletPrelude(), codeletOperator(binaryOf(name)), source});
}

// ---- which vertices there are

bool inPlace(const Name &name) { return name.family.find("InPlace") != std::string::npos; }

// A result that takes the place of an operand has its type.
bool unaryExists(const Name &name) {
  const auto op = unaryOf(name);
  const bool keepsType = !unaryOperators[unsigned(op)].isBool() || name.type(1) == poplar::BOOL;
  return cost::supported(op, name.type(1)) && (keepsType || !inPlace(name));
}
bool binaryExists(const Name &name) {
  const auto op = binaryOf(name);
  const bool keepsType = !binaryOperators[unsigned(op)].isBool() || name.type(1) == poplar::BOOL;
  return cost::supported(op, name.type(1)) && (keepsType || !inPlace(name));
}
bool relationExists(const Name &name) {
  return binaryExists(name) && binaryOperators[unsigned(binaryOf(name))].isBool();
}

bool isFloat(const Name &name) {
  return name.type(1) == poplar::FLOAT || name.type(1) == poplar::HALF;
}
// The formulas of vectors along rows are for these operators on floats and halves.
bool innerFormula(const Name &name) {
  const auto op = binaryOf(name);
  return isFloat(name) && (op == BinaryOpType::ADD || op == BinaryOpType::SUBTRACT ||
                           op == BinaryOpType::MULTIPLY || op == BinaryOpType::DIVIDE);
}

// ---- cycles

poplar::VertexPerfEstimate unary(const Priced &v, std::uint64_t cycles, std::uint64_t n) {
  return {cycles, n * cost::flops(unaryOf(v.name), v.type(1))};
}
poplar::VertexPerfEstimate binary(const Priced &v, std::uint64_t cycles, std::uint64_t n) {
  return {cycles, n * cost::flops(binaryOf(v.name), v.type(1))};
}

poplar::VertexPerfEstimate unary1D(const Priced &v) {
  const auto n = v.size(inPlace(v.name) ? "inOut" : "out");
  return unary(v, cost::unaryCycles(v.chip(), unaryOf(v.name), v.type(1), n, inPlace(v.name)), n);
}
poplar::VertexPerfEstimate unary2D(const Priced &v) {
  const char *field = inPlace(v.name) ? "inOut" : "out";
  auto tile = [&](std::uint64_t n) {
    return cost::unaryCycles(v.chip(), unaryOf(v.name), v.type(1), n, inPlace(v.name));
  };
  std::uint64_t cycles = 20;
  for (auto n : v.sizes(field))
    cycles += named::workerLoop(v, tile, n);
  return unary(v, cycles, v.total(field));
}

poplar::VertexPerfEstimate binary1D(const Priced &v) {
  const auto n = v.size(inPlace(v.name) ? "in1Out" : "out");
  return binary(v, cost::binaryCycles(v.chip(), binaryOf(v.name), v.type(1), n, inPlace(v.name)),
                n);
}
poplar::VertexPerfEstimate binary2D(const Priced &v) {
  const char *field = inPlace(v.name) ? "in1Out" : "out";
  auto tile = [&](std::uint64_t n) {
    return cost::binaryCycles(v.chip(), binaryOf(v.name), v.type(1), n, inPlace(v.name));
  };
  std::uint64_t cycles = inPlace(v.name) ? 20 : 5;
  for (auto n : v.sizes(field))
    cycles += named::workerLoop(v, tile, n);
  return binary(v, cycles, v.total(field));
}

std::uint64_t scalarLoop(const Priced &v, std::uint64_t n) {
  return named::workerLoop(
      v,
      [&](std::uint64_t m) {
        return cost::broadcastScalarCycles(v.chip(), binaryOf(v.name), v.type(1), m);
      },
      n);
}
poplar::VertexPerfEstimate scalar1D(const Priced &v) {
  const auto n = v.size(inPlace(v.name) ? "data" : "out");
  return binary(v, cost::broadcastScalarCycles(v.chip(), binaryOf(v.name), v.type(1), n), n);
}
// One scalar for all regions.
poplar::VertexPerfEstimate scalar2DData(const Priced &v) {
  const char *field = inPlace(v.name) ? "data" : "out";
  std::uint64_t cycles = 20;
  for (auto n : v.sizes(field))
    cycles += scalarLoop(v, n) + 28;
  return binary(v, cycles, v.total(field));
}
// One for each: the loops of add, subtract and multiply have an overhead of 4 instead of 1.
poplar::VertexPerfEstimate scalar2D(const Priced &v) {
  const char *field = inPlace(v.name) ? "data" : "out";
  const bool fast = innerFormula(v.name) && binaryOf(v.name) != BinaryOpType::DIVIDE;
  const unsigned width = v.target.getVectorWidth(v.type(1));
  std::uint64_t cycles = 20;
  for (auto n : v.sizes(field))
    cycles += scalarLoop(v, n) + 28 + (fast ? 3 * base::ceilDiv(n, width) : 0);
  return binary(v, cycles, v.total(field));
}

poplar::VertexPerfEstimate vectorInner(const Priced &v) {
  const auto slices = v.value("bSlicesM1") + 1, length = v.value("bSliceLen"),
             rows = v.value("bBroadcastFactor");
  return binary(
      v, cost::vectorInnerCycles(v.chip(), binaryOf(v.name), v.type(1), slices, length, rows),
      slices * length * rows);
}

poplar::VertexPerfEstimate vectorOuter(const Priced &v, std::uint64_t rows, std::uint64_t columns) {
  const bool aligned = v.value("columns") % v.target.getVectorWidth(v.type(1)) == 0;
  const auto enter = aligned ? 7 : 25;
  return binary(v, 11 + v.chip().onWorkers(15 + rows * (enter + scalarLoop(v, columns))),
                v.value("rows") * v.value("columns"));
}
poplar::VertexPerfEstimate outerByRow(const Priced &v) {
  return vectorOuter(v, v.chip().workerShare(v.value("rows")), v.value("columns"));
}
poplar::VertexPerfEstimate outerByColumn(const Priced &v) {
  return vectorOuter(v, v.value("rows"), v.chip().workerShare(v.value("columns")));
}

} // namespace

std::string codeletPrelude() {
  return str("namespace popops {\nnamespace expr {\n", enumeration("UnaryOpType", unaryOperators),
             enumeration("BinaryOpType", binaryOperators),
             "} // namespace expr\n} // namespace popops\n", arithmeticSource);
}
std::string codeletOperator(UnaryOpType op) {
  const auto &chosen = unaryOperators[unsigned(op)];
  return computation("UnaryOf", unaryPrefix + chosen.name, chosen, "T x");
}
std::string codeletOperator(BinaryOpType op) {
  const auto &chosen = binaryOperators[unsigned(op)];
  return computation("BinaryOf", binaryPrefix + chosen.name, chosen, "T a, T b");
}
std::string codeletFunctions() { return str(castSource, selectSource); }

namespace named {

Choices operatorChoices() {
  return {{'u', spelled(unaryOperators, unaryPrefix)},
          {'b', spelled(binaryOperators, binaryPrefix)}};
}

std::vector<Family> operatorVertices() {
  const auto unary = unaryText<unarySource>;
  const auto binary = binaryText<binarySource>, scalar = binaryText<scalarSource>,
             vector = binaryText<vectorSource>;
  return {
      {"UnaryOp1D", "ut", unary, unary1D, unaryExists},
      {"UnaryOp1DInPlace", "ut", unary, unary1D, unaryExists},
      {"UnaryOp2D", "ut", unary, unary2D, unaryExists},
      {"UnaryOp2DInPlace", "ut", unary, unary2D, unaryExists},
      {"BinaryOp1D", "bt", binary, binary1D, binaryExists},
      {"BinaryOp1DInPlace", "bt", binary, binary1D, binaryExists},
      {"BinaryOp2D", "bt", binary, binary2D, binaryExists},
      {"BinaryOp2DInPlace", "bt", binary, binary2D, binaryExists},
      {"BroadcastScalar1D", "bt", scalar, scalar1D, binaryExists},
      {"BroadcastScalar1DInPlace", "bt", scalar, scalar1D, binaryExists},
      {"BroadcastScalar2D", "bt", scalar, scalar2D, binaryExists},
      {"BroadcastScalar2DInPlace", "bt", scalar, scalar2D, binaryExists},
      {"BroadcastScalar2DData", "bt", scalar, scalar2DData, binaryExists},
      {"BroadcastScalar2DDataInPlace", "bt", scalar, scalar2DData, binaryExists},
      {"BroadcastScalar2Types1D", "bll", scalar, scalar1D, binaryExists},
      {"BroadcastScalar2Types2DData", "bll", scalar, scalar2DData, binaryExists},
      {"BroadcastScalar1DRelationalOpDualOutput", "btt", scalar, nullptr, relationExists},
      {"BroadcastVectorInner1D", "bt", vector, vectorInner, binaryExists, innerFormula},
      {"BroadcastVectorInner1DInPlace", "bt", vector, vectorInner, binaryExists, innerFormula},
      {"BroadcastVectorOuterByRow1D", "btf", vector, outerByRow, binaryExists, isFloat},
      {"BroadcastVectorOuterByRow1DInPlace", "btf", vector, outerByRow, binaryExists, isFloat},
      {"BroadcastVectorOuterByColumn1D", "btf", vector, outerByColumn, binaryExists, isFloat},
      {"BroadcastVectorOuterByColumn1DInPlace", "btf", vector, outerByColumn, binaryExists,
       isFloat},
  };
}

} // namespace named
} // namespace popops
