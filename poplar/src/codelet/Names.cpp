// SPDX-License-Identifier: MIT
// canonicalName: a vertex type's name is split into words and punctuation, runs of arithmetic-type
// words are replaced by one spelling, and everything is joined without unneeded spaces.
#include "codelet/Module.hpp"
#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace poplar::codelet {
namespace {

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::vector<std::string> tokenise(std::string_view text) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (isWordCharacter(text[i]))
      while (end < text.size() && isWordCharacter(text[end]))
        ++end;
    else if (text.substr(i, 2) == "::")
      end = i + 2;
    tokens.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

bool isArithmeticWord(const std::string &word) {
  static constexpr std::array<std::string_view, 9> words = {
      "unsigned", "signed", "short", "long", "int", "char", "float", "double", "bool"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The words of one arithmetic type in any order, e.g. {"short", "unsigned", "int"}.
std::string arithmeticSpelling(const std::vector<std::string> &words) {
  const auto count = [&](const char *w) { return std::count(words.begin(), words.end(), w); };
  if (count("float") || count("bool"))
    return words.front();
  if (count("double"))
    return count("long") ? "long double" : "double";
  const std::string sign = count("unsigned") ? "unsigned " : "";
  if (count("char"))
    return count("signed") ? "signed char" : sign + "char";
  if (count("short"))
    return sign + "short";
  if (count("long"))
    return sign + "long long"; // 64-bit `long` exists on the host only
  return sign + "int";
}

const std::map<std::string, std::string, std::less<>> &aliases() {
  static const std::map<std::string, std::string, std::less<>> table = {
      {"_Float16", "half"},
      {"IeeeHalf", "half"},
      {"int8_t", "signed char"},
      {"uint8_t", "unsigned char"},
      {"int16_t", "short"},
      {"uint16_t", "unsigned short"},
      {"int32_t", "int"},
      {"uint32_t", "unsigned int"},
      {"int64_t", "long long"},
      {"uint64_t", "unsigned long long"},
      {"size_t", "unsigned long long"}};
  return table;
}

// 4u, 0x10UL, 4 -> decimal without suffix. Anything else comes back unchanged.
std::string plainInteger(const std::string &word) {
  if (!std::isdigit(static_cast<unsigned char>(word.front())))
    return word;
  std::string digits = word;
  while (!digits.empty() && std::string_view("uUlL").find(digits.back()) != std::string_view::npos)
    digits.pop_back();
  try {
    std::size_t used = 0;
    const auto value = std::stoull(digits, &used, 0);
    return used == digits.size() ? std::to_string(value) : word;
  } catch (const std::exception &) {
    return word;
  }
}

// A name such as std::uint32_t or poplar::half loses the namespace with its alias.
void dropQualifier(std::vector<std::string> &out) {
  if (out.size() >= 2 && out.back() == "::" &&
      (out[out.size() - 2] == "std" || out[out.size() - 2] == "poplar"))
    out.resize(out.size() - 2);
}

std::vector<std::string> replaceWords(const std::vector<std::string> &tokens) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < tokens.size();) {
    if (isArithmeticWord(tokens[i])) {
      std::size_t end = i;
      while (end < tokens.size() && isArithmeticWord(tokens[end]))
        ++end;
      out.push_back(arithmeticSpelling(
          {tokens.begin() + std::ptrdiff_t(i), tokens.begin() + std::ptrdiff_t(end)}));
      i = end;
      continue;
    }
    const bool qualifies = i + 1 < tokens.size() && tokens[i + 1] == "::";
    const auto alias = qualifies ? aliases().end() : aliases().find(tokens[i]);
    if (alias != aliases().end() || tokens[i] == "half")
      dropQualifier(out);
    out.push_back(alias != aliases().end() ? alias->second : plainInteger(tokens[i]));
    ++i;
  }
  return out;
}

} // namespace

std::string canonicalName(std::string_view name) {
  std::string out;
  for (const std::string &token : replaceWords(tokenise(name))) {
    if (token == "::" && out.empty())
      continue; // ::Foo is Foo
    if (!out.empty() && isWordCharacter(out.back()) && isWordCharacter(token.front()))
      out += ' ';
    out += token;
  }
  return out;
}

} // namespace poplar::codelet
