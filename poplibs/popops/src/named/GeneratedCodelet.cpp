// SPDX-License-Identifier: MIT
// outputGeneratedCodelet: a vertex that computes a whole expression, as source. The expression is
// run by the map kernel; this text is for reading, and compiles with graph.addCodelets.
#include "base/Text.hpp"
#include "elementwise/MapPlan.hpp"
#include "named/CodeletText.hpp"
#include "popops/ElementWise.hpp"
#include "popops/ExprOpUtils.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/VertexTemplates.hpp"
#include <ostream>
#include <set>
#include <sstream>

namespace popops {

using base::str;
using expr::BinaryOpType;
using expr::UnaryOpType;

// The value of node i for element i of the operands.
static std::string valueOf(const MapTree &tree, int i) {
  const auto &node = tree.at(i);
  auto argument = [&](int k) { return valueOf(tree, node.args[k]); };
  const std::string type = node.type.toString();
  base::TextStream number;
  number.precision(9);
  switch (node.kind) {
  case MapNode::Input:
    return str("in", node.op + 1, "[i]");
  case MapNode::Constant:
    if (node.type == poplar::FLOAT || node.type == poplar::HALF)
      number << node.number;
    else
      number << std::int64_t(node.integer);
    return str("((", type, ")(", number.str(), "))");
  case MapNode::Cast:
    return str("convert<", type, ">(", argument(0), ")");
  case MapNode::Unary:
    return str("apply<UnaryOf<",
               poputil::VertexTemplateToString<UnaryOpType>::to_string(UnaryOpType(node.op)), ">>(",
               argument(0), ")");
  case MapNode::Binary:
    return str("apply<BinaryOf<",
               poputil::VertexTemplateToString<BinaryOpType>::to_string(BinaryOpType(node.op)),
               ">>(", argument(0), ", ", argument(1), ")");
  default:
    return expr::TernaryOpType(node.op) == expr::TernaryOpType::CLAMP
               ? str("clamp<", type, ">(", argument(0), ", ", argument(1), ", ", argument(2), ")")
               : str("(", argument(2), " ? ", argument(0), " : ", argument(1), ")");
  }
}

void outputGeneratedCodelet(const poplar::Target &, const expr::Expr &expr,
                            const std::vector<poplar::Tensor> &ts,
                            const poplar::OptionFlags &options, std::ostream &os) {
  const MapTree tree = buildTree(expr, ts, parseMapOptions(options).enableExpressionOptimizations,
                                 "outputGeneratedCodelet");
  os << codeletPrelude();
  std::set<std::pair<int, unsigned>> seen;
  for (int i : tree.operators()) {
    const auto &node = tree.at(i);
    if (!seen.insert({node.kind, node.op}).second)
      continue;
    if (node.kind == MapNode::Unary)
      os << codeletOperator(UnaryOpType(node.op));
    else if (node.kind == MapNode::Binary)
      os << codeletOperator(BinaryOpType(node.op));
  }
  os << codeletFunctions() << "namespace popops {\nnamespace map {\n\nclass "
     << generatedName(expr.name(ts)) << " : public MultiVertex {\npublic:\n";
  for (unsigned i : tree.inputs())
    os << "  Input<Vector<" << ts[i].elementType() << ", VectorLayout::ONE_PTR>> in" << i + 1
       << ";\n";
  os << "  Output<Vector<" << tree.type() << ">> out;\n"
     << "  bool compute(unsigned worker) {\n"
     << "    for (unsigned i = worker; i < out.size(); i += numWorkers())\n"
     << "      out[i] = " << valueOf(tree, tree.roots[0]) << ";\n"
     << "    return true;\n  }\n};\n\n} // namespace map\n} // namespace popops\n";
}

} // namespace popops
