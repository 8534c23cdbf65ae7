// SPDX-License-Identifier: MIT
#include "codelet/HostInstruction.hpp"
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace poplar::codelet {
namespace {

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::vector<std::string> splitOperands(std::string_view text) {
  std::vector<std::string> operands;
  std::string operand;
  int depth = 0;
  for (char c : text) {
    depth += (c == '(') - (c == ')');
    if (c == ',' && depth == 0)
      operands.push_back(std::exchange(operand, {}));
    else if (!std::isspace(static_cast<unsigned char>(c)))
      operand += c;
  }
  if (!operand.empty())
    operands.push_back(operand);
  return operands;
}

std::string_view nextWord(std::string_view &line) {
  const auto end = std::min(line.find_first_of(" \t"), line.size());
  const auto word = line.substr(0, end);
  line.remove_prefix(end);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return word;
}

unsigned number(std::string_view digits) {
  unsigned n = 0;
  for (const char c : digits)
    n = isDigit(c) ? 10 * n + unsigned(c - '0') : n;
  return n;
}

// r8 to r15, with d, w or b behind for narrower ones.
Operand numbered(std::string_view name) {
  const char width = name.back();
  return {.kind = Operand::Register,
          .reg = int(number(name)),
          .bytes = width == 'd'   ? 4u
                   : width == 'w' ? 2u
                   : width == 'b' ? 1u
                                  : 8u,
          .symbol = {}};
}

// `name` without the percent sign.
Operand registerOf(std::string_view name) {
  static constexpr std::array<std::string_view, 8> families = {"ax", "cx", "dx", "bx",
                                                               "sp", "bp", "si", "di"};
  if (startsWith(name, "xmm") || startsWith(name, "ymm"))
    return {.kind = Operand::Register,
            .reg = firstVectorRegister + int(number(name) % 16),
            .bytes = name[0] == 'y' ? 32u : 16u,
            .symbol = {}};
  if (name.size() > 1 && name[0] == 'r' && isDigit(name[1]))
    return numbered(name);
  for (unsigned f = 0; f < families.size(); ++f) {
    const auto family = families[f];
    unsigned bytes = 0;
    if (name == family)
      bytes = 2;
    else if (name.size() == 3 && name.substr(1) == family)
      bytes = name[0] == 'r' ? 8 : 4;
    else if ((name.size() == 2 && name[0] == family[0] && family[1] == 'x') ||
             (name.size() == 3 && name.substr(0, 2) == family))
      bytes = 1;
    if (bytes)
      return {.kind = Operand::Register, .reg = int(f), .bytes = bytes, .symbol = {}};
  }
  return {.kind = Operand::Other, .symbol = {}}; // rip, flags, segments
}

Operand memoryOf(std::string_view text) {
  Operand memory{.kind = Operand::Memory, .symbol = {}};
  const auto open = text.find('(');
  const auto before = text.substr(0, open);
  if (!before.empty() && (isDigit(before[0]) || before[0] == '-'))
    memory.value = std::strtoll(std::string(before).c_str(), nullptr, 0);
  else
    memory.symbol = std::string(before);
  if (open == text.npos)
    return memory;
  const auto parts = splitOperands(text.substr(open + 1, text.find(')') - open - 1));
  const auto part = [&](std::size_t i) {
    return i < parts.size() && parts[i].size() > 1 && parts[i][0] == '%'
               ? registerOf(std::string_view(parts[i]).substr(1)).reg
               : noRegister;
  };
  memory.base = part(0);
  memory.index = part(1);
  if (parts.size() > 2)
    memory.scale = number(parts[2]);
  return memory;
}

Operand operandOf(std::string_view text) {
  if (startsWith(text, "%") && text.find(':') == text.npos)
    return registerOf(text.substr(1));
  if (startsWith(text, "$"))
    return {.kind = Operand::Immediate,
            .value = std::strtoll(std::string(text.substr(1)).c_str(), nullptr, 0),
            .symbol = {}};
  return memoryOf(text);
}

} // namespace

HostInstruction parseInstruction(std::string_view line) {
  HostInstruction i;
  // -fverbose-asm names the operands behind a #; %sfp is where a register was spilled.
  if (const auto comment = line.find('#'); comment != line.npos) {
    i.isSpill = line.find("%sfp", comment) != line.npos;
    line = line.substr(0, comment);
  }
  std::string_view word = nextWord(line);
  while (word == "rep" || word == "repz" || word == "repe" || word == "lock" || word == "notrack" ||
         word == "bnd") {
    i.isRepeated |= startsWith(word, "rep") && !startsWith(line, "ret");
    word = nextWord(line);
  }
  i.mnemonic = std::string(word);
  i.texts = splitOperands(line);
  const bool transfers = isJump(i) || startsWith(i.mnemonic, "call");
  for (const auto &text : i.texts)
    i.operands.push_back(!transfers              ? operandOf(text)
                         : startsWith(text, "*") ? operandOf(std::string_view(text).substr(1))
                                                 : Operand{.kind = Operand::Other, .symbol = text});
  return i;
}

bool isJump(const HostInstruction &i) { return startsWith(i.mnemonic, "j"); }

bool endsBlock(const HostInstruction &i) {
  return isJump(i) || startsWith(i.mnemonic, "ret") || i.mnemonic == "ud2" || i.mnemonic == "hlt";
}

std::string callee(const HostInstruction &i) {
  const bool transfers = startsWith(i.mnemonic, "call") || isJump(i);
  if (!transfers || i.texts.empty() || startsWith(i.texts[0], "*") || startsWith(i.texts[0], ".L"))
    return {};
  return i.texts[0].substr(0, i.texts[0].find('@'));
}

std::string_view jumpTarget(const HostInstruction &i) {
  if (!isJump(i) || i.texts.empty() || !startsWith(i.texts[0], ".L"))
    return {};
  return i.texts[0];
}

} // namespace poplar::codelet
