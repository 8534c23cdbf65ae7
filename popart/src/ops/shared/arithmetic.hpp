// SPDX-License-Identifier: MIT
// What element-wise operators share beyond their shape rule: arithmetic of 8- and 16-bit integers
// (computed as 32-bit ones and wrapped around), functions of halves that need more digits on the
// way, the broadcasting attributes of opset 6, and type attributes.
#pragma once
#include "opdef/importing.hpp"
#include "ops/shared/elementwise.hpp"

namespace popart::ops {

bool isInteger(DataType type); // and not BOOL

// Unary and binary operators that take floating point only.
OpDef realUnary(const std::string &type, const std::string &doc);
OpDef realBinary(const std::string &type, const std::string &doc);
// Any number of inputs of one type that broadcast to the output.
OpDef variadic(const std::string &type, const std::string &doc);
void requireInteger(const OpView &op);
void requireBool(const OpView &op);

// An operand in a type the device computes with, and the result back in its own: 8- and 16-bit
// integers through INT, all others unchanged.
Expr widened(DataType type, const Expr &x);
Expr narrowed(DataType type, const Expr &x);
// f of the widened operands; `computed` narrows the result to the type of the output.
template <class F> Expr compared(const OpView &op, const Exprs &x, F f) {
  Exprs wide;
  for (std::size_t i = 0; i < x.size(); ++i)
    wide.push_back(op.hasIn(i) ? widened(op.in(i).type(), x[i]) : x[i]);
  return f(wide);
}
template <class F> Expr computed(const OpView &op, const Exprs &x, F f) {
  return narrowed(op.out(0).type(), compared(op, x, f));
}
// f of a floating point operand as FLOAT, the result in the type it came in. Halves would lose
// digits (or overflow) on the way through several steps.
template <class F> Expr inFloat(const OpView &op, const Expr &x, F f) {
  if (op.in(0).type() != DataType::FLOAT16)
    return f(x);
  return pe::Cast(f(pe::Cast(x, poplar::FLOAT)), poplar::HALF);
}
// The same for gradients: f(x, dy) gives dx.
template <class F> Values gradientInFloat(GradBuilder &g, const OpView &op, F f) {
  const DataType type = op.in(0).type();
  if (type != DataType::FLOAT16)
    return {f(op.in(0), g.dy())};
  return {g.cast(f(g.cast(op.in(0), DataType::FLOAT), g.cast(g.dy(), DataType::FLOAT)), type)};
}

inline Expr number(double x) { return pe::Const(static_cast<float>(x)); }

// Gradients: comparisons with a number, and the gradient of what is constant almost everywhere.
Value isGreater(GraphBuilder &b, Value x, double than);
Value isLess(GraphBuilder &b, Value x, double than);
Value isEqual(GraphBuilder &b, Value x, double to);
Values zeroGradient(GradBuilder &g, const OpView &op);

// a op b op c ... from the left; of many the halves first, for an expression copies what it is made
// of and is walked by recursion.
template <class E> Expr combined(const Exprs &x, std::size_t begin, std::size_t end) {
  constexpr std::size_t few = 16;
  if (end - begin > few) {
    const auto middle = begin + (end - begin) / 2;
    return E(combined<E>(x, begin, middle), combined<E>(x, middle, end));
  }
  Expr out = x[begin];
  for (auto i = begin + 1; i < end; ++i)
    out = E(out, x[i]);
  return out;
}

// a op b op c ... of constants.
Fold foldVariadic(double (*real)(double, double),
                  std::int64_t (*integer)(std::int64_t, std::int64_t));

// Opset 6 says with `axis` where the dimensions of the second input lie in the first; numpy's rule
// needs dimensions of one behind them.
void fromOldBroadcast(Importing &i);

// An element type given by name or by ONNX's number.
DataType typeAttribute(const OpView &op, const std::string &name);
DataType typeAttribute(const OpView &op, const std::string &name, DataType otherwise);

} // namespace popart::ops
