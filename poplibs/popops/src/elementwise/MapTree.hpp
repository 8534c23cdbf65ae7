// SPDX-License-Identifier: MIT
// Expressions with their types worked out, simplified, and equal parts shared: what map plans and
// runs.
#pragma once
#include "popops/Expr.hpp"
#include "popops/kernels/Map.hpp"
#include <array>
#include <poplar/Tensor.hpp>
#include <string>
#include <vector>

namespace popops {

using kernels::MapConstant;
using kernels::MapProgram;
using kernels::MapStep;
using poplar::TypeId;

struct MapNode {
  enum Kind : std::uint8_t { Input, Constant, Cast, Unary, Binary, Ternary };
  Kind kind;
  unsigned op = 0;   // operator, or index of the tensor
  poplar::Type type; // of the result
  std::array<int, 3> args{{-1, -1, -1}};
  double number = 0;         // constants of floating types
  std::uint64_t integer = 0; // other constants, two's complement

  bool isOperator() const { return kind >= Cast; }
  bool operator==(const MapNode &) const = default;
};

struct MapTree {
  std::vector<MapNode> nodes; // operands before operators
  std::vector<int> roots;     // one per expression

  const MapNode &at(int i) const { return nodes[std::size_t(i)]; }
  poplar::Type type(std::size_t root = 0) const { return at(roots[root]).type; }
  // Operators that the roots need, operands first.
  std::vector<int> operators() const;
  // Tensors that the roots need, ascending.
  std::vector<unsigned> inputs() const;
  // What a root needs that roots before it have not made, operands first; those roots are among it.
  std::vector<int> part(std::size_t root) const;
  // The same nodes, with only this root.
  MapTree only(std::size_t root) const { return {nodes, {roots[root]}}; }
};

// Throws poplibs_error, with `name` for the message, when types do not fit or a place holder has no
// tensor.
MapTree buildTree(const std::vector<const expr::Expr *> &exprs,
                  const std::vector<poplar::Tensor> &ts, bool simplify, const std::string &name);
MapTree buildTree(const expr::Expr &expr, const std::vector<poplar::Tensor> &ts, bool simplify,
                  const std::string &name);

// The program for the kernel; inputs are numbered as in tree.inputs().
MapProgram programOf(const MapTree &tree);

TypeId idOf(const poplar::Type &type);
bool givesBool(expr::UnaryOpType op);
bool givesBool(expr::BinaryOpType op);

} // namespace popops
