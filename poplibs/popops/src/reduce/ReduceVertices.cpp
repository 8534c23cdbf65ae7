// SPDX-License-Identifier: MIT
#include "popops/ReduceVertices.hpp"
#include <algorithm>
#include <map>
#include <vector>

namespace popops {

namespace {

const char *const reduceSource =
#include "../../codelets/reduce/Reduce.cpp"
    ;
const char *const encodingSource =
#include "../../codelets/reduce/Encoding.cpp"
    ;

// Arguments: r a reduction, n a number, l float or half, i an index, f a bool, s how.
struct Family {
  const char *source, *arguments;
};
const std::map<std::string, Family> families{{"Reduce", {reduceSource, "rnnfs"}},
                                             {"ScaledReduce", {reduceSource, "rnnfs"}},
                                             {"ContinuousReduce", {reduceSource, "rnnf"}},
                                             {"ScaledContinuousReduce", {reduceSource, "rnnf"}},
                                             {"EncodeOneHot", {encodingSource, "in"}},
                                             {"EncodeOneHotCustomValues", {encodingSource, "in"}},
                                             {"HasNaNOrInf1D", {encodingSource, "lf"}},
                                             {"HasNaNOrInf2D", {encodingSource, "lf"}},
                                             {"Histogram1D", {encodingSource, "lff"}},
                                             {"Histogram2D", {encodingSource, "lf"}},
                                             {"HeapSortVertex", {encodingSource, "n"}},
                                             {"HeapSortVertexKV", {encodingSource, "nn"}}};

using Words = std::vector<std::string>;

bool isOneOf(const std::string &word, const Words &words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool fits(char kind, const std::string &word) {
  static const std::string how = "popops::ReductionSpecialisation::";
  switch (kind) {
  case 'r':
    return isOneOf(word, {"popops::ReduceAdd", "popops::ReduceSquareAdd", "popops::ReduceMul",
                          "popops::ReduceMax", "popops::ReduceMin", "popops::ReduceAnd",
                          "popops::ReduceOr", "popops::ReduceLogAdd"});
  case 'n':
    return isOneOf(word, {"float", "half", "int", "unsigned int", "bool"});
  case 'l':
    return word == "float" || word == "half";
  case 'i':
    return word == "int" || word == "unsigned int";
  case 'f':
    return word == "true" || word == "false";
  default:
    return isOneOf(
        word, {how + "DEFAULT", how + "SCALAR_OUTPUT_REGIONS", how + "SCALAR_OUTPUT_SINGLE_INPUT"});
  }
}

// The pairs of types that each operation has vertices for; scales and updates are for sums.
bool typesFit(const std::string &family, const Words &words) {
  const std::string op = words[0].substr(std::string("popops::Reduce").size());
  const auto &in = words[1], &out = words[2];
  bool floats = fits('l', in) && fits('l', out), sum = isOneOf(op, {"Add", "SquareAdd", "LogAdd"});
  if ((family.compare(0, 6, "Scaled") == 0 || words[3] == "true") && !sum)
    return false;
  if (op == "And" || op == "Or")
    return in == "bool" && out == "bool";
  if (op == "Max" || op == "Min")
    return in == out && in != "bool";
  return floats || (in == "int" && out == "int" && op != "LogAdd");
}

std::string trimmed(const std::string &text) {
  auto first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

Words argumentsOf(const std::string &text) {
  Words words;
  for (std::size_t at = 0; at <= text.size();) {
    auto comma = std::min(text.find(',', at), text.size());
    words.push_back(trimmed(text.substr(at, comma - at)));
    at = comma + 1;
  }
  return words;
}

} // namespace

std::string reduceVertexSource(const std::string &vertexName) {
  const std::string space = "popops::";
  auto open = vertexName.find('<');
  if (vertexName.compare(0, space.size(), space) != 0 || open == std::string::npos ||
      vertexName.back() != '>')
    return "";
  auto family = families.find(vertexName.substr(space.size(), open - space.size()));
  if (family == families.end())
    return "";
  auto words = argumentsOf(vertexName.substr(open + 1, vertexName.size() - open - 2));
  std::string kinds = family->second.arguments;
  if (!std::equal(kinds.begin(), kinds.end(), words.begin(), words.end(), fits))
    return "";
  if (kinds[0] == 'r' && !typesFit(family->first, words))
    return "";
  return std::string(family->second.source) + "template class " + vertexName + ";\n";
}

} // namespace popops
