// SPDX-License-Identifier: MIT
// The classification is by mnemonic families; whatever is not recognised counts as one integer
// instruction, so that no code is free by accident.
#include "codelet/InstructionCost.hpp"
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace poplar::codelet {
namespace {

using arch::Instruction;

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}
template <std::size_t N>
bool oneOf(std::string_view word, const std::array<std::string_view, N> &words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
bool isRegister(std::string_view operand) { return startsWith(operand, "%"); }
bool isImmediate(std::string_view operand) { return startsWith(operand, "$"); }
bool isMemory(std::string_view operand) {
  return !operand.empty() && !isRegister(operand) && !isImmediate(operand);
}
bool isVector(std::string_view operand) {
  return startsWith(operand, "%xmm") || startsWith(operand, "%ymm");
}

// Adds up one block.
class Counter {
public:
  void add(Instruction kind, unsigned times = 1) {
    cost_.bundles += arch::bundlesPer(kind) * times;
    // A sub-word store is a load, a merge and a store; other classes are single instructions.
    cost_.instructions += times * (kind == Instruction::SubwordStore ? 3 : 1);
  }
  void addLibrary(const std::string &function) {
    double bundles = 0;
    if (arch::libraryBundles(function, bundles))
      cost_.bundles += bundles;
  }
  TileCost take() const { return cost_; }

private:
  TileCost cost_;
};

// 64-bit words that a vector move transfers.
unsigned words(const HostInstruction &i) {
  for (const std::string &o : i.operands)
    if (startsWith(o, "%ymm"))
      return 4;
  static constexpr std::array<std::string_view, 6> wide = {"movaps", "movups", "movdqa",
                                                           "movdqu", "movapd", "movupd"};
  std::string_view name = i.mnemonic;
  name.remove_prefix(startsWith(name, "v") ? 1 : 0);
  return oneOf(name, wide) ? 2 : 1;
}

bool isSubword(const HostInstruction &i) {
  const std::string &m = i.mnemonic;
  if (m == "movb" || m == "movw")
    return true;
  if (m == "mov" && i.operands.size() == 2) {
    const std::string &source = i.operands[0];
    return endsWith(source, "l") && source.size() == 3 && source != "%rl";
  }
  return false;
}

void countMove(Counter &out, const HostInstruction &i) {
  const std::string &source = i.operands.front(), &target = i.operands.back();
  if (isMemory(target))
    return isSubword(i) ? out.add(Instruction::SubwordStore)
                        : out.add(Instruction::Store, words(i));
  if (isMemory(source))
    return out.add(Instruction::Load, words(i));
  if (isImmediate(source))
    return out.add(Instruction::Integer);
  if (isVector(source) != isVector(target))
    out.add(Instruction::Move); // between the integer and the float registers
}

// add, and, shl ...: `op source, target` with at most one of them in memory.
void countAlu(Counter &out, const HostInstruction &i, Instruction kind) {
  const bool inPlace = !i.operands.empty() && isMemory(i.operands.back());
  for (const std::string &o : i.operands)
    if (isMemory(o))
      out.add(Instruction::Load);
  out.add(kind);
  if (inPlace)
    out.add(endsWith(i.mnemonic, "b") || endsWith(i.mnemonic, "w") ? Instruction::SubwordStore
                                                                   : Instruction::Store);
}

bool isZeroing(const HostInstruction &i, std::string_view name) {
  return (startsWith(name, "xorp") || startsWith(name, "pxor")) && i.operands.size() >= 2 &&
         i.operands[0] == i.operands[1];
}

Instruction floatKind(std::string_view name) {
  const bool isDouble = endsWith(name, "sd") || endsWith(name, "pd");
  if (startsWith(name, "div"))
    return isDouble ? Instruction::DoubleDivide : Instruction::FloatDivide;
  if (startsWith(name, "sqrt"))
    return isDouble ? Instruction::DoubleSqrt : Instruction::FloatSqrt;
  if (startsWith(name, "cvt")) {
    const bool touchesDouble = name.find("sd") != name.npos || name.find("pd") != name.npos;
    return touchesDouble ? Instruction::DoubleConvert : Instruction::Convert;
  }
  return isDouble ? Instruction::DoubleAddMul : Instruction::FloatAddMul;
}

// SSE and AVX arithmetic, conversions and shuffles; `name` is without the AVX "v".
void countVector(Counter &out, const HostInstruction &i, std::string_view name, bool isHalf) {
  static constexpr std::array<std::string_view, 4> halfArtefacts = {"insertps", "pblendw",
                                                                    "cvtph2ps", "cvtps2ph"};
  static constexpr std::array<std::string_view, 9> shuffles = {"unpcklps", "unpckhps", "shufps",
                                                               "movsldup", "movshdup", "pshufd",
                                                               "pshufb",   "movhlps",  "movlhps"};
  if (isZeroing(i, name))
    return;
  if (!i.operands.empty() && isMemory(i.operands.back()))
    return out.add(name == "pextrw" || name == "pextrb" ? Instruction::SubwordStore
                                                        : Instruction::Store);
  for (const std::string &o : i.operands)
    if (isMemory(o))
      out.add(Instruction::Load);
  if (oneOf(name, halfArtefacts))
    return;
  const bool fromMemory =
      std::any_of(i.operands.begin(), i.operands.end(), [](const auto &o) { return isMemory(o); });
  if (startsWith(name, "pinsr") || startsWith(name, "pextr") || startsWith(name, "broadcast") ||
      oneOf(name, shuffles))
    return fromMemory ? void() : out.add(Instruction::Move);
  if (startsWith(name, "p"))
    return out.add(Instruction::Integer,
                   2); // the tile has no integer vectors: two words, two instructions
  const Instruction kind = floatKind(name);
  out.add(isHalf && kind == Instruction::FloatAddMul ? Instruction::HalfAddMul : kind);
}

// True when the result of instruction k is next narrowed to half: then the source's operation was
// on halves.
bool roundsToHalf(const std::vector<HostInstruction> &block, std::size_t k) {
  if (block[k].operands.empty() || !isVector(block[k].operands.back()))
    return false;
  const std::string &result = block[k].operands.back();
  for (std::size_t n = k + 1; n < block.size(); ++n) {
    const auto &operands = block[n].operands;
    if (block[n].mnemonic == "vinsertps" ||
        std::find(operands.begin(), operands.end(), result) == operands.end())
      continue;
    return block[n].mnemonic == "vcvtps2ph" && operands.size() > 1 && operands[1] == result;
  }
  return false;
}

bool isVectorName(std::string_view name) {
  static constexpr std::array<std::string_view, 4> endings = {"ss", "ps", "sd", "pd"};
  if (startsWith(name, "cvt") || startsWith(name, "p") || startsWith(name, "broadcast") ||
      startsWith(name, "movs") || startsWith(name, "unpck"))
    return true;
  return std::any_of(endings.begin(), endings.end(), [&](auto e) { return endsWith(name, e); });
}

bool usesVectors(const HostInstruction &i) {
  return std::any_of(i.operands.begin(), i.operands.end(),
                     [](const auto &o) { return isVector(o); });
}

void countCall(Counter &out, const HostInstruction &i) {
  out.add(Instruction::Call);
  if (const std::string name = callee(i); !name.empty())
    out.addLibrary(name);
}

void countJump(Counter &out, const HostInstruction &i) {
  if (!callee(i).empty())
    return countCall(out, i);
  if (!i.operands.empty() && startsWith(i.operands[0], "*"))
    out.add(Instruction::Load); // jump table
  out.add(Instruction::Branch);
}

bool isMove(std::string_view name) {
  static constexpr std::array<std::string_view, 13> vectorMoves = {
      "movss",  "movsd",  "movaps", "movups", "movdqa", "movdqu", "movapd",
      "movupd", "movlps", "movhps", "movd",   "movq",   "movlpd"};
  if (oneOf(name, vectorMoves))
    return true;
  return startsWith(name, "mov") && name != "movsldup" && name != "movshdup" && name != "movhlps" &&
         name != "movlhps";
}

bool comparesOnly(std::string_view m) { return startsWith(m, "cmp") || startsWith(m, "test"); }

void count(Counter &out, const HostInstruction &i, const HostInstruction *flagUser, bool isHalf) {
  const std::string &m = i.mnemonic;
  std::string_view name = m;
  if (startsWith(m, "v") && usesVectors(i))
    name.remove_prefix(1);
  static constexpr std::array<std::string_view, 14> nothing = {
      "nop",  "nopw", "nopl", "endbr64", "cltq",  "cqto",       "cltd",
      "cwtl", "cqo",  "cdq",  "ret",     "leave", "vzeroupper", "notrack"};
  if (oneOf(m, nothing) || startsWith(m, "set"))
    return; // set: the tile's compare leaves the value itself
  if (isJump(i))
    return countJump(out, i);
  if (startsWith(m, "call"))
    return countCall(out, i);
  if (startsWith(m, "push"))
    return out.add(Instruction::Store);
  if (startsWith(m, "pop") && !startsWith(m, "popcnt"))
    return out.add(Instruction::Load);
  if (isMove(name) && i.operands.size() >= 2)
    return countMove(out, i);
  if (usesVectors(i) || (isVectorName(name) && !startsWith(m, "p") && !startsWith(m, "cmp")))
    return countVector(out, i, name, isHalf);
  if (comparesOnly(m)) {
    for (const std::string &o : i.operands)
      if (isMemory(o))
        out.add(Instruction::Load);
    return flagUser && isJump(*flagUser) ? void() : out.add(Instruction::Integer);
  }
  if (startsWith(m, "lea"))
    return out.add(Instruction::Integer);
  if (startsWith(m, "idiv") || startsWith(m, "div"))
    return countAlu(out, i, Instruction::IntegerDivide);
  if (startsWith(m, "imul") || startsWith(m, "mul"))
    return countAlu(out, i, Instruction::IntegerMultiply);
  countAlu(out, i, Instruction::Integer);
}

// %ebx, %bx, %rbx -> "bx"; %r8d, %r8 -> "r8".
std::string_view registerName(std::string_view operand) {
  operand.remove_prefix(1);
  if (operand.size() > 1 && operand[0] == 'r' &&
      std::isdigit(static_cast<unsigned char>(operand[1])))
    return operand.substr(0, operand.find_first_not_of("0123456789", 1));
  if (operand.size() == 3 && (operand[0] == 'r' || operand[0] == 'e'))
    operand.remove_prefix(1);
  return operand;
}

enum class Use { None, Address, Value };

// How an instruction uses a register: as part of an address, or in any other way.
Use useOf(const HostInstruction &i, std::string_view name) {
  Use use = Use::None;
  const bool isLea = startsWith(i.mnemonic, "lea");
  for (const std::string &o : i.operands) {
    if (isRegister(o) && registerName(o) == name)
      return Use::Value;
    for (std::size_t at = o.find('%'); !isRegister(o) && at != std::string::npos;
         at = o.find('%', at + 1))
      if (registerName(std::string_view(o).substr(at, o.find_first_of(",)", at) - at)) == name)
        use = isLea ? Use::Value : Use::Address;
    if (use == Use::Value)
      return use;
  }
  return use;
}

bool overwrites(const HostInstruction &i, std::string_view name) {
  const bool writesOnly = startsWith(i.mnemonic, "mov") || startsWith(i.mnemonic, "lea");
  return writesOnly && !i.operands.empty() && isRegister(i.operands.back()) &&
         registerName(i.operands.back()) == name;
}

// An unsigned 32-bit sum that serves only to index memory. With the tile's 32-bit pointers the
// constant part of it belongs to the pointer and the rest to the access's own base-plus-offset, so
// the instruction does not exist there.
bool isFoldedAddress(const std::vector<HostInstruction> &block, std::size_t k) {
  const HostInstruction &i = block[k];
  if (!startsWith(i.mnemonic, "lea") || i.operands.size() != 2 || !isRegister(i.operands[1]))
    return false;
  const std::string &target = i.operands[1];
  if (target[1] != 'e' && target.back() != 'd')
    return false;
  const std::string_view name = registerName(target);
  bool indexes = false;
  for (std::size_t n = k + 1; n < block.size(); ++n) {
    const bool ends = overwrites(block[n], name);
    const HostInstruction &user = block[n];
    const Use use = ends && user.operands.size() == 2 && !isRegister(user.operands[0])
                        ? useOf({user.mnemonic, {user.operands[0]}, false}, name)
                    : ends ? Use::None
                           : useOf(user, name);
    if (use == Use::Value)
      return false;
    indexes |= use == Use::Address;
    if (ends)
      break;
  }
  return indexes;
}

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

} // namespace

HostInstruction parseInstruction(std::string_view line) {
  HostInstruction i;
  std::string_view word = nextWord(line);
  while (word == "rep" || word == "repz" || word == "repe" || word == "lock" || word == "notrack" ||
         word == "bnd") {
    i.isRepeated |= startsWith(word, "rep");
    word = nextWord(line);
  }
  i.mnemonic = std::string(word);
  i.operands = splitOperands(line);
  return i;
}

bool isJump(const HostInstruction &i) { return startsWith(i.mnemonic, "j"); }

bool endsBlock(const HostInstruction &i) {
  return isJump(i) || startsWith(i.mnemonic, "ret") || i.mnemonic == "ud2" || i.mnemonic == "hlt";
}

std::string callee(const HostInstruction &i) {
  const bool transfers = startsWith(i.mnemonic, "call") || isJump(i);
  if (!transfers || i.operands.empty() || startsWith(i.operands[0], "*") ||
      startsWith(i.operands[0], ".L"))
    return {};
  return i.operands[0].substr(0, i.operands[0].find('@'));
}

TileCost costOf(const std::vector<HostInstruction> &block) {
  Counter counter;
  for (std::size_t k = 0; k < block.size(); ++k) {
    if (isFoldedAddress(block, k))
      continue;
    // The instruction that uses the flags of a compare: moves and address arithmetic in between
    // leave them alone.
    const HostInstruction *user = nullptr;
    for (std::size_t n = k + 1; n < block.size() && !user; ++n)
      if (!startsWith(block[n].mnemonic, "mov") && !startsWith(block[n].mnemonic, "lea") &&
          !startsWith(block[n].mnemonic, "vmov"))
        user = &block[n];
    count(counter, block[k], user, roundsToHalf(block, k));
  }
  return counter.take();
}

} // namespace poplar::codelet
