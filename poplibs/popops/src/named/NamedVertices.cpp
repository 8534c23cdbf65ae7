// SPDX-License-Identifier: MIT
#include "popops/NamedVertices.hpp"
#include "base/Text.hpp"
#include "named/CodeletText.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/ExprOp.hpp"
#include <algorithm>
#include <map>
#include <poplar/Type.hpp>
#include <vector>

namespace popops {
namespace {

using base::str;
using poplar::Type;

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
const char *const fillSource =
#include "../../codelets/Fill.cpp"
    ;
const char *const scaledSource =
#include "../../codelets/ScaledAdd.cpp"
    ;

// Arguments: u and b an operator, t a type, f a bool.
struct Family {
  const char *source, *arguments;
};
const std::map<std::string, Family> families{
    {"UnaryOp1D", {unarySource, "ut"}},
    {"UnaryOp1DInPlace", {unarySource, "ut"}},
    {"UnaryOp2D", {unarySource, "ut"}},
    {"UnaryOp2DInPlace", {unarySource, "ut"}},
    {"BinaryOp1D", {binarySource, "bt"}},
    {"BinaryOp1DInPlace", {binarySource, "bt"}},
    {"BinaryOp2D", {binarySource, "bt"}},
    {"BinaryOp2DInPlace", {binarySource, "bt"}},
    {"BroadcastScalar1D", {scalarSource, "bt"}},
    {"BroadcastScalar1DInPlace", {scalarSource, "bt"}},
    {"BroadcastScalar2D", {scalarSource, "bt"}},
    {"BroadcastScalar2DInPlace", {scalarSource, "bt"}},
    {"BroadcastScalar2DData", {scalarSource, "bt"}},
    {"BroadcastScalar2DDataInPlace", {scalarSource, "bt"}},
    {"BroadcastScalar2Types1D", {scalarSource, "btt"}},
    {"BroadcastScalar2Types2DData", {scalarSource, "btt"}},
    {"BroadcastScalar1DRelationalOpDualOutput", {scalarSource, "btt"}},
    {"BroadcastVectorInner1D", {vectorSource, "bt"}},
    {"BroadcastVectorInner1DInPlace", {vectorSource, "bt"}},
    {"BroadcastVectorOuterByRow1D", {vectorSource, "btf"}},
    {"BroadcastVectorOuterByRow1DInPlace", {vectorSource, "btf"}},
    {"BroadcastVectorOuterByColumn1D", {vectorSource, "btf"}},
    {"BroadcastVectorOuterByColumn1DInPlace", {vectorSource, "btf"}},
    {"Select", {selectSource, "t"}},
    {"SelectInPlace", {selectSource, "t"}},
    {"BroadcastSelect", {selectSource, "t"}},
    {"BroadcastSelectorSelect", {selectSource, "t"}},
    {"BroadcastSelectorSelectInPlace", {selectSource, "t"}},
    {"Clamp", {selectSource, "t"}},
    {"ClampInPlace", {selectSource, "t"}},
    {"BroadcastClamp", {selectSource, "t"}},
    {"BroadcastClampInPlace", {selectSource, "t"}},
    {"Cast1D", {castSource, "tt"}},
    {"Cast1DSingleWorker", {castSource, "tt"}},
    {"Cast2D", {castSource, "tt"}},
    {"Fill", {fillSource, "t"}},
    {"Fill2d", {fillSource, "t"}},
    {"Iota", {fillSource, "t"}},
    {"ScaledAddSupervisor", {scaledSource, "tttf"}},
    {"ScaledSubtractSupervisor", {scaledSource, "tttf"}},
    {"ScaledAdd2D", {scaledSource, "tttf"}},
    {"ScaledSubtract2D", {scaledSource, "ttf"}},
    {"aXPlusbYSupervisor", {scaledSource, "ttf"}},
    {"aXMinusbYSupervisor", {scaledSource, "ttf"}},
    {"XMinusaXPlusbYSupervisor", {scaledSource, "tf"}},
    {"aXPlusbY2D", {scaledSource, "ttf"}},
    {"aXMinusbY2D", {scaledSource, "ttf"}},
    {"XMinusaXPlusbY2D", {scaledSource, "tf"}},
    {"HadamardProd", {scaledSource, "t"}},
    {"ScalarMultiply1D", {scaledSource, "tt"}},
    {"ScalarMultiply1DInplace", {scaledSource, "tt"}},
    {"ScalarMultiply2D", {scaledSource, "tt"}},
    {"ScalarMultiply2DInplace", {scaledSource, "tt"}}};

struct Operator {
  const char *name, *result, *expression;
};
const Operator unaryOperators[] = {
#define UNARY(name, result, f, fi, h, hi, i, u, l, ul, s, b, bi, expression)                       \
  {#name, #result, #expression},
#include "elementwise/Operators.def"
};
const Operator binaryOperators[] = {
#define BINARY(name, result, f, fs, h, hs, i, is, u, us, l, ls, ul, uls, s, ss, b_, bs, flops, e)  \
  {#name, #result, #e},
#include "elementwise/Operators.def"
};

std::string trimmed(const std::string &text) {
  const auto first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

struct Name {
  std::string family;
  std::vector<std::string> arguments;
};
// "popops::Cast1D<float,half>" is Cast1D, {float, half}.
bool parse(const std::string &text, Name &name) {
  const std::string space = "popops::";
  const auto open = text.find('<');
  if (text.compare(0, space.size(), space) != 0 || open == std::string::npos || text.back() != '>')
    return false;
  name.family = text.substr(space.size(), open - space.size());
  std::string rest = text.substr(open + 1, text.size() - open - 2);
  for (std::size_t at = 0; at <= rest.size();) {
    const auto comma = std::min(rest.find(',', at), rest.size());
    name.arguments.push_back(trimmed(rest.substr(at, comma - at)));
    at = comma + 1;
  }
  return true;
}

bool typeOf(const std::string &text, Type &type) {
  using namespace poplar;
  for (const Type &t : {FLOAT, HALF, INT, UNSIGNED_INT, LONGLONG, UNSIGNED_LONGLONG, SHORT,
                        UNSIGNED_SHORT, BOOL, CHAR, SIGNED_CHAR, UNSIGNED_CHAR})
    if (t.toString() == text) {
      type = t;
      return true;
    }
  return false;
}

template <std::size_t N>
const Operator *operatorOf(const Operator (&all)[N], const std::string &text,
                           const std::string &prefix) {
  for (const auto &op : all)
    if (text == prefix + op.name)
      return &op;
  return nullptr;
}

std::string enumeration(const char *name, const Operator *all, std::size_t n) {
  std::string text = str("enum class ", name, " {");
  for (std::size_t i = 0; i < n; ++i)
    text += str(i ? ", " : " ", all[i].name);
  return text + " };\n";
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
             "> {\n  static constexpr bool isBool = ",
             chosen.result == std::string("Bool") ? "true" : "false",
             ";\n  template <class T> static auto of(", parameters, ") { return ",
             withoutHeader(chosen.expression), "; }\n};\n} // namespace popops\n");
}

// Checks the arguments against the family; the operator's computation goes to `extra`.
bool check(const Name &name, const Family &family, std::string &extra) {
  const std::string kinds = family.arguments;
  if (name.arguments.size() != kinds.size())
    return false;
  Type type;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto &text = name.arguments[i];
    if (kinds[i] == 'f' && text != "true" && text != "false")
      return false;
    if (kinds[i] == 't' && !typeOf(text, type))
      return false;
  }
  if (kinds[0] != 'u' && kinds[0] != 'b')
    return true;
  typeOf(name.arguments[1], type);
  const bool unary = kinds[0] == 'u';
  const Operator *op =
      unary ? operatorOf(unaryOperators, name.arguments[0], "popops::expr::UnaryOpType::")
            : operatorOf(binaryOperators, name.arguments[0], "popops::expr::BinaryOpType::");
  if (!op)
    return false;
  const bool supported = unary ? cost::supported(expr::UnaryOpType(op - unaryOperators), type)
                               : cost::supported(expr::BinaryOpType(op - binaryOperators), type);
  extra = unary ? computation("UnaryOf", name.arguments[0], *op, "T x")
                : computation("BinaryOf", name.arguments[0], *op, "T a, T b");
  return supported;
}

} // namespace

std::string codeletPrelude() {
  return str("namespace popops {\nnamespace expr {\n",
             enumeration("UnaryOpType", unaryOperators, std::size(unaryOperators)),
             enumeration("BinaryOpType", binaryOperators, std::size(binaryOperators)),
             "} // namespace expr\n} // namespace popops\n", arithmeticSource);
}
std::string codeletOperator(expr::UnaryOpType op) {
  const auto &chosen = unaryOperators[unsigned(op)];
  return computation("UnaryOf", str("popops::expr::UnaryOpType::", chosen.name), chosen, "T x");
}
std::string codeletOperator(expr::BinaryOpType op) {
  const auto &chosen = binaryOperators[unsigned(op)];
  return computation("BinaryOf", str("popops::expr::BinaryOpType::", chosen.name), chosen,
                     "T a, T b");
}
std::string codeletFunctions() { return str(castSource, selectSource); }

std::string vertexSource(const std::string &vertexName) {
  Name name;
  if (!parse(vertexName, name))
    return "";
  const auto family = families.find(name.family);
  std::string extra;
  if (family == families.end() || !check(name, family->second, extra))
    return "";
  return str(codeletPrelude(), extra, family->second.source, "template class ", vertexName, ";\n");
}

} // namespace popops
