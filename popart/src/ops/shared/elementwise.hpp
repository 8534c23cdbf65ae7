// SPDX-License-Identifier: MIT
// Operators that treat every element alike differ by an expression, a gradient and, for those that
// shape arithmetic needs, a scalar function; this fills in the rest.
//
//   OpDef expOp() {
//     OpDef op = unary("Exp", "e to the power of every element.");
//     op.expr = [](const OpView &, const Exprs &x) -> Expr { return pe::Exp(x[0]); };
//     op.grad = [](GradBuilder &g, const OpView &op) -> Values { return {g.mul(g.dy(), op.out(0))};
//     }; return op;
//   }
#pragma once
#include "opdef/graphbuilder.hpp"

namespace popart::ops {

namespace pe = popops::expr;

// One input; the output has its type and shape.
OpDef unary(const std::string &type, const std::string &doc);
// Two inputs of one type that broadcast; the output has their type (or BOOL for comparisons).
OpDef binary(const std::string &type, const std::string &doc);
OpDef comparison(const std::string &type, const std::string &doc);

// popart::error unless the types are equal: nothing is promoted.
void requireSameTypes(const OpView &op);
void requireFloat(const OpView &op, std::size_t input = 0);

// Scalar functions for constants. Integers are computed as integers, everything else as doubles.
using Fold = std::function<std::vector<HostTensor>(const OpView &)>;
Fold foldUnary(double (*real)(double), std::int64_t (*integer)(std::int64_t) = nullptr);
Fold foldBinary(double (*real)(double, double), std::int64_t (*integer)(std::int64_t, std::int64_t),
                bool isComparison = false);
// The elements of `t` spread to `shape` by numpy's rule.
HostTensor spread(const HostTensor &t, const Shape &shape);

} // namespace popart::ops
