// SPDX-License-Identifier: MIT
// The cost table of compiled C++.
#include "arch/Instructions.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace arch {
namespace {

struct ClassCost {
  Instruction instruction;
  const char *name;
  double bundles;
};

constexpr ClassCost classes[instructionClasses] = {
    {Instruction::Load, "load", 1},                         // ISA
    {Instruction::Store, "store", 1},                       // ISA
    {Instruction::SubwordStore, "subword store", 3},        // PL: load, merge, store
    {Instruction::Integer, "integer", 1},                   // ISA
    {Instruction::IntegerMultiply, "integer multiply", 1},  // ISA
    {Instruction::IntegerDivide, "integer divide", 40},     // A15: software
    {Instruction::Branch, "branch", 1},                     // ISA
    {Instruction::FloatAddMul, "float add or multiply", 1}, // ISA
    {Instruction::HalfAddMul, "half add or multiply", 1},   // ISA
    {Instruction::FloatDivide, "float divide", 2},    // PL: inverse is 6 per 2, with load and store
    {Instruction::FloatSqrt, "float square root", 4}, // PL: 10 per 2, with load and store
    {Instruction::Convert, "convert", 2},             // A15: convert, and move to the other file
    {Instruction::Move, "move", 0},                   // A15: three-operand instructions need none
    {Instruction::Call, "call", 4},                   // A15: call, save, restore, return
    {Instruction::DoubleAddMul, "double add or multiply", 60}, // A15: software
    {Instruction::DoubleDivide, "double divide", 250},         // A15
    {Instruction::DoubleSqrt, "double square root", 400},      // A15
    {Instruction::DoubleConvert, "double convert", 20},        // A15
};

// Element-wise kernels of PL less their load and store, per element. Sums say what a function is
// made of (A15).
const std::map<std::string, double, std::less<>> &functions() {
  constexpr double exp = 2, log = 5, tanh = 5, sqrt = 4, rsqrt = 3, divide = 2, erf = 20,
                   sin = 2300;               // PL
  constexpr double doubleFunction = 32 * 60; // A15: a polynomial of 16 terms in software
  static const std::map<std::string, double, std::less<>> table = {
      {"expf", exp},
      {"exp2f", exp + 1},
      {"expm1f", exp + 1},
      {"logf", log},
      {"log2f", log + 1},
      {"log10f", log + 1},
      {"log1pf", log + 1},
      {"tanhf", tanh},
      {"sinhf", 2 * exp + 2},
      {"coshf", 2 * exp + 2},
      {"sqrtf", sqrt},
      {"rsqrtf", rsqrt},
      {"cbrtf", log + exp + 1},
      {"hypotf", sqrt + 3},
      {"powf", log + exp + 1},
      {"erff", erf},
      {"erfcf", erf + 1},
      {"sinf", sin},
      {"cosf", sin},
      {"tanf", 2 * sin + divide},
      {"sincosf", 2 * sin},
      {"asinf", sin},
      {"acosf", sin},
      {"atanf", sin},
      {"atan2f", sin + divide},
      {"fabsf", 1},
      {"fmaxf", 1},
      {"fminf", 1},
      {"copysignf", 1},
      {"fmaf", 2},
      {"floorf", 1},
      {"ceilf", 1},
      {"roundf", 1},
      {"truncf", 1},
      {"rintf", 1},
      {"nearbyintf", 1},
      {"fmodf", divide + 3},
      {"exp", doubleFunction},
      {"exp2", doubleFunction},
      {"expm1", doubleFunction},
      {"log", doubleFunction},
      {"log2", doubleFunction},
      {"log10", doubleFunction},
      {"log1p", doubleFunction},
      {"tanh", doubleFunction + 250},
      {"sinh", 2 * doubleFunction},
      {"cosh", 2 * doubleFunction},
      {"sqrt", 400},
      {"cbrt", 2 * doubleFunction},
      {"hypot", 400 + 3 * 60},
      {"pow", 2 * doubleFunction + 60},
      {"erf", 2 * doubleFunction},
      {"erfc", 2 * doubleFunction},
      {"sin", doubleFunction},
      {"cos", doubleFunction},
      {"tan", 2 * doubleFunction + 250},
      {"sincos", 2 * doubleFunction},
      {"asin", doubleFunction},
      {"acos", doubleFunction},
      {"atan", doubleFunction},
      {"atan2", doubleFunction + 250},
      {"fabs", 1},
      {"copysign", 1},
      {"fmax", 20},
      {"fmin", 20},
      {"fma", 2 * 60},
      {"floor", 20},
      {"ceil", 20},
      {"round", 20},
      {"trunc", 20},
      {"rint", 20},
      {"nearbyint", 20},
      {"fmod", 250 + 3 * 60},
  };
  return table;
}

} // namespace

double bundlesPer(Instruction instruction) { return classes[unsigned(instruction)].bundles; }
const char *toString(Instruction instruction) { return classes[unsigned(instruction)].name; }

bool libraryBundles(std::string_view function, double &bundles) {
  const auto found = functions().find(function);
  if (found == functions().end())
    return false;
  bundles = found->second;
  return true;
}

namespace {

// Per four halves, where they are not four floats: kernels of PL less their load and store.
const std::map<std::string, double, std::less<>> fourHalves = {
    {"exp", 2}, {"tanh", 2}, {"log", 2}, {"sigmoid", 4}, {"sqrt", 21}, {"rsqrt", 17}};

// Of one float. What <math.h> does not have is made of what it has (A15).
bool floatBundles(std::string_view function, double &bundles) {
  static const std::map<std::string, double, std::less<>> others = {
      {"max", 1},     {"min", 1},   {"clamp", 2}, {"absmax", 3},
      {"sigmoid", 5}, {"exp10", 8}, {"fdim", 2},  {"remainder", 5}};
  if (const auto at = others.find(function); at != others.end()) {
    bundles = at->second;
    return true;
  }
  return libraryBundles(std::string(function) + "f", bundles);
}

} // namespace

bool vectorBundles(std::string_view function, std::string_view type, double &bundles) {
  const bool isHalf = type.substr(0, 4) == "half";
  const double lanes = type.back() - '0';
  if (!floatBundles(function, bundles) || (lanes != 2 && lanes != 4))
    return false;
  const auto four = fourHalves.find(function);
  if (isHalf && four != fourHalves.end())
    bundles = lanes == 4 ? four->second : (four->second + 1) / 2;
  else if (bundles <= 3) // one operation after the other on 64 bits
    bundles *= isHalf ? 1 : lanes / 2;
  else
    bundles *= lanes;
  return true;
}

namespace {

// ISA: one instruction each, of up to 64 bits.
const std::set<std::string, std::less<>> mainBuiltins = {
    "andc",       "bitrev8",  "clz",    "get",    "ld2x64pace", "ld2xst64pace", "ldst64pace",
    "popc",       "put",      "roll16", "scount", "shuf8x8hi",  "shuf8x8lo",    "sort4x16hi",
    "sort4x16lo", "st64pace", "swap16", "swap8",  "tapack",     "tile_id"};
const std::set<std::string, std::less<>> auxBuiltins = {
    "absadd", "absmax", "and",   "andc",  "clamp", "cmpeq",   "cmpge",
    "cmpgt",  "cmple",  "cmplt", "cmpne", "get",   "grand",   "max",
    "min",    "or",     "put",   "sum",   "urand", "urand32", "urand64"};
// Several, as the function of that name: kernels of PL.
const std::map<std::string, std::string, std::less<>> functionBuiltins = {
    {"exp", "exp"},   {"exp2", "exp2"},    {"ln", "log"},    {"log2", "log2"},
    {"tanh", "tanh"}, {"sigm", "sigmoid"}, {"sqrt", "sqrt"}, {"rsqrt", "rsqrt"}};

std::optional<BuiltinCost> auxCost(std::string_view name, std::string_view type) {
  double bundles = type == "float4" ? 2 : 1;
  if (auxBuiltins.count(name))
    return BuiltinCost{Slot::Aux, bundles};
  const auto function = functionBuiltins.find(name);
  if (function == functionBuiltins.end())
    return std::nullopt;
  const bool isScalar = type == "float" || type == "half";
  if (!(isScalar ? floatBundles(function->second, bundles)
                 : vectorBundles(function->second, type, bundles)))
    return std::nullopt;
  return BuiltinCost{Slot::Aux, bundles};
}

} // namespace

std::optional<BuiltinCost> builtinCost(std::string_view builtin) {
  constexpr std::string_view main = "main_", aux = "aux_";
  if (builtin.substr(0, main.size()) == main && mainBuiltins.count(builtin.substr(main.size())))
    return BuiltinCost{Slot::Main, 1};
  if (builtin.substr(0, aux.size()) != aux)
    return std::nullopt;
  builtin.remove_prefix(aux.size());
  if (auxBuiltins.count(builtin)) // of words
    return BuiltinCost{Slot::Aux, 1};
  const auto split = builtin.rfind('_');
  return split == builtin.npos ? std::nullopt
                               : auxCost(builtin.substr(0, split), builtin.substr(split + 1));
}

std::vector<std::string> builtins() {
  std::vector<std::string> names;
  for (const auto &name : auxBuiltins)
    names.push_back("aux_" + name);
  for (const auto &[name, function] : functionBuiltins)
    names.push_back("aux_" + name);
  for (const auto &name : mainBuiltins)
    names.push_back("main_" + name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> libraryFunctions() {
  std::vector<std::string> names;
  for (const auto &[name, bundles] : functions())
    names.push_back(name);
  return names;
}

void InstructionCount::call(std::string_view function, std::uint64_t times) {
  double each = 0;
  if (!arch::libraryBundles(function, each))
    throw std::invalid_argument(base::str("No cost is known for the function \"", function, "\".",
                                          base::didYouMean(function, libraryFunctions())));
  libraryBundles += each * double(times);
  if (each > longestInline)
    executed[unsigned(Instruction::Call)] += times;
}

std::uint64_t InstructionCount::bundles(const Chip &chip) const {
  double sum = libraryBundles;
  for (unsigned i = 0; i < instructionClasses; ++i)
    sum += classes[i].bundles * double(executed[i]);
  return std::max<std::uint64_t>(1, chip.launch.vertexBundles + roundUp(sum));
}

} // namespace arch
