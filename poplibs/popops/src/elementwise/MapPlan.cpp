// SPDX-License-Identifier: MIT
// A Planner prices one expression: fused(), its loop of a generated vertex, or oneByOne(), a
// superstep for each operator with the vertex that PopLibs would choose for how its operands are
// broadcast. planMap() chooses, and joins the plans of several expressions.
#include "elementwise/MapPlan.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "popops/ElementWiseCost.hpp"
#include "popops/ExprOpUtils.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/VertexTemplates.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace popops {

using base::str;
using expr::BinaryOpType;
using expr::TernaryOpType;
using expr::UnaryOpType;
using openipu::Superstep;
using openipu::TileElements;
using poplar::Type;
using poputil::templateVertex;
using Shape = std::vector<std::size_t>;

MapOptions parseMapOptions(const poplar::OptionFlags &options) {
  MapOptions out;
  if (options.empty())
    return out;
  using poplibs::OptionHandler;
  const poplibs::OptionSpec spec{
      {"enableGenerateCodelet", OptionHandler::createWithBool(out.enableGenerateCodelet)},
      {"forceGenerateCodelet", OptionHandler::createWithBool(out.forceGenerateCodelet)},
      {"enableVectorBroadcastOptimisations",
       OptionHandler::createWithBool(out.enableVectorBroadcastOptimisations)},
      {"enableExpressionOptimizations",
       OptionHandler::createWithBool(out.enableExpressionOptimizations)}};
  for (const auto &option : options)
    spec.parse(option.first, option.second);
  return out;
}

std::string generatedName(const std::string &expr) {
  if (expr.size() <= 200)
    return expr;
  return str(expr.substr(0, 180), "_", base::hex(base::hashBytes(expr.data(), expr.size())));
}

static bool isVariance(const MapNode &node) {
  return node.kind == MapNode::Binary &&
         (BinaryOpType(node.op) == BinaryOpType::VARIANCE_TO_INV_STD_DEV ||
          BinaryOpType(node.op) == BinaryOpType::INV_STD_DEV_TO_VARIANCE);
}
static bool isFusable(const Type &type) {
  using namespace poplar;
  return type == FLOAT || type == HALF || type == INT || type == UNSIGNED_INT || type == LONGLONG ||
         type == UNSIGNED_LONGLONG || type == BOOL;
}

bool canFuse(const MapTree &tree, const MapOptions &options) {
  const auto operators = tree.operators();
  if (!options.forceGenerateCodelet && (!options.enableGenerateCodelet || operators.size() < 2))
    return false;
  if (operators.empty())
    return false;
  for (const auto &node : tree.nodes)
    if (!isFusable(node.type) || isVariance(node) ||
        (node.kind == MapNode::Constant && !std::isfinite(node.number)))
      return false;
  return true;
}

namespace {

class Planner {
public:
  // Of a root of the tree; the other roots are planned by others.
  Planner(const poplar::Graph &graph, const MapTree &tree, const MapOperands &operands,
          const MapOptions &options, std::size_t root)
      : chip_(openipu::chipOf(graph)), tree_(tree), operands_(operands), options_(options),
        root_(root), tiles_(openipu::elementsByTile(graph, operands.outs[root])),
        elements_(operands.outs[root].numElements()),
        many_(!tiles_.empty() && tiles_[0].regions > 1) {}

  // Its part of the vertex that computes all roots: a loop of its own.
  Superstep fused(const std::string &name) {
    Superstep step;
    step.name = "Map";
    step.vertex = str("popops::map::", generatedName(name));
    unsigned tensors = 0;
    std::vector<int> operators;
    for (int i : tree_.part(root_)) {
      if (tree_.at(i).kind == MapNode::Input) {
        tensors += operands_.ts[tree_.at(i).op].numElements() != 1;
        need(step, positionOf(tree_.at(i).op));
      } else if (tree_.at(i).isOperator()) {
        const auto end = tree_.roots.begin() + std::ptrdiff_t(root_);
        if (std::find(tree_.roots.begin(), end, i) == end)
          operators.push_back(i);
        else
          ++tensors;
      }
    }
    const Type type = widest(operators);
    const unsigned ops = std::max(unsigned(operators.size()), 1u), inputs = std::max(tensors, 1u);
    step.tiles = workOn(chip_, tiles_, [&](std::uint64_t n, unsigned regions) {
      return cost::fusedCycles(chip_, ops, inputs, type, n, regions);
    });
    for (int i : operators)
      step.flops += elements_ * flopsOf(tree_.at(i));
    return step;
  }

  openipu::Plan oneByOne() {
    openipu::Plan plan;
    const auto operators = tree_.only(root_).operators();
    if (operators.empty())
      plan.add(copy());
    for (int i : operators) {
      // Results before the last one need room; they are overwritten in place from then on.
      temporary_ = i == tree_.roots[root_] || !plan.steps.empty() ? 0 : bytesOf(tree_.at(i).type);
      plan.add(stepOf(tree_.at(i), plan.steps.empty() ? operands_.inPlace : true));
    }
    return plan;
  }

private:
  static std::uint64_t bytesOf(const Type &type) { return sizeOf(idOf(type)); }
  unsigned flopsOf(const MapNode &node) const {
    const Type type = tree_.at(node.args[0]).type;
    if (node.kind == MapNode::Unary)
      return cost::flops(UnaryOpType(node.op), type);
    if (node.kind == MapNode::Binary)
      return cost::flops(BinaryOpType(node.op), type);
    const bool floating = type == poplar::FLOAT || type == poplar::HALF;
    return node.kind == MapNode::Ternary && floating &&
                   TernaryOpType(node.op) == TernaryOpType::CLAMP
               ? 2
               : 0;
  }
  // The type whose vectors are shortest decides how many fit a word.
  Type widest(const std::vector<int> &operators) const {
    Type type = tree_.type(root_);
    for (int i : operators)
      for (int arg : tree_.at(i).args)
        if (arg >= 0 && bytesOf(tree_.at(arg).type) > bytesOf(type))
          type = tree_.at(arg).type;
    return type;
  }

  std::size_t positionOf(unsigned tensor) const {
    auto found = std::lower_bound(operands_.inputs.begin(), operands_.inputs.end(), tensor);
    return std::size_t(found - operands_.inputs.begin());
  }
  void need(Superstep &step, std::size_t input) const {
    if (!(operands_.inPlace && operands_.inputs[input] == 0))
      step.needs.push_back(
          {operands_.firstIn + unsigned(input), operands_.firstOut + unsigned(root_)});
  }
  void needsOf(Superstep &step, const MapNode &node) const {
    for (int arg : node.args)
      if (arg >= 0 && tree_.at(arg).kind == MapNode::Input)
        need(step, positionOf(tree_.at(arg).op));
  }

  Superstep copy() const {
    Superstep step;
    step.name = "Copy";
    step.vertex = "poplar_rt::Memcpy64Bit";
    for (std::size_t i = 0; i < operands_.inputs.size(); ++i)
      need(step, i);
    const std::uint64_t bytes = bytesOf(tree_.type(root_));
    step.tiles = workOn(chip_, tiles_, [&](std::uint64_t n, unsigned) {
      return base::ceilDiv(n * bytes, chip_.copy.bytesPerCycle);
    });
    return step;
  }

  Superstep stepOf(const MapNode &node, bool inPlace) const {
    Superstep step;
    if (node.kind == MapNode::Unary)
      step = unary(node, inPlace);
    else if (node.kind == MapNode::Binary)
      step = binary(node, inPlace);
    else if (node.kind == MapNode::Ternary)
      step = ternary(node);
    else
      step = cast(node);
    needsOf(step, node);
    step.flops = elements_ * flopsOf(node);
    return step;
  }
  template <class Cycles>
  Superstep make(std::string name, std::string vertex, Cycles cycles) const {
    Superstep step;
    step.name = std::move(name);
    step.vertex = std::move(vertex);
    step.tiles = workOn(chip_, tiles_, cycles, temporary_);
    return step;
  }
  std::string shaped(const std::string &name, bool inPlace) const {
    return str("popops::", name, many_ ? "2D" : "1D", inPlace ? "InPlace" : "");
  }

  Superstep unary(const MapNode &node, bool inPlace) const {
    const auto op = UnaryOpType(node.op);
    const Type type = tree_.at(node.args[0]).type;
    inPlace &= node.type == type;
    return make(str(op), templateVertex(shaped("UnaryOp", inPlace), op, type),
                [=, this](std::uint64_t n, unsigned regions) {
                  return cost::unaryCycles(chip_, op, type, n, inPlace, regions);
                });
  }

  // One operand of a binary operator, seen against the output.
  struct Broadcast {
    enum Kind { None, Scalar, Inner, Outer } kind = None;
    std::size_t length = 0, columns = 0; // of the vector; elements per value of the vector
  };
  Broadcast broadcastOf(int arg) const {
    const auto &node = tree_.at(arg);
    if (node.kind == MapNode::Constant)
      return {Broadcast::Scalar};
    if (node.kind != MapNode::Input)
      return {};
    const Shape shape = operands_.ts[node.op].shape(), out = operands_.outs[root_].shape();
    const std::size_t elements = operands_.ts[node.op].numElements();
    if (elements == elements_)
      return {};
    if (elements == 1)
      return {Broadcast::Scalar};
    std::size_t columns = 1, d = shape.size();
    const std::size_t lead = out.size() - shape.size();
    while (d > 0 && shape[d - 1] == 1)
      columns *= out[lead + --d];
    std::size_t length = 1; // the stretch of dimensions that the operand has
    while (d > 0 && shape[d - 1] == out[lead + d - 1])
      length *= shape[--d];
    if (length != elements)
      return {}; // in several stretches: no vector
    return {columns == 1 ? Broadcast::Inner : Broadcast::Outer, length, columns};
  }
  bool hasVectorVertex(BinaryOpType op, const Type &type, Broadcast::Kind kind) const {
    const bool basic = op == BinaryOpType::ADD || op == BinaryOpType::SUBTRACT ||
                       op == BinaryOpType::MULTIPLY ||
                       (op == BinaryOpType::DIVIDE && kind == Broadcast::Inner);
    return options_.enableVectorBroadcastOptimisations && basic &&
           (type == poplar::FLOAT || type == poplar::HALF);
  }

  Superstep binary(const MapNode &node, bool inPlace) const {
    const auto op = BinaryOpType(node.op);
    const Type type = tree_.at(node.args[0]).type;
    inPlace &= node.type == type;
    const auto b = broadcastOf(node.args[1]);
    if (type != tree_.at(node.args[1]).type)
      return make(
          "ScalarMultiply",
          templateVertex(
              str("popops::ScalarMultiply", many_ ? "2D" : "1D", inPlace ? "Inplace" : ""), type,
              tree_.at(node.args[1]).type),
          [this](std::uint64_t n, unsigned) { return cost::scalarMultiplyCycles(chip_, n); });
    if (b.kind == Broadcast::Scalar)
      return make(str(op),
                  templateVertex(str("popops::BroadcastScalar", many_ ? "2DData" : "1D",
                                     inPlace ? "InPlace" : ""),
                                 op, type),
                  [=, this](std::uint64_t n, unsigned regions) {
                    return cost::broadcastScalarCycles(chip_, op, type, n, inPlace, regions);
                  });
    if (b.kind == Broadcast::Inner && hasVectorVertex(op, type, b.kind))
      return make(str(op), templateVertex(shaped("BroadcastVectorInner", inPlace), op, type),
                  [=, this](std::uint64_t n, unsigned) {
                    const std::uint64_t length = std::min<std::uint64_t>(b.length, n);
                    return cost::vectorInnerCycles(chip_, op, type, 1, length,
                                                   base::ceilDiv(n, length));
                  });
    if (b.kind == Broadcast::Outer && hasVectorVertex(op, type, b.kind))
      return make(
          str(op),
          templateVertex(str("popops::BroadcastVectorOuterByColumn1D", inPlace ? "InPlace" : ""),
                         op, type, false),
          [=, this](std::uint64_t n, unsigned) {
            const std::uint64_t columns = std::min<std::uint64_t>(b.columns, n);
            return cost::vectorOuterCycles(chip_, op, type, base::ceilDiv(n, columns), columns);
          });
    return make(str(op), templateVertex(shaped("BinaryOp", inPlace), op, type),
                [=, this](std::uint64_t n, unsigned regions) {
                  return cost::binaryCycles(chip_, op, type, n, inPlace, regions);
                });
  }

  Superstep ternary(const MapNode &node) const {
    const bool clamp = TernaryOpType(node.op) == TernaryOpType::CLAMP;
    const bool scalars = broadcastOf(node.args[1]).kind == Broadcast::Scalar &&
                         broadcastOf(node.args[clamp ? 2 : 0]).kind == Broadcast::Scalar;
    const Type type = node.type;
    return make(clamp ? "Clamp" : "Select",
                templateVertex(
                    str("popops::", scalars ? "Broadcast" : "", clamp ? "Clamp" : "Select"), type),
                [=, this](std::uint64_t n, unsigned regions) {
                  return clamp ? cost::clampCycles(chip_, type, n, regions)
                               : cost::selectCycles(chip_, type, n, regions);
                });
  }

  Superstep cast(const MapNode &node) const {
    const Type from = tree_.at(node.args[0]).type, to = node.type;
    return make("Cast", templateVertex(shaped("Cast", false), from, to),
                [=, this](std::uint64_t n, unsigned regions) {
                  return cost::castCycles(chip_, from, to, n, regions);
                });
  }

  const arch::Chip &chip_;
  const MapTree &tree_;
  const MapOperands &operands_;
  const MapOptions &options_;
  std::size_t root_;
  std::vector<TileElements> tiles_;
  std::uint64_t elements_;
  bool many_; // several regions on a tile
  std::uint64_t temporary_ = 0;
};

} // namespace

// Adds the work of a step that runs at the same time.
static void join(Superstep &to, Superstep from) {
  const auto sameTiles = [](const auto &a, const auto &b) {
    return a.tile == b.tile && a.count == b.count;
  };
  to.flops += from.flops;
  to.needs.insert(to.needs.end(), from.needs.begin(), from.needs.end());
  if (std::ranges::equal(to.tiles, from.tiles, sameTiles)) {
    for (std::size_t i = 0; i < to.tiles.size(); ++i) {
      to.tiles[i].cycles += from.tiles[i].cycles;
      to.tiles[i].tempBytes += from.tiles[i].tempBytes;
    }
    return;
  }
  Superstep work;
  work.name = from.name = to.name;
  work.tiles = std::move(to.tiles);
  auto both = cost::sideBySide({openipu::Plan{{work}}, openipu::Plan{{std::move(from)}}});
  to.tiles = std::move(both.steps[0].tiles);
}

openipu::Plan together(std::vector<openipu::Plan> plans) {
  openipu::Plan out = std::move(plans[0]);
  for (std::size_t p = 1; p < plans.size(); ++p)
    for (std::size_t s = 0; s < plans[p].steps.size(); ++s)
      if (s < out.steps.size())
        join(out.steps[s], std::move(plans[p].steps[s]));
      else
        out.add(std::move(plans[p].steps[s]));
  return out;
}

// Whether element i of both is on the same tile. Views of memory that is ordered otherwise fall
// apart into elements; in the order of memory they are a few ranges for each tile.
static bool lieAlike(const poplar::Graph &graph, const poplar::Tensor &a, const poplar::Tensor &b) {
  std::vector<std::int64_t> strides, others;
  if (a.shape() != b.shape() || !openipu::hasStrides(a, strides) ||
      !openipu::hasStrides(b, others) || strides != others)
    return graph.getTileMapping(a) == graph.getTileMapping(b);
  std::vector<unsigned> order(a.rank());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](unsigned x, unsigned y) { return strides[x] > strides[y]; });
  return graph.getTileMapping(a.dimShuffle(order)) == graph.getTileMapping(b.dimShuffle(order));
}

// An operand goes once to each place, however many of the outputs lie there.
static void dropRepeatedNeeds(const poplar::Graph &graph, const MapOperands &operands,
                              Superstep &step) {
  std::vector<std::size_t> place; // of each output: the first one that lies as it does
  for (const auto &out : operands.outs) {
    std::size_t at = 0;
    while (operands.outs[at] != out && !lieAlike(graph, operands.outs[at], out))
      ++at;
    place.push_back(at);
  }
  std::vector<Superstep::Need> needs;
  for (auto need : step.needs) {
    need.to = operands.firstOut + unsigned(place[need.to - operands.firstOut]);
    if (std::ranges::none_of(needs,
                             [&](const auto &n) { return n.from == need.from && n.to == need.to; }))
      needs.push_back(need);
  }
  step.needs = std::move(needs);
}

static bool broadcasts(const MapOperands &operands) {
  return std::ranges::any_of(operands.inputs, [&](unsigned i) {
    const auto &t = operands.ts[i];
    return t.numElements() != 1 && (t.shape() != operands.outs[0].shape() || t.containsAliases());
  });
}

openipu::Plan planMap(const poplar::Graph &graph, const MapTree &tree, const MapOperands &operands,
                      const MapOptions &options, const std::string &exprName) {
  // Broadcast vectors have vertices of their own, one for each operator.
  const bool fusable =
      canFuse(tree, options) && (options.forceGenerateCodelet || !broadcasts(operands));
  openipu::Plan plan;
  for (std::size_t root = 0; root < tree.roots.size(); ++root) {
    Planner planner(graph, tree, operands, options, root);
    if (!fusable)
      plan.append(planner.oneByOne());
    else if (root == 0)
      plan.add(planner.fused(exprName));
    else
      join(plan.steps[0], planner.fused(exprName));
  }
  if (fusable && tree.roots.size() > 1)
    dropRepeatedNeeds(graph, operands, plan.steps[0]);
  return plan;
}

} // namespace popops
