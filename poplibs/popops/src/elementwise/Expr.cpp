// SPDX-License-Identifier: MIT
#include "popops/Expr.hpp"
#include "base/Text.hpp"
#include "popops/ExprOpUtils.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <functional>
#include <ostream>
#include <unordered_map>

namespace popops::expr {

using base::str;
using Tensors = std::vector<poplar::Tensor>;

static const char *const unaryNames[] = {
#define UNARY(name, ...) #name,
#include "popops/Operators.def"
};
static const char *const binaryNames[] = {
#define BINARY(name, ...) #name,
#include "popops/Operators.def"
};
std::string unaryOpTypeToString(UnaryOpType op) { return unaryNames[unsigned(op)]; }
std::string binaryOpTypeToString(BinaryOpType op) { return binaryNames[unsigned(op)]; }
std::string ternaryOpTypeToString(TernaryOpType op) {
  return op == TernaryOpType::CLAMP ? "CLAMP" : "SELECT";
}
std::ostream &operator<<(std::ostream &os, const UnaryOpType &op) {
  return os << unaryOpTypeToString(op);
}
std::ostream &operator<<(std::ostream &os, const BinaryOpType &op) {
  return os << binaryOpTypeToString(op);
}
std::ostream &operator<<(std::ostream &os, const TernaryOpType &op) {
  return os << ternaryOpTypeToString(op);
}

Expr::~Expr() = default;
Expr::Part Expr::nest(const Expr &part) {
  constexpr unsigned deepest = 4000; // visiting and destroying take stack
  depth_ = std::max(depth_, part.depth_ + 1);
  parts_ += part.parts_;
  if (depth_ > deepest)
    throw poputil::poplibs_error(
        str("popops::expr: an expression is nested more than ", deepest,
            " deep. Split it: give a part to popops::map and use the result as a tensor."));
  return part.clone();
}
std::ostream &operator<<(std::ostream &os, const Expr &expr) {
  expr.print(os, 0, false);
  return os;
}
std::ostream &operator<<(std::ostream &os, const Any &expr) {
  expr.print(os, 0, false);
  return os;
}
bool deepEquals(const Expr &a, const Expr &b) { return a.deepEquals(b); }

// "ADD(_1,_2)", or the operator on its own line and the operands below it.
static void printOp(std::ostream &os, unsigned indent, bool pretty, const std::string &name,
                    const std::vector<const Expr *> &operands) {
  os << std::string(pretty ? 2 * indent : 0, ' ') << name << (pretty ? "\n" : "(");
  for (std::size_t i = 0; i < operands.size(); ++i) {
    os << (i && !pretty ? "," : "");
    operands[i]->print(os, indent + 1, pretty);
  }
  os << (pretty ? "" : ")");
}
static void printLeaf(std::ostream &os, unsigned indent, bool pretty, const std::string &text) {
  os << std::string(pretty ? 2 * indent : 0, ' ') << text << (pretty ? "\n" : "");
}
// Types and numbers as parts of an identifier.
static std::string identifier(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return !std::isalnum((unsigned char)c); }, '_');
  return text;
}

// Names of large expressions are digests, made once for every part however often it is shared:
// written out they would be as long as the sharing saves.
template <class Make> static std::string nameOnce(const Expr &expr, Make make) {
  constexpr double most = 500;
  using Names = std::unordered_map<const Expr *, std::string>;
  static thread_local Names *names = nullptr; // of the outermost call
  if (expr.numParts() <= most)
    return make();
  Names own;
  struct Reset {
    Names *before;
    ~Reset() { names = before; }
  } reset{names};
  names = names ? names : &own;
  const auto found = names->find(&expr);
  if (found != names->end())
    return found->second;
  const auto name = str("Expression_", std::hash<std::string>()(make()));
  return names->emplace(&expr, name).first->second;
}

// ---- constants

template <class Take> static auto asHostType(const Const &c, Take take) {
  const poplar::Type type = c.getTypeTraits().type();
  auto as = [&](auto value) {
    std::memcpy(&value, c.getData(), sizeof value);
    return take(value);
  };
  if (type == poplar::BOOL)
    return as(false);
  if (type == poplar::CHAR)
    return as(char());
  if (type == poplar::SIGNED_CHAR)
    return as((signed char)0);
  if (type == poplar::UNSIGNED_CHAR)
    return as((unsigned char)0);
  if (type == poplar::SHORT)
    return as(short());
  if (type == poplar::UNSIGNED_SHORT)
    return as((unsigned short)0);
  if (type == poplar::INT)
    return as(int());
  if (type == poplar::UNSIGNED_INT)
    return as(0u);
  if (type == poplar::LONG || type == poplar::LONGLONG)
    return as(0ll);
  if (type == poplar::UNSIGNED_LONG || type == poplar::UNSIGNED_LONGLONG)
    return as(0ull);
  return type == poplar::DOUBLE ? as(0.0) : as(0.0f);
}

double Const::getDataAsDouble() const {
  return asHostType(*this, [](auto value) { return double(value); });
}
std::uint64_t Const::getDataForUnsignedIntegral() const {
  const poplar::Type type = typeTraits_.type();
  if (type == poplar::FLOAT || type == poplar::DOUBLE)
    throw poputil::poplibs_error(str("Const ", printValue(), " of type ", type_,
                                     " is not an integer, so it has no unsigned value."));
  return asHostType(*this, [](auto value) { return std::uint64_t(value); });
}
std::string Const::printValue() const {
  return asHostType(*this, [](auto value) {
    if constexpr (sizeof(value) == 1)
      return str(int(value));
    else
      return str(value);
  });
}
std::unique_ptr<Expr> Const::clone() const { return std::make_unique<Const>(*this); }
std::string Const::name(const Tensors &) const {
  return identifier(str("c", printValue(), "_", type_));
}
bool Const::deepEquals(const Expr &other) const {
  auto *c = other.getAs<Const>();
  return c && type_ == c->type_ && typeTraits_.type() == c->typeTraits_.type() &&
         !std::memcmp(data_, c->data_, typeTraits_.size());
}
void Const::print(std::ostream &os, unsigned indent, bool pretty) const {
  printLeaf(os, indent, pretty, str("Const(", printValue(), ",", type_, ")"));
}

// ---- the rest

std::unique_ptr<Expr> Cast::clone() const { return std::make_unique<Cast>(*this); }
std::string Cast::name(const Tensors &inputs) const {
  return nameOnce(*this, [&] {
    return str("Cast_", a_->name(inputs), "_", identifier(type_.toString()), "_c");
  });
}
bool Cast::deepEquals(const Expr &other) const {
  auto *c = other.getAs<Cast>();
  return c && type_ == c->type_ && a_->deepEquals(*c->a_);
}
void Cast::print(std::ostream &os, unsigned indent, bool pretty) const {
  printOp(os, indent, pretty, str("Cast<", type_, ">"), {a_.get()});
}

std::unique_ptr<Expr> PlaceHolder::clone() const { return std::make_unique<PlaceHolder>(*this); }
std::string PlaceHolder::name(const Tensors &inputs) const {
  if (index_ == 0 || index_ > inputs.size())
    throw poputil::poplibs_error(str("The expression uses _", index_, ", but ", inputs.size(),
                                     " tensors were given. Place holders count from _1."));
  return str("_", index_, identifier(inputs[index_ - 1].elementType().toString()));
}
bool PlaceHolder::deepEquals(const Expr &other) const {
  auto *p = other.getAs<PlaceHolder>();
  return p && index_ == p->index_;
}
void PlaceHolder::print(std::ostream &os, unsigned indent, bool pretty) const {
  printLeaf(os, indent, pretty, str("_", index_));
}

std::unique_ptr<Expr> UnaryOp::clone() const { return std::make_unique<UnaryOp>(*this); }
std::string UnaryOp::name(const Tensors &inputs) const {
  return nameOnce(*this, [&] { return str(type_, "_", a_->name(inputs), "_u"); });
}
bool UnaryOp::deepEquals(const Expr &other) const {
  auto *op = other.getAs<UnaryOp>();
  return op && type_ == op->type_ && a_->deepEquals(*op->a_);
}
void UnaryOp::print(std::ostream &os, unsigned indent, bool pretty) const {
  printOp(os, indent, pretty, str(type_), {a_.get()});
}

std::unique_ptr<Expr> BinaryOp::clone() const { return std::make_unique<BinaryOp>(*this); }
std::string BinaryOp::name(const Tensors &inputs) const {
  return nameOnce(*this,
                  [&] { return str(type_, "_", a_->name(inputs), "_", b_->name(inputs), "_b"); });
}
bool BinaryOp::deepEquals(const Expr &other) const {
  auto *op = other.getAs<BinaryOp>();
  return op && type_ == op->type_ && a_->deepEquals(*op->a_) && b_->deepEquals(*op->b_);
}
void BinaryOp::print(std::ostream &os, unsigned indent, bool pretty) const {
  printOp(os, indent, pretty, str(type_), {a_.get(), b_.get()});
}

std::unique_ptr<Expr> TernaryOp::clone() const { return std::make_unique<TernaryOp>(*this); }
std::string TernaryOp::name(const Tensors &inputs) const {
  return nameOnce(*this, [&] {
    return str(type_, "_", a_->name(inputs), "_", b_->name(inputs), "_", c_->name(inputs), "_t");
  });
}
bool TernaryOp::deepEquals(const Expr &other) const {
  auto *op = other.getAs<TernaryOp>();
  return op && type_ == op->type_ && a_->deepEquals(*op->a_) && b_->deepEquals(*op->b_) &&
         c_->deepEquals(*op->c_);
}
void TernaryOp::print(std::ostream &os, unsigned indent, bool pretty) const {
  printOp(os, indent, pretty, str(type_), {a_.get(), b_.get(), c_.get()});
}

} // namespace popops::expr
