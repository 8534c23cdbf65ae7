// SPDX-License-Identifier: MIT
// What an x86 instruction means for a tile. The classification is by mnemonic families; whatever is
// not recognised is one integer instruction (or one float instruction on vector registers), so that
// no code is free by accident.
#include "codelet/ValueBuilder.hpp"
#include <algorithm>
#include <array>

namespace poplar::codelet {
namespace {

using arch::Instruction;
using Ids = std::vector<ValueId>;

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

class Decoder {
public:
  Decoder(ValueBuilder &to, const HostInstruction &i) : to_(to), i_(i), name_(i.mnemonic) {
    for (const auto &o : i.operands)
      hasVectors_ = hasVectors_ || o.isVector();
    if (startsWith(name_, "v") && hasVectors_)
      name_.remove_prefix(1);
  }

  void run() {
    static constexpr std::array<std::string_view, 11> nothing = {
        "nop",        "nopw", "nopl", "endbr64", "ret",   "leave",
        "vzeroupper", "ud2",  "hlt",  "sfence",  "mfence"};
    if (oneOf(i_.mnemonic, nothing) || startsWith(name_, "prefetch"))
      return;
    if (isJump(i_))
      return jump();
    if (startsWith(name_, "call"))
      return call();
    if (startsWith(name_, "push"))
      return; // a callee keeps its caller's registers: part of Call
    if (startsWith(name_, "pop") && !startsWith(name_, "popcnt"))
      return to_.write(i_.operands[0].reg, to_.add(free({})));
    if (i_.operands.empty())
      return implied();
    hasVectors_ ? vector() : general();
  }

private:
  // ---- nodes

  static Node free(Ids in) {
    Node n;
    n.op = Op::Free;
    n.in = std::move(in);
    return n;
  }
  static Node linear(Ids in, std::vector<std::int64_t> factors, std::int64_t constant) {
    Node n;
    n.op = Op::Linear;
    n.in = std::move(in);
    n.factors = std::move(factors);
    n.constant = constant;
    return n;
  }
  static Node compute(Instruction kind, Ids in, unsigned times = 1) {
    Node n;
    n.op = Op::Compute;
    n.kind = kind;
    n.times = times;
    n.in = std::move(in);
    return n;
  }
  static Node of(Op op, Ids in) {
    Node n;
    n.op = op;
    n.in = std::move(in);
    return n;
  }

  // ---- operands

  Address addressOf(const Operand &m) {
    Address a;
    a.offset = m.value;
    a.symbol = m.symbol;
    a.onStack = m.base == stackRegister || (m.base == 5 && m.value < 0 && m.symbol.empty());
    if (m.base != noRegister)
      a.terms.emplace_back(to_.read(m.base), 1);
    if (m.index != noRegister)
      a.terms.emplace_back(to_.read(m.index), m.scale);
    return a;
  }
  int slotOf(std::size_t operand) { return to_.slot(i_.texts[operand]); }

  ValueId load(const Operand &m, unsigned bytes) {
    Node n;
    if (startsWith(m.symbol, ".LC"))
      return to_.add(free({})); // a constant
    n.op = Op::Load;
    n.bytes = bytes;
    n.address = addressOf(m);
    return to_.add(std::move(n));
  }
  ValueId constant(std::int64_t value) { return to_.add(linear({}, {}, value)); }

  ValueId value(std::size_t operand, unsigned bytes) {
    const auto &o = i_.operands[operand];
    if (o.kind == Operand::Memory)
      return i_.isSpill ? to_.read(slotOf(operand)) : load(o, bytes);
    if (o.kind == Operand::Register)
      return to_.read(o.reg);
    return constant(o.value);
  }
  void put(std::size_t operand, ValueId value, unsigned bytes) {
    const auto &o = i_.operands[operand];
    if (o.kind == Operand::Register)
      return to_.write(o.reg, value);
    if (i_.isSpill)
      return to_.write(slotOf(operand), value);
    Node n = of(Op::Store, {value});
    n.bytes = bytes;
    n.address = addressOf(o);
    to_.add(std::move(n));
  }
  void put(ValueId value) { put(i_.operands.size() - 1, value, bytes()); }

  // Of a general instruction: by its suffix, or by its registers.
  unsigned bytes() const {
    for (const auto &o : i_.operands)
      if (o.kind == Operand::Register && !o.isVector())
        return o.bytes;
    switch (name_.back()) {
    case 'b':
      return 1;
    case 'w':
      return 2;
    case 'q':
      return 8;
    default:
      return 4;
    }
  }

  // ---- control

  void jump() {
    if (const auto function = callee(i_); !function.empty())
      return call();
    if (name_ == "jmp")
      return void(to_.add(of(Op::Jump, {})));
    to_.add(of(Op::Branch, {to_.read(ValueBuilder::flags)}));
  }

  void call() {
    Node n = of(Op::Call, {});
    n.callee = callee(i_);
    if (convertsHalf(n.callee))
      return;
    double ignored = 0;
    const auto builtin = builtinOf(n.callee);
    const bool isMath =
        builtin ? builtin->slot == arch::Slot::Aux : functionBundles(n.callee, ignored);
    const bool hasLength = n.callee == "memcpy" || n.callee == "memmove" || n.callee == "memset";
    if (hasLength)
      n.in.push_back(to_.read(2));
    // Arguments are what was put into their registers; others hold what they held.
    static constexpr std::array<int, 10> arguments = {16, 17, 18, 19, 7, 6, 2, 1, 8, 9};
    for (const int place : arguments)
      if (isMath ? place >= 16 && place <= 18 : !hasLength && to_.isWritten(place))
        n.in.push_back(to_.read(place));
    const ValueId result = to_.add(std::move(n));
    for (const int r : {0, 1, 2, 6, 7, 8, 9, 10, 11, ValueBuilder::flags})
      to_.write(r, result);
    for (int r = firstVectorRegister; r < ValueBuilder::flags; ++r)
      to_.write(r, result);
  }

  // Where x86 has no instruction for it: of the compiler, and of poplar/VectorTypes.hpp.
  bool convertsHalf(std::string_view function) {
    struct Conversion {
      std::string_view name;
      Op op;
      int from, to;
    };
    static constexpr std::array<Conversion, 4> all = {
        {{"__extendhfsf2", Op::Widen, firstVectorRegister, firstVectorRegister},
         {"__truncsfhf2", Op::Narrow, firstVectorRegister, firstVectorRegister},
         {"openipu_widen_halves", Op::Widen, 7, firstVectorRegister},
         {"openipu_narrow_halves", Op::Narrow, firstVectorRegister, 0}}};
    for (const auto &c : all)
      if (c.name == function) {
        to_.write(c.to, to_.add(of(c.op, {to_.read(c.from)})));
        return true;
      }
    return false;
  }

  // cltq, cltd ...: extensions of the accumulator.
  void implied() {
    if (name_ == "cltd" || name_ == "cqto" || name_ == "cdq" || name_ == "cqo")
      to_.write(2, to_.add(free({to_.read(0)})));
  }

  // ---- general registers

  void general() {
    const std::size_t n = i_.operands.size();
    if (startsWith(name_, "mov"))
      return move();
    if (startsWith(name_, "lea"))
      return put(sum(i_.operands[0]));
    if (startsWith(name_, "cmp") || startsWith(name_, "test"))
      return compare();
    if (startsWith(name_, "set"))
      return put(0, to_.add(free({to_.read(ValueBuilder::flags)})), 1);
    if (startsWith(name_, "cmov"))
      return put(to_.add(of(
          Op::Select, {to_.read(ValueBuilder::flags), value(0, bytes()), value(n - 1, bytes())})));
    if (startsWith(name_, "idiv") || startsWith(name_, "div"))
      return wide(Instruction::IntegerDivide);
    if (n == 1 && (startsWith(name_, "imul") || startsWith(name_, "mul")))
      return wide(Instruction::IntegerMultiply);
    arithmetic();
  }

  void move() {
    if (i_.operands.size() != 2)
      return;
    // movzbl, movswq: the first letter behind is the source's width.
    const bool extends = name_.size() >= 5 && (name_[3] == 'z' || name_[3] == 's');
    unsigned source = bytes();
    if (extends)
      source = name_[4] == 'b' ? 1 : name_[4] == 'w' ? 2 : 4;
    put(value(0, source));
  }

  // A sum that lea makes, in as many nodes as the tile has instructions.
  ValueId sum(const Operand &m) {
    if (!m.symbol.empty() && m.base == noRegister && m.index == noRegister)
      return to_.add(free({})); // the address of a variable
    Ids in;
    std::vector<std::int64_t> factors;
    const Address a = addressOf(m);
    for (const auto &[v, factor] : a.terms) {
      in.push_back(v);
      factors.push_back(factor);
    }
    return to_.add(linear(std::move(in), std::move(factors), a.offset));
  }

  void compare() {
    const ValueId a = value(1, bytes());
    const bool sameOrZero =
        i_.texts[0] == i_.texts[1] ||
        (i_.operands[0].kind == Operand::Immediate && i_.operands[0].value == 0);
    const bool tests = startsWith(name_, "test");
    if (sameOrZero) // against zero: the value itself
      return to_.write(ValueBuilder::flags, to_.add(of(Op::Compare, {a})));
    const ValueId b = value(0, bytes());
    if (!tests)
      return to_.write(ValueBuilder::flags, to_.add(of(Op::Compare, {a, b})));
    const ValueId both = to_.add(compute(Instruction::Integer, {a, b}));
    to_.write(ValueBuilder::flags, to_.add(of(Op::Compare, {both})));
  }

  // rax and rdx in and out.
  void wide(Instruction kind) {
    const ValueId by = value(0, bytes());
    const ValueId result = to_.add(compute(kind, {to_.read(0), to_.read(2), by}));
    to_.write(0, result);
    to_.write(2, result);
    to_.write(ValueBuilder::flags, result);
  }

  bool zeroes() const {
    return i_.operands.size() >= 2 && i_.texts[0] == i_.texts[1] &&
           (startsWith(name_, "xor") || startsWith(name_, "sub") || startsWith(name_, "pxor"));
  }

  void arithmetic() {
    const std::size_t n = i_.operands.size();
    const unsigned width = bytes();
    const ValueId result = zeroes() ? constant(0) : n == 1 ? unary(width) : binary(n, width);
    put(n - 1, result, width);
    to_.write(ValueBuilder::flags, result);
  }

  ValueId unary(unsigned width) {
    const ValueId a = value(0, width);
    const auto is = [&](std::string_view stem) { return startsWith(name_, stem); };
    if (is("inc"))
      return to_.add(linear({a}, {1}, 1));
    if (is("dec"))
      return to_.add(linear({a}, {1}, -1));
    if (is("neg"))
      return to_.add(linear({a}, {-1}, 0));
    if (is("sal") || is("shl"))
      return to_.add(linear({a}, {2}, 0));
    return to_.add(compute(Instruction::Integer, {a}));
  }

  ValueId binary(std::size_t n, unsigned width) {
    const auto is = [&](std::string_view stem) { return startsWith(name_, stem); };
    const auto &first = i_.operands[0];
    const bool byConstant = first.kind == Operand::Immediate;
    const ValueId b = value(1, width);
    if (is("imul") && byConstant)
      return to_.add(linear({b}, {first.value}, 0));
    if ((is("sal") || is("shl")) && byConstant && n == 2 && first.value < 32)
      return to_.add(linear({b}, {std::int64_t(1) << first.value}, 0));
    if ((is("add") || is("sub")) && byConstant)
      return to_.add(linear({b}, {1}, is("add") ? first.value : -first.value));
    const ValueId a = value(0, width);
    if (is("add"))
      return to_.add(linear({b, a}, {1, 1}, 0));
    if (is("sub"))
      return to_.add(linear({b, a}, {1, -1}, 0));
    Ids in = {b, a};
    if (is("adc") || is("sbb"))
      in.push_back(to_.read(ValueBuilder::flags));
    return to_.add(
        compute(is("imul") ? Instruction::IntegerMultiply : Instruction::Integer, std::move(in)));
  }

  // ---- vector registers

  unsigned vectorBytes() const {
    static constexpr std::array<std::string_view, 8> four = {
        "movss", "movd", "insertps", "broadcastss", "pinsrd", "pextrd", "extractps", "pmovzxbd"};
    static constexpr std::array<std::string_view, 10> eight = {
        "movsd",  "movq",   "movlps", "movhps",  "movlpd",
        "movhpd", "pinsrq", "pextrq", "movddup", "cvtps2pd"};
    if (oneOf(name_, four) || endsWith(name_, "ss"))
      return 4;
    if (oneOf(name_, eight) || endsWith(name_, "sd"))
      return 8;
    if (endsWith(name_, "rw"))
      return 2;
    if (endsWith(name_, "rb"))
      return 1;
    if (startsWith(name_, "cvtph2ps"))
      return 8;
    if (startsWith(name_, "cvtsi2") || startsWith(name_, "cvttsi2"))
      return endsWith(name_, "q") ? 8 : 4;
    for (const auto &o : i_.operands)
      if (o.isVector() && o.bytes == 32)
        return 32;
    return 16;
  }

  void vector() {
    static constexpr std::array<std::string_view, 17> moves = {
        "movss",  "movsd",       "movaps",   "movups",  "movdqa",     "movdqu",
        "movapd", "movupd",      "movd",     "movq",    "lddqu",      "movlps",
        "movlpd", "broadcastss", "movsldup", "movddup", "pbroadcastd"};
    if (zeroes())
      return put(to_.add(free({})));
    const unsigned width = vectorBytes();
    const std::size_t last = i_.operands.size() - 1;
    if (oneOf(name_, moves) && last == 1)
      return put(last, value(0, width), width);
    if (startsWith(name_, "comis") || startsWith(name_, "ucomis"))
      return compareFloat(width);
    Ids in = operandsOf(width);
    put(last, operation(std::move(in)), startsWith(name_, "cvtps2ph") ? 8 : width);
  }

  // All that is read: with three operands or more the last is only written, with two it is read as
  // well, except by instructions of one argument.
  Ids operandsOf(unsigned width) {
    static constexpr std::array<std::string_view, 6> single = {"sqrt",  "cvt", "movs",
                                                               "pshuf", "rcp", "rsqrt"};
    Ids in;
    const std::size_t last = i_.operands.size() - 1;
    for (std::size_t o = 0; o < last; ++o)
      if (i_.operands[o].kind != Operand::Immediate)
        in.push_back(value(o, width));
    const bool one = std::any_of(single.begin(), single.end(),
                                 [&](auto stem) { return startsWith(name_, stem); });
    if ((last == 1 && !one && i_.operands[last].kind == Operand::Register &&
         i_.operands[0].kind != Operand::Immediate && !startsWith(name_, "pextr")) ||
        startsWith(name_, "fmadd") || startsWith(name_, "fmsub") || startsWith(name_, "fnmadd"))
      in.push_back(value(last, width));
    return in;
  }

  void compareFloat(unsigned width) {
    const ValueId a = value(1, width), b = value(0, width);
    to_.write(ValueBuilder::flags, to_.add(of(Op::CompareFloat, {a, b})));
  }

  ValueId operation(Ids in) {
    static constexpr std::array<std::string_view, 14> arrangements = {
        "insertps", "pblendw", "unpcklps", "unpckhps", "shufps",  "movshdup",  "pshufd",
        "pshufb",   "movhlps", "movlhps",  "pblendd",  "blendps", "punpckldq", "punpcklqdq"};
    if (startsWith(name_, "cvtph2ps"))
      return to_.add(of(Op::Widen, std::move(in)));
    if (startsWith(name_, "cvtps2ph"))
      return to_.add(of(Op::Narrow, std::move(in)));
    if (oneOf(name_, arrangements) || startsWith(name_, "pinsr") || startsWith(name_, "pextr") ||
        startsWith(name_, "broadcast") || startsWith(name_, "movh") || startsWith(name_, "movl") ||
        startsWith(name_, "permil") || startsWith(name_, "extract"))
      return to_.add(free(std::move(in)));
    if (startsWith(name_, "p")) // the tile has no integer vectors: two words, two instructions
      return to_.add(compute(Instruction::Integer, std::move(in), 2));
    Node n = compute(floatKind(), std::move(in));
    n.isVector = name_.find("ps") != name_.npos || name_.find("pd") != name_.npos;
    if (startsWith(name_, "fm") || startsWith(name_, "fnm"))
      n.times = 2; // a product and a sum
    return to_.add(std::move(n));
  }

  Instruction floatKind() const {
    const bool isDouble = endsWith(name_, "sd") || endsWith(name_, "pd");
    if (startsWith(name_, "div"))
      return isDouble ? Instruction::DoubleDivide : Instruction::FloatDivide;
    if (startsWith(name_, "sqrt"))
      return isDouble ? Instruction::DoubleSqrt : Instruction::FloatSqrt;
    if (startsWith(name_, "cvt")) {
      const bool touchesDouble = name_.find("sd") != name_.npos || name_.find("pd") != name_.npos;
      return touchesDouble ? Instruction::DoubleConvert : Instruction::Convert;
    }
    return isDouble ? Instruction::DoubleAddMul : Instruction::FloatAddMul;
  }

  ValueBuilder &to_;
  const HostInstruction &i_;
  std::string_view name_;
  bool hasVectors_ = false;
};

} // namespace

void decode(ValueBuilder &to, const HostInstruction &instruction) {
  Decoder(to, instruction).run();
}

} // namespace poplar::codelet
