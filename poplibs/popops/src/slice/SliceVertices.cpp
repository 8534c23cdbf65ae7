// SPDX-License-Identifier: MIT
#include "popops/SliceVertices.hpp"
#include "popops/OperationDef.hpp"
#include <algorithm>
#include <map>
#include <vector>

namespace popops {
namespace {

const char *const dynamicSource =
#include "../../codelets/slice/DynamicSlice.cpp"
    ;
const char *const multiSource =
#include "../../codelets/slice/MultiSlice.cpp"
    ;
const char *const sequenceSource =
#include "../../codelets/slice/SequenceSlice.cpp"
    ;

// In the order of popops/OperationDef.hpp.
const char *const operationSource =
    "namespace popops {\nenum class Operation {\n  ADD, MUL, MIN, MAX, LOGICAL_AND, LOGICAL_OR, "
    "SQUARE_ADD, LOG_ADD\n};\n} // namespace popops\n";
static_assert(int(Operation::MUL) == 1 && int(Operation::MAX) == 3 && int(Operation::LOG_ADD) == 7);

// Arguments: t any type, n a number, s a scale, f a bool, o an operation, a addition.
const std::map<std::string, std::string> families{
    {"DynamicSlice1D", "t"},       {"DynamicSlice2D", "t"},  {"DynamicUpdateSlice1D", "t"},
    {"DynamicUpdateSlice2D", "t"}, {"MultiSlice", "t"},      {"MultiUpdate", "t"},
    {"SequenceSlice", "t"},        {"MultiUpdateOp", "nfo"}, {"ScaledMultiUpdateOp", "nsfa"}};

using Words = std::vector<std::string>;

bool isOneOf(const std::string &word, const Words &words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const Words numbers{"float", "half", "int", "unsigned int"};
const Words types{
    "float", "half",           "int",  "unsigned int", "long long",   "unsigned long long",
    "short", "unsigned short", "bool", "char",         "signed char", "unsigned char"};
const std::string operation = "popops::Operation::";

bool fits(char kind, const std::string &word) {
  switch (kind) {
  case 't':
    return isOneOf(word, types);
  case 'n':
  case 's':
    return isOneOf(word, numbers);
  case 'f':
    return word == "true" || word == "false";
  case 'o':
    return isOneOf(word, {operation + "ADD", operation + "MUL", operation + "MAX"});
  default:
    return word == operation + "ADD";
  }
}

std::string trimmed(const std::string &text) {
  auto first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// What stands between the angle brackets, by commas.
Words argumentsOf(const std::string &text) {
  Words words;
  for (std::size_t at = 0; at <= text.size();) {
    auto comma = std::min(text.find(',', at), text.size());
    words.push_back(trimmed(text.substr(at, comma - at)));
    at = comma + 1;
  }
  return words;
}

bool known(const std::string &name) {
  const std::string space = "popops::";
  auto open = name.find('<');
  if (name.compare(0, space.size(), space) != 0 || open == std::string::npos || name.back() != '>')
    return false;
  auto family = families.find(name.substr(space.size(), open - space.size()));
  if (family == families.end())
    return false;
  auto words = argumentsOf(name.substr(open + 1, name.size() - open - 2));
  const auto &kinds = family->second;
  if (!std::equal(kinds.begin(), kinds.end(), words.begin(), words.end(), fits))
    return false;
  // A scale has the type of the data, or is float for half.
  return kinds != "nsfa" || words[0] == words[1] || (words[0] == "half" && words[1] == "float");
}

} // namespace

std::string sliceVertexSource(const std::string &vertexName) {
  if (!known(vertexName))
    return "";
  return std::string(operationSource) + dynamicSource + multiSource + sequenceSource +
         "template class " + vertexName + ";\n";
}

} // namespace popops
