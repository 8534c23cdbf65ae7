// SPDX-License-Identifier: MIT
#include "elementwise/MapTree.hpp"
#include "base/Half.hpp"
#include "base/Text.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/ExprOpUtils.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

namespace popops {

using base::str;
using expr::BinaryOpType;
using expr::Expr;
using expr::TernaryOpType;
using expr::UnaryOpType;
using poplar::Type;
using poputil::poplibs_error;

namespace {
enum class ResultType { Same, Bool };
constexpr ResultType unaryResults[] = {
#define UNARY(name, result, ...) ResultType::result,
#include "popops/Operators.def"
};
constexpr ResultType binaryResults[] = {
#define BINARY(name, result, ...) ResultType::result,
#include "popops/Operators.def"
};
} // namespace
bool givesBool(UnaryOpType op) { return unaryResults[unsigned(op)] == ResultType::Bool; }
bool givesBool(BinaryOpType op) { return binaryResults[unsigned(op)] == ResultType::Bool; }

TypeId idOf(const Type &type) {
  const std::string name = type.toString();
  for (unsigned i = 0; i < poplar::numTypeIds; ++i)
    if (spelling(TypeId(i)) == name)
      return TypeId(i);
  throw poplibs_error(str("popops::map: type ", name, " is unknown."));
}

namespace {

bool isFloating(const Type &t) { return t == poplar::FLOAT || t == poplar::HALF; }

// The type of a value that stands alone.
Type ownType(const expr::Const &c) {
  const Type type = c.getType();
  if (type == poplar::DOUBLE)
    return poplar::FLOAT;
  if (type == poplar::LONG)
    return poplar::LONGLONG;
  return type == poplar::UNSIGNED_LONG ? poplar::UNSIGNED_LONGLONG : type;
}

struct NodeHash {
  std::size_t operator()(const MapNode &node) const {
    std::uint64_t words[] = {node.kind, node.op, node.type.hash(), node.integer,
                             std::bit_cast<std::uint64_t>(node.number + 0.0)}; // -0 as 0
    return base::hashBytes(node.args.data(), sizeof node.args,
                           base::hashBytes(words, sizeof words));
  }
};

// Visits what node i needs, operands first, each once.
void visit(const MapTree &tree, int i, std::vector<bool> &seen, std::vector<int> &order) {
  if (seen[std::size_t(i)])
    return;
  seen[std::size_t(i)] = true;
  for (int arg : tree.at(i).args)
    if (arg >= 0)
      visit(tree, arg, seen, order);
  order.push_back(i);
}

class TreeBuilder {
public:
  TreeBuilder(const std::vector<poplar::Tensor> &ts, bool simplify, const std::string &name)
      : ts_(ts), simplify_(simplify), name_(name) {}

  MapTree build(const std::vector<const Expr *> &exprs) {
    for (const auto *expr : exprs)
      tree_.roots.push_back(make(*expr, {}));
    return std::move(tree_);
  }

private:
  using Hint = std::optional<Type>;

  [[noreturn]] void fail(const std::string &message) const {
    throw poplibs_error(str("popops::map: ", message, name_.empty() ? "" : " (at \"", name_,
                            name_.empty() ? "" : "\")"));
  }

  // ---- types: what tensors and casts say; nothing for parts made of constants only
  Hint known(const Expr &e) const {
    if (auto at = known_.find(&e); at != known_.end())
      return at->second;
    return known_[&e] = findKnown(e);
  }
  Hint findKnown(const Expr &e) const {
    if (auto *p = e.getAs<expr::PlaceHolder>())
      return tensor(*p).elementType();
    if (auto *c = e.getAs<expr::Cast>())
      return c->getRHSType();
    if (auto *u = e.getAs<expr::UnaryOp>())
      return givesBool(u->getOpType()) ? Hint(poplar::BOOL) : known(u->getArg());
    if (auto *b = e.getAs<expr::BinaryOp>())
      return givesBool(b->getOpType()) ? Hint(poplar::BOOL)
                                       : either(known(b->getLHS()), known(b->getRHS()));
    if (auto *t = e.getAs<expr::TernaryOp>()) {
      auto two = either(known(t->getArg0()), known(t->getArg1()));
      return t->getOpType() == TernaryOpType::CLAMP ? either(two, known(t->getArg2())) : two;
    }
    return {};
  }
  static Hint either(Hint a, Hint b) { return a ? a : b; }
  Type ownOf(const Expr &e) const { // of a part made of constants
    if (auto *c = e.getAs<expr::Const>())
      return ownType(*c);
    if (auto *u = e.getAs<expr::UnaryOp>())
      return ownOf(u->getArg());
    if (auto *b = e.getAs<expr::BinaryOp>())
      return ownOf(b->getLHS());
    if (auto *t = e.getAs<expr::TernaryOp>())
      return ownOf(t->getArg0());
    return *known(e);
  }
  const poplar::Tensor &tensor(const expr::PlaceHolder &p) const {
    if (p.getIndex() == 0 || p.getIndex() > ts_.size())
      fail(str("the expression uses _", p.getIndex(), ", but ", ts_.size(),
               " tensors were given. Place holders count from _1."));
    return ts_[p.getIndex() - 1];
  }

  // ---- nodes
  int make(const Expr &e, Hint hint) {
    if (auto at = made_.find({&e, hint}); at != made_.end())
      return at->second;
    return made_[{&e, hint}] = makeNew(e, hint);
  }
  int makeNew(const Expr &e, Hint hint) {
    if (auto *p = e.getAs<expr::PlaceHolder>())
      return add({MapNode::Input, p->getIndex() - 1, tensor(*p).elementType()});
    if (auto *c = e.getAs<expr::Const>())
      return constant(*c, hint);
    if (auto *c = e.getAs<expr::Cast>())
      return cast(make(c->getLHS(), {}), c->getRHSType());
    if (auto *u = e.getAs<expr::UnaryOp>())
      return unary(*u, hint);
    if (auto *b = e.getAs<expr::BinaryOp>())
      return binary(*b, hint);
    return ternary(*e.getAs<expr::TernaryOp>(), hint);
  }

  int add(MapNode node) {
    if (auto same = nodes_.find(node); same != nodes_.end())
      return same->second;
    if (tree_.nodes.size() >= 60000)
      fail("the expression has too many operators; split it.");
    nodes_.emplace(node, int(tree_.nodes.size()));
    tree_.nodes.push_back(node);
    return int(tree_.nodes.size()) - 1;
  }
  int add(MapNode::Kind kind, unsigned op, Type type, int a, int b = -1, int c = -1) {
    return add({kind, op, type, {{a, b, c}}});
  }

  int constant(const expr::Const &c, Hint hint) {
    const Type own = ownType(c);
    const double number = c.getDataAsDouble();
    // 2.0f beside integers is 2; 0.5f has no place there.
    const bool whole = isFloating(own) && number == std::trunc(number) && std::abs(number) < 0x1p31;
    const bool fits = hint && (isFloating(*hint) || !isFloating(own) || whole);
    return constantOf(number,
                      whole             ? std::uint64_t(std::int64_t(number))
                      : isFloating(own) ? 0
                                        : c.getDataForUnsignedIntegral(),
                      fits ? *hint : own);
  }
  int constantOf(double number, std::uint64_t integer, Type type) {
    MapNode node{MapNode::Constant, 0, type};
    if (type == poplar::HALF)
      node.number = base::halfToFloat(base::floatToHalf(float(number)));
    else if (type == poplar::FLOAT)
      node.number = float(number);
    else
      node.integer = type == poplar::BOOL ? integer != 0 : integer;
    return add(node);
  }

  int cast(int a, const Type &to) {
    const Type from = tree_.at(a).type;
    if (from == to)
      return a;
    if (from == poplar::QUARTER || to == poplar::QUARTER ||
        !kernels::mapCasts(idOf(from), idOf(to)))
      fail(str("cannot cast ", from, " to ", to, " in an expression."));
    return add(MapNode::Cast, 0, to, a);
  }

  int unary(const expr::UnaryOp &e, Hint hint) {
    const auto op = e.getOpType();
    const int a = make(e.getArg(), givesBool(op) ? Hint() : hint);
    const Type type = tree_.at(a).type;
    if (!cost::supported(op, type))
      fail(str(op, " does not take ", type, "."));
    return add(MapNode::Unary, unsigned(op), givesBool(op) ? poplar::BOOL : type, a);
  }

  // Half tensor times one float: computed in float, stays half.
  bool isScalarMultiply(BinaryOpType op, int a, int b) const {
    const auto &scale = tree_.at(b);
    return op == BinaryOpType::MULTIPLY && tree_.at(a).type == poplar::HALF &&
           scale.type == poplar::FLOAT && scale.kind == MapNode::Input &&
           ts_[scale.op].numElements() == 1;
  }

  int binary(const expr::BinaryOp &e, Hint hint) {
    const auto op = e.getOpType();
    Hint operands = either(known(e.getLHS()), known(e.getRHS()));
    if (!operands)
      operands = givesBool(op) || !hint ? ownOf(e.getLHS()) : *hint;
    const int a = make(e.getLHS(), operands), b = make(e.getRHS(), operands);
    const Type type = tree_.at(a).type;
    if (type != tree_.at(b).type && !isScalarMultiply(op, a, b))
      fail(str("operands of ", op, " have types ", type, " and ", tree_.at(b).type,
               ". Cast one of them."));
    if (!cost::supported(op, type))
      fail(str(op, " does not take ", type, "."));
    if ((op == BinaryOpType::VARIANCE_TO_INV_STD_DEV ||
         op == BinaryOpType::INV_STD_DEV_TO_VARIANCE) &&
        !isOne(b))
      fail(str("the epsilon of ", op, " must be one value."));
    const int simple = simplify_ ? simplified(op, a, b) : -1;
    return simple >= 0
               ? simple
               : add(MapNode::Binary, unsigned(op), givesBool(op) ? poplar::BOOL : type, a, b);
  }
  bool isOne(int i) const {
    std::vector<bool> seen(tree_.nodes.size());
    std::vector<int> needed;
    visit(tree_, i, seen, needed);
    return std::all_of(needed.begin(), needed.end(), [&](int n) {
      return tree_.at(n).kind != MapNode::Input || ts_[tree_.at(n).op].numElements() == 1;
    });
  }

  int ternary(const expr::TernaryOp &e, Hint hint) {
    const bool clamp = e.getOpType() == TernaryOpType::CLAMP;
    Hint type = either(known(e.getArg0()), known(e.getArg1()));
    if (!type && clamp)
      type = known(e.getArg2());
    if (!type)
      type = hint ? *hint : ownOf(e.getArg0());
    const int a = make(e.getArg0(), type), b = make(e.getArg1(), type);
    const int c = make(e.getArg2(), clamp ? type : Hint(poplar::BOOL));
    const Type ta = tree_.at(a).type, tb = tree_.at(b).type, tc = tree_.at(c).type;
    if (ta != tb || (clamp && ta != tc))
      fail(str("operands of ", e.getOpType(), " have types ", ta, ", ", tb,
               clamp ? str(" and ", tc) : "", ". They must be the same."));
    if (!clamp && tc != poplar::BOOL)
      fail(str("the condition of SELECT has type ", tc, "; it must be bool."));
    if (!kernels::mapTakes(e.getOpType(), idOf(ta)))
      fail(str(e.getOpType(), " does not take ", ta, "."));
    if (simplify_ && !clamp && tree_.at(c).kind == MapNode::Constant)
      return tree_.at(c).integer ? a : b;
    return add(MapNode::Ternary, unsigned(e.getOpType()), ta, a, b, c);
  }

  // ---- algebra; -1 when there is nothing simpler
  int simplified(BinaryOpType op, int a, int b) {
    if (tree_.at(b).kind != MapNode::Constant)
      return leftIdentity(op, a, b);
    const auto constant = tree_.at(b);
    const Type type = tree_.at(a).type;
    const bool floating = isFloating(type);
    auto is = [&](int value) {
      return floating ? constant.number == value : constant.integer == std::uint64_t(value);
    };
    switch (op) {
    case BinaryOpType::POWER:
      return floating ? simplePower(a, constant.number, type) : -1;
    case BinaryOpType::ADD:
    case BinaryOpType::SUBTRACT:
    case BinaryOpType::SHIFT_LEFT:
    case BinaryOpType::SHIFT_RIGHT:
    case BinaryOpType::SHIFT_RIGHT_SIGN_EXTEND:
      return is(0) ? a : -1;
    case BinaryOpType::MULTIPLY:
      return is(1) ? a : -1;
    case BinaryOpType::DIVIDE:
      return is(1) ? a : byPowerOfTwo(BinaryOpType::SHIFT_RIGHT, a, constant);
    case BinaryOpType::REMAINDER:
      return byPowerOfTwo(BinaryOpType::BITWISE_AND, a, constant);
    default:
      return -1;
    }
  }
  int leftIdentity(BinaryOpType op, int a, int b) {
    const auto &constant = tree_.at(a);
    if (constant.kind != MapNode::Constant)
      return -1;
    const bool floating = isFloating(constant.type);
    auto is = [&](int value) {
      return floating ? constant.number == value : constant.integer == std::uint64_t(value);
    };
    return (op == BinaryOpType::ADD && is(0)) || (op == BinaryOpType::MULTIPLY && is(1)) ? b : -1;
  }
  int simplePower(int a, double exponent, const Type &type) {
    auto unary = [&](UnaryOpType op) { return add(MapNode::Unary, unsigned(op), type, a); };
    if (exponent == 0.5)
      return unary(UnaryOpType::SQRT);
    if (exponent == -0.5)
      return unary(UnaryOpType::RSQRT);
    if (exponent == 1)
      return a;
    if (exponent == -1)
      return unary(UnaryOpType::INVERSE);
    return exponent == 2 ? unary(UnaryOpType::SQUARE) : -1;
  }
  int byPowerOfTwo(BinaryOpType op, int a, const MapNode &constant) {
    const bool isUnsigned =
        constant.type == poplar::UNSIGNED_INT || constant.type == poplar::UNSIGNED_LONGLONG;
    if (!isUnsigned || !std::has_single_bit(constant.integer))
      return -1;
    const std::uint64_t other = op == BinaryOpType::BITWISE_AND
                                    ? constant.integer - 1
                                    : std::uint64_t(std::countr_zero(constant.integer));
    if (other == 0 && op == BinaryOpType::SHIFT_RIGHT)
      return a;
    return add(MapNode::Binary, unsigned(op), constant.type, a,
               constantOf(0, other, constant.type));
  }

  const std::vector<poplar::Tensor> &ts_;
  bool simplify_;
  const std::string &name_;
  MapTree tree_;
  // A part that stands in many places is looked at once.
  mutable std::unordered_map<const Expr *, Hint> known_;
  std::map<std::pair<const Expr *, Hint>, int> made_;
  std::unordered_map<MapNode, int, NodeHash> nodes_;
};

std::vector<int> reachable(const MapTree &tree) {
  std::vector<bool> seen(tree.nodes.size());
  std::vector<int> order;
  for (int root : tree.roots)
    visit(tree, root, seen, order);
  return order;
}

} // namespace

MapTree buildTree(const std::vector<const Expr *> &exprs, const std::vector<poplar::Tensor> &ts,
                  bool simplify, const std::string &name) {
  return TreeBuilder(ts, simplify, name).build(exprs);
}
MapTree buildTree(const Expr &expr, const std::vector<poplar::Tensor> &ts, bool simplify,
                  const std::string &name) {
  return buildTree(std::vector{&expr}, ts, simplify, name);
}

std::vector<int> MapTree::operators() const {
  std::vector<int> out;
  for (int i : reachable(*this))
    if (at(i).isOperator())
      out.push_back(i);
  return out;
}

std::vector<int> MapTree::part(std::size_t root) const {
  MapTree cut = only(root);
  for (std::size_t i = 0; i < root; ++i)
    if (roots[i] != roots[root])
      cut.nodes[std::size_t(roots[i])].args = {{-1, -1, -1}};
  return reachable(cut);
}

std::vector<unsigned> MapTree::inputs() const {
  std::vector<unsigned> out;
  for (int i : reachable(*this))
    if (at(i).kind == MapNode::Input)
      out.push_back(at(i).op);
  std::sort(out.begin(), out.end());
  return out;
}

static bool roundsToHalf(const MapNode &node) {
  if (node.type != poplar::HALF)
    return false;
  if (node.kind == MapNode::Unary)
    return !kernels::keepsHalves(UnaryOpType(node.op));
  if (node.kind == MapNode::Binary)
    return !kernels::keepsHalves(BinaryOpType(node.op));
  return node.kind == MapNode::Cast;
}

MapProgram programOf(const MapTree &tree) {
  MapProgram program;
  const auto inputs = tree.inputs();
  const auto order = reachable(tree);
  std::vector<bool> used(tree.nodes.size()); // by another operator
  for (int i : order)
    for (int arg : tree.at(i).args)
      if (arg >= 0)
        used[std::size_t(arg)] = true;
  program.inputs = std::uint16_t(inputs.size());
  std::vector<std::uint16_t> value(tree.nodes.size()), unrounded(tree.nodes.size());
  for (int i : order) {
    const auto &node = tree.at(i);
    if (node.kind == MapNode::Input)
      value[std::size_t(i)] =
          std::uint16_t(std::lower_bound(inputs.begin(), inputs.end(), node.op) - inputs.begin());
    else if (node.kind == MapNode::Constant) {
      value[std::size_t(i)] = std::uint16_t(program.inputs + program.constants.size());
      program.constants.push_back({idOf(node.type), {}, node.number, node.integer});
    }
  }
  const std::size_t first = program.inputs + program.constants.size();
  auto push = [&](MapStep step) {
    program.steps.push_back(step);
    return std::uint16_t(first + program.steps.size() - 1);
  };
  constexpr MapStep::Kind kinds[] = {MapStep::Copy,  MapStep::Copy,   MapStep::Cast,
                                     MapStep::Unary, MapStep::Binary, MapStep::Ternary};
  for (int i : order) {
    const auto &node = tree.at(i);
    if (!node.isOperator())
      continue;
    auto arg = [&](int k) {
      return node.args[k] < 0 ? std::uint16_t(0) : value[std::size_t(node.args[k])];
    };
    value[std::size_t(i)] =
        push({kinds[node.kind], std::uint8_t(node.op), idOf(tree.at(node.args[0]).type),
              idOf(node.type), arg(0), arg(1), arg(2)});
    unrounded[std::size_t(i)] = value[std::size_t(i)];
    if (roundsToHalf(node) && used[std::size_t(i)]) // the store of a result rounds by itself
      value[std::size_t(i)] =
          push({MapStep::RoundToHalf, 0, TypeId::Half, TypeId::Half, value[std::size_t(i)], 0, 0});
  }
  for (int root : tree.roots)
    program.results.push_back(tree.at(root).isOperator() ? unrounded[std::size_t(root)]
                                                         : value[std::size_t(root)]);
  return program;
}

} // namespace popops
