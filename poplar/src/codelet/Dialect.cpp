// SPDX-License-Identifier: MIT
#include "codelet/Dialect.hpp"
#include "base/Text.hpp"
#include "codelet/Errors.hpp"
#include <algorithm>
#include <cctype>
#include <string_view>

namespace poplar::codelet {
namespace {

constexpr std::string_view blanks = " \t\n";

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos)
    return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) + 1 - first));
}

bool hasWordAt(std::string_view text, std::size_t at, std::string_view word) {
  return text.substr(at, word.size()) == word && (at == 0 || !isWord(text[at - 1])) &&
         (at + word.size() >= text.size() || !isWord(text[at + word.size()]));
}

std::size_t findWord(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (auto at = text.find(word, from); at != text.npos; at = text.find(word, at + 1))
    if (hasWordAt(text, at, word))
      return at;
  return text.npos;
}

// The bracket that closes the one at `open`.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (auto i = open; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0)
      return i;
  }
  return text.npos;
}

// Line markers ("# 12 \"file\"") tell where the text came from.
std::string placeOf(std::string_view text, std::size_t at, const std::string &sourceName) {
  std::string file = sourceName;
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < at;) {
    const auto end = std::min(text.find('\n', begin), text.size());
    const auto row = text.substr(begin, end - begin);
    if (row.rfind("# ", 0) == 0 && row.size() > 2 &&
        std::isdigit(static_cast<unsigned char>(row[2]))) {
      line = std::stoul(std::string(row.substr(2, 9)));
      if (const auto quote = row.find('"'); quote != row.npos)
        file = std::string(row.substr(quote + 1, row.find('"', quote + 1) - quote - 1));
    } else if (end < at) {
      ++line;
    }
    begin = end + 1;
  }
  return base::str(file, ":", line);
}

// `typedef T name` or `using name = T`, without the attribute.
struct Declaration {
  std::string element; // T; empty: another declaration
  bool isAlias = false;
};

Declaration parse(std::string text) {
  if (const auto at = findWord(text, "using"); at != std::string::npos) {
    const auto equals = text.find('=', at);
    return {equals == std::string::npos ? "" : trimmed(text.substr(equals + 1)), true};
  }
  const auto at = findWord(text, "typedef");
  if (at == std::string::npos || text.find_first_of(",[]{}=", at) != std::string::npos)
    return {};
  text = trimmed(std::string_view(text).substr(at + 7));
  auto name = text.size();
  while (name > 0 && isWord(text[name - 1]))
    --name;
  return {trimmed(std::string_view(text).substr(0, name)), false};
}

struct Attribute {
  std::size_t begin, end; // of __attribute__((...))
};

Attribute attributeAround(std::string_view text, std::size_t at) {
  auto begin = text.rfind("__attribute", at);
  const auto open = begin == text.npos ? text.npos : text.find('(', begin);
  const auto close = open == text.npos ? text.npos : closing(text, open);
  if (close == text.npos || close < at)
    return {text.npos, text.npos};
  return {begin, close + 1};
}

// What an asm statement says: the text of its string literals, up to the first colon outside them.
struct Assembly {
  std::string text;
  bool isStatement = false; // not the name of a symbol behind a declaration
};

std::string literals(std::string_view text) {
  std::string all;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size() && (quoted || text[i] != ':'); ++i) {
    if (text[i] == '"')
      quoted = !quoted;
    else if (quoted && text[i] == '\\')
      ++i, all += ' ';
    else if (quoted)
      all += text[i];
  }
  return all;
}

Assembly assemblyAt(std::string_view source, std::size_t at, std::size_t length) {
  auto open = source.find_first_not_of(blanks, at + length);
  bool qualified = false;
  for (; open != source.npos && isWord(source[open]); qualified = true) {
    while (open < source.size() && isWord(source[open]))
      ++open;
    open = source.find_first_not_of(blanks, open);
  }
  const bool isAsm = open != source.npos && source[open] == '(';
  const auto close = isAsm ? closing(source, open) : source.npos;
  if (close == source.npos)
    return {};
  const auto before = at == 0 ? source.npos : source.find_last_not_of(blanks, at - 1);
  const bool behind = before != source.npos && (source[before] == ')' || isWord(source[before]));
  const auto inside = source.substr(open + 1, close - open - 1);
  const auto text = trimmed(literals(inside));
  return {text, qualified || !behind || inside.find(':') != inside.npos};
}

// Whether the text at `at` came from a header of the system: 3 at the end of its line marker.
bool isOfTheSystem(std::string_view source, std::size_t at) {
  auto marker = source.rfind("\n# ", at);
  while (marker != source.npos && marker > 0 &&
         !std::isdigit(static_cast<unsigned char>(source[marker + 3])))
    marker = source.rfind("\n# ", marker - 1);
  if (marker == source.npos)
    return false;
  const auto row = source.substr(marker + 1, source.find('\n', marker + 1) - marker - 1);
  const auto quote = row.rfind('"');
  return quote != row.npos && row.find(" 3", quote) != row.npos;
}

// $m0, $a0:1, $mzero, $azeros, $mvertex_base, $lr ...
bool namesTileRegister(std::string_view text) {
  for (auto at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    const auto name = text.substr(at + 1, 2);
    const bool isFile = name.size() == 2 && (name[0] == 'm' || name[0] == 'a');
    if (isFile || name == "lr" || name == "sp" || name == "fp" || name == "bp")
      return true;
  }
  return false;
}

template <class Refused>
void refuseAssembly(std::string_view source, const std::string &sourceName, Refused refused) {
  for (std::string_view word : {"asm", "__asm", "__asm__"})
    for (auto at = findWord(source, word); at != source.npos; at = findWord(source, word, at + 1)) {
      const auto found = assemblyAt(source, at, word.size());
      if (found.isStatement && refused(found.text) && !isOfTheSystem(source, at))
        throw CompileError(base::str(
            placeOf(source, at, sourceName), ": asm(\"", found.text.substr(0, 60),
            "\") is IPU assembly, which cannot run on the host. Keep it below #ifdef __IPU__ and "
            "write what it does in C++ for #else; single instructions have builtins "
            "(ipu_intrinsics: __builtin_ipu_max, tapack, urand32 ...)."));
    }
}

} // namespace

void refuseTileAssembly(std::string_view source, const std::string &sourceName) {
  refuseAssembly(source, sourceName, [](std::string_view text) { return namesTileRegister(text); });
}

void refuseAnyAssembly(std::string_view source, const std::string &sourceName) {
  refuseAssembly(source, sourceName, [](std::string_view text) { return !text.empty(); });
}

std::string translateVectorTypes(std::string source, const std::string &sourceName) {
  for (std::string_view word : {"ext_vector_type", "__ext_vector_type__"})
    for (auto at = findWord(source, word); at != source.npos; at = findWord(source, word, at)) {
      const auto open = source.find_first_not_of(blanks, at + word.size());
      const auto close =
          open != source.npos && source[open] == '(' ? closing(source, open) : source.npos;
      const auto attribute = attributeAround(source, at);
      Declaration declaration;
      std::size_t begin = 0, end = source.npos;
      if (close != source.npos && attribute.begin != source.npos) {
        const auto before = source.find_last_of(";{}", attribute.begin);
        begin = before == source.npos ? 0 : before + 1;
        end = source.find(';', attribute.end);
        if (end != source.npos)
          declaration = parse(source.substr(begin, attribute.begin - begin) + " " +
                              source.substr(attribute.end, end - attribute.end));
      }
      if (declaration.element.empty())
        throw CompileError(
            base::str(placeOf(source, at, sourceName),
                      ": ext_vector_type is clang's, and g++ has it only as "
                      "`typedef T name __attribute__((ext_vector_type(n)))` or `using name = T "
                      "__attribute__(...)`. Name the type that way, or include ipudef.h."));
      // Behind the name, where g++ heeds it for types that depend on a template's as well.
      const auto lanes = base::str("(", source.substr(open + 1, close - open - 1), ")");
      const auto translated =
          base::str(" __attribute__((vector_size((", lanes, " == 3 ? 4 : ", lanes, ") * sizeof(",
                    declaration.element, ")), aligned(sizeof(", declaration.element, ")))) ");
      const auto name =
          declaration.isAlias ? source.find('=', findWord(source, "using", begin)) : end;
      if (name > at)
        source.insert(name, translated);
      source.erase(at, close + 1 - at);
      if (name <= at)
        source.insert(name, translated);
    }
  return source;
}

// target ( "supervisor" ) with any spacing becomes `unused`, an attribute that g++ knows and that
// changes nothing.
std::string dropTargetAttributes(std::string source) {
  static constexpr std::string_view word = "target";
  for (std::size_t at = source.find(word); at != std::string::npos;
       at = source.find(word, at + 1)) {
    const std::size_t open = source.find_first_not_of(blanks, at + word.size());
    if (open == std::string::npos || source[open] != '(')
      continue;
    const std::size_t quote = source.find_first_not_of(blanks, open + 1);
    if (quote == std::string::npos || source[quote] != '"')
      continue;
    const std::string_view rest = std::string_view(source).substr(quote + 1);
    const std::size_t length = rest.rfind("supervisor\"", 0) == 0 ? 11
                               : rest.rfind("worker\"", 0) == 0   ? 7
                                                                  : 0;
    const std::size_t close =
        length ? source.find_first_not_of(blanks, quote + 1 + length) : std::string::npos;
    if (close == std::string::npos || source[close] != ')')
      continue;
    std::string replacement = "unused";
    for (std::size_t i = at; i < close; ++i)
      replacement += source[i] == '\n' ? "\n" : "";
    source.replace(at, close + 1 - at, replacement);
  }
  return source;
}

} // namespace poplar::codelet
